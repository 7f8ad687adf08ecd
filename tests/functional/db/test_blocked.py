"""Blocked operations on each database: who takes them, and when."""

import concurrent.futures
import dataclasses

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db import errors
from orch.db import functions
from orch.db.models import stacks as tables
from orch.db.repositories import breakpoints as stored_breakpoints
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.model import breakpoints
from orch.model import operation
from orch.model import resource
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

ONE = ids.WorkerId("worker-1")
TWO = ids.WorkerId("worker-2")
RUNNING = states.OperationState.RUNNING
BLOCKED = states.OperationState.BLOCKED
SUPERSEDED = states.OperationState.SUPERSEDED
TTL_S = 60.0
REASON = "waiting for room"


class _Case(base.TestCase):
    def read(self, value: operation.Operation) -> operation.Operation:
        with self.database.read() as conn:
            return operations.get(conn, value.id)

    def claim(
        self, worker: ids.WorkerId = ONE, **given: object
    ) -> list[operation.Operation]:
        with self.database.write() as conn:
            return leases.claim(conn, worker, TTL_S, 10, **given)

    def park(
        self, pause_s: float | None, **given: object
    ) -> operation.Operation:
        """Store an operation that ran, and is blocked now."""
        value = base.make_operation(**given)
        with self.database.write() as conn:
            operations.insert(conn, value)
        (taken,) = self.claim(operation_id=value.id)
        with self.database.write() as conn:
            leases.park(
                conn,
                taken.id,
                taken.fence,
                reason=REASON,
                pause_s=pause_s,
                options={"blocked_times": 1},
            )
        return self.read(value)

    def change(self, value: operation.Operation, **columns: object) -> None:
        with self.database.write() as conn:
            conn.execute(
                sa.update(tables.OPERATIONS)
                .where(tables.OPERATIONS.c.id == value.id)
                .values(**columns)
            )


class ParkTest(_Case):
    def test_it_waits_as_a_row_and_nobody_holds_it(self) -> None:
        with self.database.read() as conn:
            before = functions.read_clock(conn)

        blocked = self.park(30.0)

        self.assertEqual(
            (BLOCKED, None, None, REASON, {"blocked_times": 1}),
            (
                blocked.state,
                blocked.owner,
                blocked.lease_expires_at,
                blocked.reason,
                blocked.options,
            ),
        )
        self.assertTrue(before + 30 <= blocked.next_try_at < before + 40)

    def test_for_somebody_it_waits_without_a_moment(self) -> None:
        blocked = self.park(None)

        self.assertIsNone(blocked.next_try_at)
        self.assertEqual([], self.claim())

    def test_under_another_fence_it_is_not_parked(self) -> None:
        value = base.make_operation()
        with self.database.write() as conn:
            operations.insert(conn, value)
        (taken,) = self.claim()

        with self.database.write() as conn:
            self.assertRaises(
                errors.LeaseLost,
                leases.park,
                conn,
                taken.id,
                taken.fence + 1,
                reason=REASON,
                pause_s=None,
                options={},
            )

        self.assertEqual(RUNNING, self.read(taken).state)


class ClaimTest(_Case):
    def test_before_its_moment_nobody_takes_it(self) -> None:
        blocked = self.park(60.0)

        self.assertEqual([], self.claim(TWO))
        self.assertEqual([], self.claim(TWO, operation_id=blocked.id))

    def test_at_its_moment_another_worker_takes_it(self) -> None:
        blocked = self.park(-0.001)

        (taken,) = self.claim(TWO)

        self.assertEqual(
            (blocked.id, RUNNING, TWO, 2, None, ""),
            (
                taken.id,
                taken.state,
                taken.owner,
                taken.fence,
                taken.next_try_at,
                taken.reason,
            ),
        )

    def test_when_its_time_is_over_it_is_taken_to_end(self) -> None:
        for pause_s in (None, 60.0):
            blocked = self.park(pause_s)
            self.change(blocked, deadline_at=functions.now() - 0.001)

            self.assertEqual(
                [blocked.id], [each.id for each in self.claim(TWO)]
            )

    def test_it_lets_no_newer_one_of_its_stack_pass(self) -> None:
        blocked = self.park(60.0)
        newer = base.make_operation(
            stack_id=blocked.stack_id, created_at=base.NOW + 1
        )
        with self.database.write() as conn:
            operations.insert(conn, newer)

        self.assertEqual([], self.claim(TWO))

    def test_of_many_workers_one_takes_it(self) -> None:
        blocked = self.park(-0.001)

        def take(number: int) -> list[operation.Operation]:
            database = self.connect()
            return database.run(
                lambda conn: leases.claim(
                    conn, ids.WorkerId(f"worker-{number}"), TTL_S, 10
                )
            )

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            taken = [
                each for found in pool.map(take, range(8)) for each in found
            ]

        self.assertEqual([blocked.id], [each.id for each in taken])


