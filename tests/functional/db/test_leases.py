"""Leases on each database: who wins, and who has lost."""

import collections
import concurrent.futures
import threading

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db import errors
from orch.db import functions
from orch.db.models import stacks as tables
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.model import lease
from orch.model import operation
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

ONE = ids.WorkerId("worker-1")
TWO = ids.WorkerId("worker-2")
RUNNING = states.OperationState.RUNNING
TTL_S = 60.0


class _Case(base.OperationTestCase):
    def claim(
        self, worker: ids.WorkerId = ONE, limit: int = 10, **given: object
    ) -> list[operation.Operation]:
        with self.database.write() as conn:
            return leases.claim(conn, worker, TTL_S, limit, **given)

    def expire(self, value: operation.Operation) -> None:
        """Let the lease have run out a moment ago."""
        with self.database.write() as conn:
            conn.execute(
                sa.update(tables.OPERATIONS)
                .where(tables.OPERATIONS.c.id == value.id)
                .values(lease_expires_at=functions.now() - 0.001)
            )


class ClaimTest(_Case):
    def test_who_takes_what_a_lost_worker_had_is_told(self) -> None:
        lost, given_back = self.store(), self.store()
        self.claim()
        fresh = self.store()
        self.expire(lost)
        with self.database.write() as conn:
            leases.release(conn, given_back.id, 1)
        told: list[ids.OperationId] = []

        taken = self.claim(TWO, on_orphan=told.append)

        self.assertEqual(
            {lost.id, given_back.id, fresh.id}, {each.id for each in taken}
        )
        # SQLite, which has one process, does not say how rows were.
        is_told = self.database.dialect != "sqlite"
        self.assertEqual([lost.id] if is_told else [], told)

    def test_who_claims_runs_it_under_a_new_fence_until_the_lease_ends(
        self,
    ) -> None:
        waiting = self.store()
        with self.database.read() as conn:
            before = functions.read_clock(conn)

        (taken,) = self.claim()

        self.assertEqual(self.read(waiting), taken)
        self.assertEqual((RUNNING, ONE, 1), _holder(taken))
        self.assertTrue(
            before + TTL_S <= taken.lease_expires_at < before + TTL_S + 5
        )
        self.assertTrue(before <= taken.started_at < before + 5)

    def test_a_live_lease_is_not_taken(self) -> None:
        waiting = self.store()
        self.claim(ONE)

        self.assertEqual([], self.claim(TWO))
        self.assertEqual([], self.claim(TWO, operation_id=waiting.id))

    def test_a_lease_that_ran_out_is_taken_under_a_higher_fence(self) -> None:
        waiting = self.store()
        (first,) = self.claim(ONE)
        self.expire(waiting)

        (second,) = self.claim(TWO)

        self.assertEqual((RUNNING, TWO, 2), _holder(second))
        self.assertEqual(first.started_at, second.started_at)

    def test_of_expired_leases_only_the_overdue_ones_are_taken(self) -> None:
        observed, fresh, given_back = (self.store() for _ in range(3))
        self.claim(ONE)
        with self.database.write() as conn:
            leases.release(conn, given_back.id, 1)
        for each in (observed, fresh):
            self.expire(each)
        overdue = {
            each
            for each in self.list_aging(0.0)
            if each.operation_id == observed.id
        }

        taken = self.claim(TWO, overdue=overdue)

        self.assertEqual(
            {observed.id, given_back.id}, {each.id for each in taken}
        )
        named = {"operation_id": fresh.id, "overdue": overdue}
        self.assertEqual([], self.claim(TWO, **named))
        self.assertEqual(ONE, self.read(fresh).owner)

    def test_a_lease_that_was_renewed_since_is_not_taken(self) -> None:
        held = self.store()
        self.claim(ONE)
        self.expire(held)
        overdue = set(self.list_aging(0.0))
        with self.database.write() as conn:
            leases.renew(conn, ONE, TTL_S, [held.id])
        # The database's clock has jumped.
        self.expire(held)

        self.assertEqual([], self.claim(TWO, overdue=overdue))
        self.assertEqual([], self.claim(TWO, overdue=set()))
        taken = self.claim(TWO, overdue=set(self.list_aging(0.0)))
        self.assertEqual([held.id], [each.id for each in taken])

    def test_leases_whose_renewal_is_late_are_listed(self) -> None:
        late, given_back = self.store(), self.store()
        self.claim(ONE)
        with self.database.write() as conn:
            leases.release(conn, given_back.id, 1)

        self.assertEqual([], self.list_aging(TTL_S - 10))
        (found,) = self.list_aging(TTL_S + 10)
        row = self.read(late)
        self.assertEqual((late.id, 1, row.lease_expires_at), tuple(found))

    def list_aging(self, within_s: float) -> list[leases.AgingLease]:
        with self.database.read() as conn:
            return leases.list_aging(conn, within_s)

    def test_what_has_ended_is_not_taken(self) -> None:
        for state in states.OperationState:
            if state not in states.OPEN_STATES:
                self.store(state=state, lease_expires_at=base.NOW)

        self.assertEqual([], self.claim())

    def test_the_oldest_come_first_and_no_more_than_asked_for(self) -> None:
        stored = [self.store(created_at=base.NOW - n) for n in range(5)]

        taken = self.claim(limit=3)

        expected = [each.id for each in reversed(stored)][:3]
        self.assertEqual(expected, [each.id for each in taken])

    def test_one_that_is_asked_for_is_taken_alone(self) -> None:
        self.store(created_at=base.NOW - 1)
        wanted = self.store()

        taken = self.claim(operation_id=wanted.id)

        self.assertEqual([wanted.id], [each.id for each in taken])

    def test_of_some_that_are_asked_for_those_are_taken_that_can_be(
        self,
    ) -> None:
        older = self.store(created_at=base.NOW - 2)
        newer = self.store(stack_id=older.stack_id)
        wanted = self.store(created_at=base.NOW - 1)
        self.store()

        with self.database.write() as conn:
            taken = leases.claim_some(
                conn,
                *(ONE, TTL_S, 10),
                [newer.id, wanted.id, ids.OperationId(ids.new()), older.id],
            )

        self.assertEqual([older.id, wanted.id], [each.id for each in taken])
        self.assertEqual((RUNNING, ONE, 1), _holder(self.read(wanted)))
        self.assertEqual(0, self.read(newer).fence)

    def test_what_it_has_superseded_is_taken_before_it(self) -> None:
        newer = self.store(created_at=base.NOW - 1)
        older = self.store(
            stack_id=newer.stack_id,
            created_at=base.NOW - 2,
            superseded_by=newer.id,
        )
        self.store(created_at=base.NOW - 3, superseded_by=older.id)

        with self.database.write() as conn:
            taken = leases.claim_some(conn, *(ONE, TTL_S, 10), [newer.id])

        self.assertEqual([older.id], [each.id for each in taken])

    def test_no_more_are_taken_than_there_is_room_for(self) -> None:
        stored = [self.store() for _ in range(3)]

        with self.database.write() as conn:
            taken = leases.claim_some(
                conn, *(ONE, TTL_S, 2), [each.id for each in stored]
            )

        self.assertEqual(2, len(taken))

    def test_what_cannot_be_taken_takes_no_room_from_what_can_be(
        self,
    ) -> None:
        older = self.store(created_at=base.NOW - 2)
        newer = self.store(stack_id=older.stack_id)
        deep = self.store(depth=1)

        with self.database.write() as conn:
            taken = leases.claim_some(
                conn, *(ONE, TTL_S, 1), [newer.id, older.id, deep.id], 1
            )

        self.assertEqual([deep.id], [each.id for each in taken])

    def test_what_is_taken_as_it_is_accepted_is_free_once_its_lease_ends(
        self,
    ) -> None:
        value = base.make_operation()
        with self.database.write() as conn:
            begun = operations.begun(
                value,
                functions.read_clock(conn),
                *(100.0, lease.Taken(ONE, TTL_S)),
            )
            operations.insert_many(conn, [begun])

        self.assertEqual(begun, self.read(value))
        self.assertEqual((RUNNING, ONE, 1), _holder(begun))
        self.assertEqual([], self.claim(TWO))
        self.expire(value)
        (again,) = self.claim(TWO)
        self.assertEqual((RUNNING, TWO, 2), _holder(again))

    def test_a_newer_one_waits_while_an_older_of_its_stack_runs(self) -> None:
        older = self.store(created_at=base.NOW - 1)
        self.claim()
        newer = self.store(stack_id=older.stack_id)

        self.assertEqual([], self.claim(TWO))
        self.assertEqual([], self.claim(TWO, operation_id=newer.id))

        with self.database.write() as conn:
            operations.update(
                conn, older.id, 1, state=states.OperationState.SUPERSEDED
            )
        (taken,) = self.claim(TWO)
        self.assertEqual(newer.id, taken.id)

    def test_of_a_dead_worker_the_older_one_is_taken_over_first(self) -> None:
        older = self.store(created_at=base.NOW - 1)
        self.claim()
        newer = self.store(stack_id=older.stack_id)
        self.expire(older)

        self.assertEqual([], self.claim(TWO, operation_id=newer.id))
        taken = self.claim(TWO)

        self.assertEqual([older.id], [each.id for each in taken])

    def test_an_older_one_waits_while_a_newer_of_its_stack_runs(self) -> None:
        newer = self.store()
        self.claim()
        older = self.store(created_at=base.NOW - 1, stack_id=newer.stack_id)

        self.assertEqual([], self.claim(TWO, operation_id=older.id))

    def test_claims_at_the_same_time_never_take_one_twice(self) -> None:
        stored = {self.store().id for _ in range(24)}
        terms = {"by_depth": 0, "by_settings": 0}
        won: list[ids.OperationId] = []
        start = threading.Barrier(4)

        def claim_all(worker: ids.WorkerId) -> None:
            database = self.connect()
            start.wait(10)
            while True:
                taken = database.run(
                    lambda conn: leases.claim(conn, worker, TTL_S, 3)
                )
                won.extend(each.id for each in taken)
                with database.read() as conn:
                    if not leases._list_free(conn, 1, terms, None):
                        return

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            workers = [ids.WorkerId(f"worker-{n}") for n in range(4)]
            list(pool.map(claim_all, workers))

        self.assertEqual(
            dict.fromkeys(stored, 1), dict(collections.Counter(won))
        )

    def test_of_two_that_want_the_same_one_gets_it(self) -> None:
        first, second = self.connect(), self.connect()
        for _ in range(20):
            wanted = self.store()
            start = threading.Barrier(2)

            def claim(database, worker, wanted=wanted, start=start):
                start.wait(10)
                return database.run(
                    lambda conn: leases.claim(
                        conn, worker, TTL_S, 1, wanted.id
                    )
                )

            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                answers = list(pool.map(claim, (first, second), (ONE, TWO)))

            self.assertEqual([0, 1], sorted(map(len, answers)))
            self.assertEqual(1, self.read(wanted).fence)


