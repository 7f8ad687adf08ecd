"""Who takes operations: workers with the plug-in settings in force."""

import collections.abc
import concurrent.futures
import dataclasses
import threading

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db import functions
from orch.db.models import stacks as tables
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import plugin_settings
from orch.db.repositories import stacks
from orch.flow.state import submit
from orch.model import lease
from orch.model import operation
from orch.model import plugin_settings as model
from orch.model import states
from tests.functional.db import base
from tests.functional.db import statements

load_tests = testscenarios.load_tests_apply_scenarios

WORKER = ids.WorkerId("worker")
OTHER = ids.WorkerId("other")
TTL_S = 60.0
OLD, NEW = "a" * 64, "b" * 64


class _Case(base.OperationTestCase):
    def activate(self, *fingerprints: str) -> None:
        with self.database.write() as conn:
            for fingerprint in fingerprints:
                active = plugin_settings.find(conn)
                if active is None:
                    plugin_settings.store_first(conn, fingerprint)
                else:
                    plugin_settings.activate(conn, active.number, fingerprint)

    def claim(self, number: int, **given: object) -> list[str]:
        with self.database.write() as conn:
            return [
                each.id
                for each in leases.claim(
                    conn, WORKER, TTL_S, 10, settings_number=number, **given
                )
            ]


class RowTest(_Case):
    def find(self) -> tuple[int, str]:
        with self.database.read() as conn:
            active = plugin_settings.find(conn)
        assert active is not None
        return active.number, active.fingerprint

    def test_there_are_none_before_the_first_worker(self) -> None:
        with self.database.read() as conn:
            self.assertIsNone(plugin_settings.find(conn))

    def test_the_first_ones_stay(self) -> None:
        with self.database.write() as conn:
            plugin_settings.store_first(conn, OLD)
            plugin_settings.store_first(conn, NEW)

        self.assertEqual((1, OLD), self.find())

    def test_each_activation_has_the_next_number(self) -> None:
        self.activate(OLD, NEW, OLD)

        self.assertEqual((3, OLD), self.find())

    def test_who_activates_after_another_number_changes_nothing(self) -> None:
        self.activate(OLD, NEW)

        with self.database.write() as conn:
            self.assertFalse(plugin_settings.activate(conn, 1, "c" * 64))

        self.assertEqual((2, NEW), self.find())

    def test_of_many_first_workers_one_is_the_first(self) -> None:
        start = threading.Barrier(4)

        def begin(fingerprint: str) -> None:
            database = self.connect()
            start.wait(10)
            database.run(
                lambda conn: plugin_settings.store_first(conn, fingerprint)
            )

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(begin, [each * 64 for each in "abcd"]))

        number, fingerprint = self.find()
        self.assertEqual(1, number)
        self.assertIn(fingerprint[0], "abcd")


class ClaimTest(_Case):
    def test_who_has_those_in_force_takes_what_waits(self) -> None:
        value = self.store()
        self.activate(OLD, NEW)

        self.assertEqual([], self.claim(1))
        self.assertEqual([], self.claim(model.NOT_LOADED))
        self.assertEqual([], self.claim(0))
        self.assertEqual([value.id], self.claim(2))

    def test_before_the_first_ones_nobody_needs_any(self) -> None:
        value = self.store()

        self.assertEqual([], self.claim(model.NOT_LOADED))
        self.assertEqual([value.id], self.claim(0))

    def test_neither_by_its_id_nor_among_others(self) -> None:
        values = [self.store(), self.store()]
        self.activate(OLD)

        self.assertEqual([], self.claim(0, operation_id=values[0].id))
        with self.database.write() as conn:
            named = [each.id for each in values]
            self.assertEqual(
                [],
                leases.claim_some(
                    *(conn, WORKER, TTL_S, 1, named), settings_number=0
                ),
            )
            taken = leases.claim_some(
                *(conn, WORKER, TTL_S, 2, named), settings_number=1
            )
        self.assertEqual(set(named), {each.id for each in taken})

    def test_what_another_worker_lost_is_not_taken_over(self) -> None:
        value = self.store()
        self.activate(OLD)
        self.claim(1)
        self.expire(value)
        self.activate(NEW)

        self.assertEqual([], self.claim(1))
        self.assertEqual([value.id], self.claim(2))

    def test_what_was_superseded_is_not_taken_in_its_place(self) -> None:
        newer = self.store(created_at=base.NOW - 1)
        older = self.store(
            stack_id=newer.stack_id,
            created_at=base.NOW - 2,
            superseded_by=newer.id,
        )
        self.activate(OLD)

        self.assertEqual([], self.claim(0, operation_id=newer.id))
        self.assertEqual([older.id], self.claim(1, operation_id=newer.id))

    def test_what_runs_is_renewed_under_any_number(self) -> None:
        value = self.store()
        self.activate(OLD)
        self.claim(1)
        self.activate(NEW)

        with self.database.write() as conn:
            self.assertEqual(
                {value.id}, leases.renew(conn, WORKER, TTL_S, [value.id])
            )
            leases.touch(conn, value.id, 1, TTL_S)

    def test_the_check_is_no_statement_of_its_own(self) -> None:
        self.activate(OLD)
        counts = []
        for number in (0, 1):
            self.store()
            with (
                self.database.write() as conn,
                statements.counted(conn) as count,
            ):
                leases.claim(conn, WORKER, TTL_S, 1, settings_number=number)
            counts.append(count.value)

        one = 1 if self.database.dialect == "sqlite" else 4
        self.assertEqual([1, one], counts)

    def test_an_activation_does_not_wait_for_a_claim(self) -> None:
        if self.database.dialect == "sqlite":
            self.skipTest("it has one writer at a time")
        self.store()
        self.activate(OLD)
        other = self.connect()
        with self.database.write() as conn:
            leases.claim(conn, WORKER, TTL_S, 1, settings_number=1)
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                done = pool.submit(
                    other.run,
                    lambda conn: plugin_settings.activate(conn, 1, NEW),
                )
                self.assertTrue(done.result(20))

    def expire(self, value: operation.Operation) -> None:
        """Let the lease have run out a moment ago."""
        with self.database.write() as conn:
            conn.execute(
                sa.update(tables.OPERATIONS)
                .where(tables.OPERATIONS.c.id == value.id)
                .values(lease_expires_at=functions.now() - 0.001)
            )


class ChildStackTest(_Case):
    def owners(self, number: int) -> collections.abc.Collection[str | None]:
        """Return who runs a child stack that is accepted with its lease."""
        stack = base.make_stack()
        child = base.make_stack(
            parent_id=stack.id, parent_resource="a", depth=1
        )
        asked = dataclasses.replace(
            base.make_operation(stack_id=child.id, depth=1),
            state=states.OperationState.WAITING,
        )
        with self.database.write() as conn:
            stacks.insert(conn, stack)
            accepted = submit.accept_child_stacks(
                conn,
                [(child, asked)],
                lease.Taken(WORKER, TTL_S, number),
                1,
            )
            stored = operations.get(conn, asked.id)
        return {stored.owner, *(each.operation.owner for each in accepted)}

    def test_who_has_them_runs_the_child_stacks_it_makes(self) -> None:
        self.activate(OLD)

        self.assertEqual({WORKER}, self.owners(1))

    def test_else_they_wait_for_one_that_has(self) -> None:
        self.activate(OLD, NEW)

        self.assertEqual({None}, self.owners(1))
        self.assertEqual([], self.claim(1))
        self.assertEqual(1, len(self.claim(2)))
