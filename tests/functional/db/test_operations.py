"""Operations on each database."""

import concurrent.futures
import dataclasses
import threading

import testscenarios

from orch import clock
from orch import errors
from orch import ids
from orch.db import errors as db_errors
from orch.db import functions
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.model import operation
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

Action = states.Action
State = states.OperationState
WORKER = ids.WorkerId("worker-1")


class OperationsTest(base.OperationTestCase):
    def test_what_was_stored_is_read_back(self) -> None:
        value = self.store(
            action=states.Action.DELETE,
            state=State.FAILED,
            options={"keep_going": True, "n": [1, {"a": None}]},
            context={"roles": ["member"], "name": "é"},
            attempt=4,
            owner=WORKER,
            fence=2**40,
            lease_expires_at=base.NOW + 0.5,
            deadline_at=base.NOW + 60,
            superseded_by=ids.OperationId(ids.new()),
            total=9,
            done=8,
            reason="x" * 70_000,
            failures=({"name": "web", "reason": "no"},),
            started_at=base.NOW + 1,
            finished_at=base.NOW + 2,
        )

        self.assertEqual(value, self.read(value))

    def test_one_that_is_stored_again_stays_as_it_is(self) -> None:
        value = self.store()

        with self.database.write() as conn:
            operations.insert(conn, dataclasses.replace(value, attempt=9))

        self.assertEqual(value, self.read(value))

    def test_its_deadline_counts_by_the_clock_of_the_database(self) -> None:
        value = base.make_operation(deadline_at=base.NOW)
        with self.database.write() as conn:
            before = functions.read_clock(conn)
            operations.insert(conn, value, timeout_s=100)
            after = functions.read_clock(conn)

        found = self.read(value).deadline_at
        self.assertTrue(before + 100 <= found <= after + 100)

    def test_those_that_have_not_ended_are_counted_by_state(self) -> None:
        for state, count in (
            (states.OperationState.WAITING, 3),
            (states.OperationState.BLOCKED, 2),
            (states.OperationState.COMPLETE, 1),
            (states.OperationState.SUPERSEDED, 1),
        ):
            for _ in range(count):
                self.store(state=state)

        with self.database.read() as conn:
            found = operations.count_open(conn)

        self.assertEqual(
            {
                states.OperationState.WAITING: 3,
                states.OperationState.BLOCKED: 2,
            },
            found,
        )

    def test_an_unknown_id_is_not_found(self) -> None:
        with self.database.read() as conn:
            self.assertRaises(errors.NotFound, operations.get, conn, ids.new())

    def test_those_of_a_stack_are_listed_the_oldest_first(self) -> None:
        new = self.store(created_at=base.NOW + 1)
        old = self.store(stack_id=new.stack_id, state=State.COMPLETE)
        running = self.store(
            stack_id=new.stack_id,
            state=State.RUNNING,
            created_at=base.NOW + 0.5,
        )
        self.store()

        with self.database.read() as conn:
            found = operations.list_(conn, new.stack_id)
            still_open = operations.find_open(conn, new.stack_id)

        self.assertEqual([old, running, new], found)
        self.assertEqual([running, new], still_open)

    def test_those_since_a_moment_are_listed_without_older_ones(self) -> None:
        old = self.store(state=State.COMPLETE)
        then, new = (
            self.store(stack_id=old.stack_id, created_at=base.NOW + later)
            for later in (0.5, 1)
        )
        self.store(created_at=base.NOW + 1)

        with self.database.read() as conn:
            found = operations.list_since(
                conn, old.stack_id, clock.Timestamp(base.NOW + 0.5)
            )

        self.assertEqual([then, new], found)

    def test_the_newest_of_some_actions_is_found(self) -> None:
        made = self.store(action=Action.CREATE, state=State.COMPLETE)
        failed, cut, check = (
            self.store(
                stack_id=made.stack_id,
                action=action,
                state=state,
                created_at=base.NOW + later,
            )
            for action, state, later in (
                (Action.UPDATE, State.FAILED, 1),
                (Action.UPDATE, State.SUPERSEDED, 2),
                (Action.CHECK, State.COMPLETE, 3),
            )
        )
        self.store(action=Action.UPDATE, created_at=base.NOW + 4)

        with self.database.read() as conn:

            def find(
                *actions: Action, of: set[State] | None = None
            ) -> operation.Operation | None:
                return operations.find_newest(conn, made.stack_id, actions, of)

            found = [
                find(Action.CREATE, Action.UPDATE),
                find(*Action, of={State.COMPLETE, State.SUPERSEDED}),
                find(Action.CREATE, Action.UPDATE, of={State.FAILED}),
                find(Action.DELETE),
            ]

        self.assertEqual([cut, check, failed, None], found)

    def test_who_runs_it_updates_it(self) -> None:
        value = self.store(state=State.RUNNING, fence=3)
        with self.database.write() as conn:
            operations.update(
                conn, value.id, 3, state=State.FAILED, failures=({"n": 1},)
            )

        expected = dataclasses.replace(
            value, state=State.FAILED, failures=({"n": 1},)
        )
        self.assertEqual(expected, self.read(value))

    def test_a_move_that_is_not_allowed_is_refused(self) -> None:
        value = self.store(state=State.RUNNING, fence=3)
        with self.database.write() as conn:
            self.assertRaises(
                ValueError,
                operations.update,
                conn,
                value.id,
                3,
                state=State.WAITING,
            )

        self.assertEqual(value, self.read(value))

    def test_who_does_not_run_it_updates_nothing(self) -> None:
        for state, fence in (
            (State.RUNNING, 4),
            (State.RUNNING, 2),
            (State.WAITING, 3),
            (State.COMPLETE, 3),
        ):
            value = self.store(state=state, fence=3)
            with self.database.write() as conn:
                self.assertRaises(
                    db_errors.LeaseLost,
                    operations.update,
                    conn,
                    value.id,
                    fence,
                    reason="late",
                )
            self.assertEqual(value, self.read(value), (state, fence))