class PassingOverTest(_Case):
    """What another transaction is just taking is not waited for."""

    def setUp(self) -> None:
        super().setUp()
        if self.database.dialect == "sqlite":
            self.skipTest("SQLite has one writer at a time")

    def claim_without_waiting(self) -> list[operation.Operation]:
        limits = {
            "postgresql": "SET LOCAL lock_timeout = '2s'",
            "mysql": "SET innodb_lock_wait_timeout = 2",
        }
        with self.connect().write() as conn:
            conn.exec_driver_sql(limits[conn.dialect.name])
            return leases.claim(conn, TWO, TTL_S, 10)

    def test_a_claim_does_not_wait_for_another_claim(self) -> None:
        older = self.store(created_at=base.NOW - 1)
        newer = self.store()
        with self.database.write() as conn:
            (first,) = leases.claim(conn, ONE, TTL_S, 1)
            second = self.claim_without_waiting()

        self.assertEqual(older.id, first.id)
        self.assertEqual([newer.id], [each.id for each in second])

    def test_a_claim_does_not_wait_for_a_tick(self) -> None:
        held = self.store()
        self.claim()
        self.expire(held)
        with self.database.write() as conn:
            leases.touch(conn, held.id, 1, TTL_S)

            self.assertEqual([], self.claim_without_waiting())