class UnparkTest(_Case):
    def test_any_worker_takes_it_then(self) -> None:
        blocked = self.park(None)

        with self.database.write() as conn:
            was_blocked = leases.unpark(conn, blocked.id)
            again = leases.unpark(conn, blocked.id)

        self.assertEqual((True, False), (was_blocked, again))
        self.assertEqual([blocked.id], [each.id for each in self.claim(TWO)])

    def test_what_runs_is_left_alone(self) -> None:
        value = base.make_operation()
        with self.database.write() as conn:
            operations.insert(conn, value)
        self.claim()

        with self.database.write() as conn:
            self.assertFalse(leases.unpark(conn, value.id))

        self.assertEqual(RUNNING, self.read(value).state)


class SupersedeTest(_Case):
    def test_a_newer_request_ends_it_at_once(self) -> None:
        blocked = self.park(60.0)
        newer = base.make_operation(
            stack_id=blocked.stack_id, created_at=base.NOW + 1
        )

        with self.database.write() as conn:
            requested_at = conn.execute(
                sa.select(functions.now())
            ).scalar_one()
            told = operations.supersede(conn, blocked.stack_id, newer.id)
            operations.insert(conn, newer)

        ended = self.read(blocked)
        self.assertEqual(1, told)
        self.assertEqual(
            (SUPERSEDED, newer.id, None),
            (ended.state, ended.superseded_by, ended.next_try_at),
        )
        self.assertAlmostEqual(requested_at, ended.finished_at, delta=5)
        self.assertEqual([newer.id], [each.id for each in self.claim(TWO)])


class BreakpointsTest(_Case):
    def setUp(self) -> None:
        super().setUp()
        self.operation = base.make_operation()
        self.row = base.make_resource(stack_id=self.operation.stack_id)
        self.waiting = self.with_state(breakpoints.WAITING)
        with self.database.write() as conn:
            resources.save_many(conn, [self.row])
            stored_breakpoints.save_many(conn, [self.waiting])

    def with_state(self, state: str) -> resource.Resource:
        hooks = breakpoints.with_state(
            self.row, self.operation.id, "pre-create", state
        )
        return dataclasses.replace(self.row, hooks=hooks)

    def read_hooks(self) -> dict[ids.ResourceId, breakpoints.States]:
        with self.database.read() as conn:
            return stored_breakpoints.list_(
                conn, self.row.stack_id, [self.row.id]
            )

    def test_they_are_read_as_they_were_written(self) -> None:
        self.assertEqual({self.row.id: self.waiting.hooks}, self.read_hooks())

    def test_whoever_writes_the_row_leaves_them_alone(self) -> None:
        with self.database.write() as conn:
            stored_breakpoints.save_many(
                conn, [self.with_state(breakpoints.RELEASED)]
            )
            resources.save_many(conn, [self.waiting])

        (hooks,) = self.read_hooks().values()
        self.assertEqual(breakpoints.RELEASED, hooks["pre-create"])

    def test_a_new_row_comes_with_them(self) -> None:
        new = base.make_resource(
            stack_id=self.operation.stack_id, hooks=self.waiting.hooks
        )

        with self.database.write() as conn:
            resources.save_many(conn, [new])
            found = stored_breakpoints.list_(conn, new.stack_id, [new.id])

        self.assertEqual({new.id: self.waiting.hooks}, found)