class ReopenTest(base.OperationTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack = base.make_stack()
        with self.database.write() as conn:
            stacks.insert(conn, self.stack)

    def store_failed(self, **given: object) -> operation.Operation:
        return self.store(
            stack_id=self.stack.id,
            state=State.FAILED,
            fence=5,
            owner=WORKER,
            lease_expires_at=base.NOW,
            superseded_by=None,
            is_cancelled=True,
            reason="it broke",
            failures=({"name": "web"},),
            total=4,
            done=3,
            started_at=base.NOW,
            finished_at=base.NOW,
            **given,
        )

    def reopen(self, value: operation.Operation, attempt: int) -> bool:
        with self.database.write() as conn:
            return operations.reopen(
                conn, value.id, attempt, value.options, timeout_s=60
            )

    def test_a_failed_one_waits_again_and_keeps_its_fence(self) -> None:
        value = self.store_failed()

        self.assertTrue(self.reopen(value, 2))

        found = self.read(value)
        expected = base.make_operation(
            id=value.id,
            stack_id=value.stack_id,
            attempt=2,
            fence=5,
            total=4,
            deadline_at=found.deadline_at,
            attempts=(value.this_attempt(),),
        )
        self.assertEqual(expected, found)
        self.assertGreater(found.deadline_at, base.NOW)
        with self.database.write() as conn:
            (taken,) = leases.claim(conn, WORKER, 60, 1)
        self.assertEqual(6, taken.fence)

    def test_one_whose_worker_is_dead_counts_as_failed(self) -> None:
        given = {"stack_id": self.stack.id, "state": State.RUNNING}
        dead = self.store(
            fence=5, owner="worker-0", lease_expires_at=base.NOW, **given
        )

        self.assertTrue(self.reopen(dead, 2))

        found = self.read(dead)
        self.assertEqual((State.RUNNING, 2), (found.state, found.attempt))
        self.assertEqual("FAILED", found.attempts[0]["state"])
        self.assertEqual("Its worker was lost.", found.attempts[0]["reason"])
        with self.database.write() as conn:
            self.assertRaises(
                db_errors.LeaseLost,
                operations.update,
                conn,
                dead.id,
                5,
                reason="late",
            )
        self.assertFalse(self.reopen(dead, 3))

    def test_its_lease_is_observed_before_it_is_taken(self) -> None:
        dead = self.store(
            stack_id=self.stack.id,
            state=State.RUNNING,
            fence=5,
            owner="worker-0",
            lease_expires_at=base.NOW,
        )
        with self.database.read() as conn:
            before = set(leases.list_aging(conn, 0.0))

        self.assertTrue(self.reopen(dead, 2))

        with self.database.read() as conn:
            after = set(leases.list_aging(conn, 0.0))
        self.assertEqual([6], [each.fence for each in after - before])
        for overdue, count in ((set(), 0), (after, 1)):
            with self.database.write() as conn:
                taken = leases.claim(conn, WORKER, 60, 1, overdue=overdue)
            self.assertEqual(count, len(taken))

    def test_one_that_lives_or_was_cancelled_is_not_taken_over(self) -> None:
        for given in (
            {"lease_expires_at": 4e9},
            {"lease_expires_at": base.NOW, "is_cancelled": True},
        ):
            value = self.store(state=State.RUNNING, fence=5, **given)
            self.assertFalse(self.reopen(value, 2))
            self.assertEqual(value, self.read(value))

    def test_it_bears_the_context_of_who_asked_again(self) -> None:
        value = self.store_failed(context={"user_id": "ann"})

        with self.database.write() as conn:
            operations.reopen(conn, value.id, 2, {}, context={"user_id": "b"})

        self.assertEqual({"user_id": "b"}, self.read(value).context)

    def test_one_that_has_not_failed_stays(self) -> None:
        for state in State:
            if state not in (State.FAILED, State.SUPERSEDED):
                stack_id = ids.StackId(ids.new())
                value = self.store(state=state, stack_id=stack_id)
                self.assertFalse(self.reopen(value, 2), state)
                self.assertEqual(value, self.read(value))

    def test_an_attempt_is_not_made_twice(self) -> None:
        value = self.store_failed(attempt=2)

        self.assertFalse(self.reopen(value, 2))
        self.assertFalse(self.reopen(value, 4))
        self.assertEqual(value, self.read(value))

    def test_it_stays_while_another_of_the_stack_is_open(self) -> None:
        value = self.store_failed()
        for state in states.OPEN_STATES:
            other = self.store(stack_id=self.stack.id, state=state, fence=1)
            self.assertFalse(self.reopen(value, 2), state)
            with self.database.write() as conn:
                operations.supersede(conn, self.stack.id, value.id)
                if state is State.RUNNING:
                    operations.update(conn, other.id, 1, state=State.FAILED)

        self.assertTrue(self.reopen(value, 2))

    def test_of_callers_at_the_same_time_one_wins(self) -> None:
        value = self.store_failed()
        start = threading.Barrier(3)

        def reopen(_: object) -> bool:
            database = self.connect()
            start.wait(10)
            return database.run(
                lambda conn: operations.reopen(conn, value.id, 2, {})
            )

        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            answers = list(pool.map(reopen, range(3)))

        self.assertEqual([False, False, True], sorted(answers))
        self.assertIsNone(self.read(value).deadline_at)

    def test_a_retry_and_a_new_request_do_not_pass_each_other(self) -> None:
        value = self.store_failed()
        other, is_locked = self.connect(), threading.Event()

        def retry() -> bool:
            is_locked.wait(10)
            return other.run(
                lambda conn: operations.reopen(conn, value.id, 2, {})
            )

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            retried = pool.submit(retry)
            with self.database.write() as conn:
                stacks.lock(conn, self.stack.id)
                is_locked.set()
                concurrent.futures.wait([retried], timeout=0.2)
                operations.insert(
                    conn, base.make_operation(stack_id=self.stack.id)
                )

            self.assertFalse(retried.result(10))
        self.assertEqual(value, self.read(value))


class CancelTest(base.OperationTestCase):
    def cancel(self, value: operation.Operation) -> bool:
        with self.database.write() as conn:
            return operations.cancel(conn, value.id)

    def test_what_runs_goes_on_until_it_learns_of_it(self) -> None:
        value = self.store(state=State.RUNNING, owner=WORKER, fence=3)

        self.assertTrue(self.cancel(value))

        expected = dataclasses.replace(value, is_cancelled=True)
        self.assertEqual(expected, self.read(value))

    def test_what_waits_or_is_blocked_waits_for_a_worker_to_end_it(
        self,
    ) -> None:
        waiting = self.store()
        blocked = self.store(state=State.BLOCKED, next_try_at=base.NOW + 3600)

        self.assertTrue(self.cancel(waiting))
        self.assertTrue(self.cancel(blocked))

        for each in (waiting, blocked):
            with self.database.write() as conn:
                (taken,) = leases.claim(conn, WORKER, 60, 1, each.id)
            self.assertEqual(operation.StopReason.CANCELLED, taken.stop_reason)
            self.assertIsNone(taken.next_try_at)

    def test_what_has_ended_or_has_to_make_room_stays_as_it_is(self) -> None:
        newer = ids.OperationId(ids.new())
        values = [
            self.store(state=state, stack_id=ids.StackId(ids.new()))
            for state in (State.COMPLETE, State.FAILED, State.SUPERSEDED)
        ]
        values.append(self.store(state=State.RUNNING, superseded_by=newer))

        for value in values:
            self.assertFalse(self.cancel(value))
            self.assertEqual(value, self.read(value))


class SupersedeTest(base.OperationTestCase):
    def test_those_that_wait_end_and_those_that_run_are_told(self) -> None:
        newer = self.store()
        of_stack = {"stack_id": newer.stack_id}
        waiting = self.store(**of_stack)
        running = self.store(state=State.RUNNING, fence=1, **of_stack)
        ended = self.store(state=State.FAILED, **of_stack)
        elsewhere = self.store()

        with self.database.write() as conn:
            count = operations.supersede(conn, newer.stack_id, newer.id)

        self.assertEqual(2, count)
        found = self.read(waiting)
        self.assertEqual(State.SUPERSEDED, found.state)
        self.assertEqual(newer.id, found.superseded_by)
        self.assertGreater(found.finished_at, base.NOW)
        self.assertEqual(
            dataclasses.replace(running, superseded_by=newer.id),
            self.read(running),
        )
        for untouched in (newer, ended, elsewhere):
            self.assertEqual(untouched, self.read(untouched))