class RenewTest(_Case):
    def test_it_holds_what_the_worker_runs_and_tells_what_it_lost(
        self,
    ) -> None:
        held, lost, ended = self.store(), self.store(), self.store()
        self.claim()
        self.expire(held)
        self.expire(lost)
        self.claim(TWO, operation_id=lost.id)
        with self.database.write() as conn:
            operations.update(
                conn, ended.id, 1, state=states.OperationState.COMPLETE
            )
            wanted = [held.id, lost.id, ended.id]
            kept = leases.renew(conn, ONE, TTL_S, wanted)

        self.assertEqual({held.id}, kept)
        with self.database.read() as conn:
            self.assertTrue(leases.is_held(conn, held.id))
        self.assertEqual((RUNNING, TWO, 2), _holder(self.read(lost)))

    def test_nothing_asked_for_is_nothing_held(self) -> None:
        with self.database.write() as conn:
            self.assertEqual(set(), leases.renew(conn, ONE, TTL_S, []))


class TouchTest(_Case):
    def test_a_tick_renews_the_lease_and_writes_its_progress(self) -> None:
        held = self.store()
        self.claim()
        self.expire(held)

        with self.database.write() as conn:
            stop_reason = leases.touch(
                conn, held.id, 1, TTL_S, done=3, total=7
            )
            self.assertTrue(leases.is_held(conn, held.id))
            self.assertEqual([], leases.list_halted(conn, [held.id]))

        self.assertIsNone(stop_reason)
        found = self.read(held)
        self.assertEqual((3, 7), (found.done, found.total))

    def test_a_tick_of_a_worker_that_was_replaced_writes_nothing(
        self,
    ) -> None:
        held = self.store()
        self.claim(ONE)
        self.expire(held)
        self.claim(TWO)
        before = self.read(held)

        with self.database.write() as conn:
            self.assertRaises(
                errors.LeaseLost, leases.touch, conn, held.id, 1, 1, done=9
            )

        self.assertEqual(before, self.read(held))

    def test_a_tick_of_an_operation_that_ended_writes_nothing(self) -> None:
        held = self.store()
        self.claim()
        with self.database.write() as conn:
            operations.update(
                conn, held.id, 1, state=states.OperationState.COMPLETE
            )

            self.assertRaises(
                errors.LeaseLost, leases.touch, conn, held.id, 1, 1, done=9
            )

        self.assertEqual(0, self.read(held).done)

    def test_a_tick_learns_of_the_newer_request_and_is_still_written(
        self,
    ) -> None:
        held = self.store()
        self.claim()
        newer = base.make_operation(stack_id=held.stack_id)
        with self.database.write() as conn:
            operations.supersede(conn, held.stack_id, newer.id)
        self.expire(held)

        with self.database.write() as conn:
            told = leases.touch(conn, held.id, 1, TTL_S, done=2)
            self.assertTrue(leases.is_held(conn, held.id))
            self.assertEqual([held.id], leases.list_halted(conn, [held.id]))

        self.assertEqual(operation.StopReason.SUPERSEDED, told)
        self.assertEqual(
            operation.StopReason.SUPERSEDED, self.read(held).stop_reason
        )
        self.assertEqual(2, self.read(held).done)

    def test_a_tick_learns_of_its_cancellation_and_is_still_written(
        self,
    ) -> None:
        held = self.store()
        self.claim()
        with self.database.write() as conn:
            self.assertTrue(operations.cancel(conn, held.id))

        with self.database.write() as conn:
            told = leases.touch(conn, held.id, 1, TTL_S, done=2)
            self.assertEqual([held.id], leases.list_halted(conn, [held.id]))

        self.assertEqual(operation.StopReason.CANCELLED, told)
        self.assertEqual(
            operation.StopReason.CANCELLED, self.read(held).stop_reason
        )
        self.assertEqual(2, self.read(held).done)

    def test_a_newer_request_counts_more_than_a_cancellation(self) -> None:
        held = self.store()
        self.claim()
        newer = base.make_operation(stack_id=held.stack_id)
        with self.database.write() as conn:
            operations.cancel(conn, held.id)
            operations.supersede(conn, held.stack_id, newer.id)

            told = leases.touch(conn, held.id, 1, TTL_S)

        self.assertEqual(operation.StopReason.SUPERSEDED, told)

    def test_a_tick_and_a_takeover_at_the_same_time_exclude_each_other(
        self,
    ) -> None:
        first, second = self.connect(), self.connect()
        for _ in range(15):
            held = self.store()
            self.claim(operation_id=held.id)
            self.expire(held)
            start = threading.Barrier(2)

            def tick(held=held, start=start) -> bool:
                start.wait(10)
                try:
                    first.run(
                        lambda conn: leases.touch(
                            conn, held.id, 1, TTL_S, done=1
                        )
                    )
                except errors.LeaseLost:
                    return False
                return True

            def take(held=held, start=start) -> bool:
                start.wait(10)
                return bool(
                    second.run(
                        lambda conn: leases.claim(conn, TWO, TTL_S, 1, held.id)
                    )
                )

            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                ticked, taken = pool.submit(tick), pool.submit(take)
                outcome = (ticked.result(), taken.result())

            found = self.read(held)
            if outcome[1] and not outcome[0]:
                self.assertEqual((TWO, 2, 0), _owned(found))
            elif outcome[0] and not outcome[1]:
                self.assertEqual((ONE, 1, 1), _owned(found))
            else:
                self.fail(f"both or none won: {outcome}, {found}")


class ReleaseTest(_Case):
    def test_what_was_given_back_is_taken_at_once(self) -> None:
        held = self.store()
        self.claim(ONE)

        with self.database.write() as conn:
            self.assertTrue(leases.release(conn, held.id, 1))
            self.assertFalse(leases.is_held(conn, held.id))

        (taken,) = self.claim(TWO)
        self.assertEqual((RUNNING, TWO, 2), _holder(taken))

    def test_who_was_replaced_gives_nothing_back(self) -> None:
        held = self.store()
        self.claim(ONE)
        self.expire(held)
        self.claim(TWO)

        with self.database.write() as conn:
            self.assertFalse(leases.release(conn, held.id, 1))
            self.assertTrue(leases.is_held(conn, held.id))


def _holder(value: operation.Operation) -> tuple[object, ...]:
    return (value.state, value.owner, value.fence)


def _owned(value: operation.Operation) -> tuple[object, ...]:
    return (value.owner, value.fence, value.done)
