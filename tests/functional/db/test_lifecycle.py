"""Calls of lifecycle plug-ins and their decisions on each database."""

import dataclasses
import typing
from unittest import mock

import sqlalchemy as sa
import testscenarios

from orch import clock
from orch import ids
from orch.db.models import lifecycle as tables
from orch.db.repositories import decisions
from orch.db.repositories import leases
from orch.db.repositories import lifecycle
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine.lifecycle import hook_loading
from orch.engine.lifecycle import situation
from orch.model import lifecycle as model
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.plugin import lifecycle_order
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

FAR = 10_000_000_000.0
BLOCKED = states.OperationState.BLOCKED
WAITING = states.OperationState.WAITING


class LifecycleTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack = base.make_stack()
        self.operation = base.make_operation(stack_id=self.stack.id)
        with self.database.write() as conn:
            stacks.insert(conn, self.stack)
            operations.insert(conn, self.operation)

    def run_of(self, **given: object) -> model.Run:
        values = {
            "operation_id": self.operation.id,
            "attempt": 1,
            "verb": "create",
            "stack_id": self.stack.id,
            "project_id": "demo",
            "chain": ("a", "b"),
            "began_at": base.NOW,
        }
        return model.Run(**(values | given))

    def save(self, run: model.Run) -> None:
        with self.database.write() as conn:
            lifecycle.save(conn, run)

    def found(self) -> model.Run | None:
        with self.database.read() as conn:
            return lifecycle.find(conn, self.operation.id)

    def read_operation(self) -> operation.Operation:
        with self.database.read() as conn:
            return operations.get(conn, self.operation.id)


class LostPluginsTest(LifecycleTestCase):
    """A worker without plug-ins ends what one with plug-ins has begun."""

    def setUp(self) -> None:
        super().setUp()
        # A worker that is not the first one.
        self.loader = hook_loading.HookLoader(
            self.database,
            situation.HookSettings(
                lifecycle_order.NO_PLUGINS, mock.Mock(), mock.Mock(), 1.0
            ),
        )
        self.load(base.make_operation(stack_id=self.stack.id, fence=1))

    def load(
        self, found: operation.Operation, *, is_ending: bool = False
    ) -> typing.Any:
        """Return the store of an operation once its calls are loaded."""
        kept = mock.Mock(
            operation=found, stack=self.stack, stop_reason=None, book=None
        )
        self.loader.load(
            found,
            mock.Mock(stack=self.stack),
            kept,
            is_ending=is_ending,
        )
        return kept

    def save_closed(self, attempt: int, verb: str = "create") -> model.Run:
        """Store a run whose post-ops were called, as its worker dies."""
        run = self.run_of(attempt=attempt, verb=verb, stage=model.Stage.CLOSED)
        with self.database.write() as conn:
            lifecycle.save(conn, run, b"before")
        return run

    def assert_dropped(self, kept: typing.Any, *runs: model.Run) -> None:
        """Fail unless the end of an operation drops the stacks before it."""
        with self.database.write() as conn:
            kept.book.take()(conn, None, None)
            for run in runs:
                self.assertEqual(b"before", lifecycle.find_before(conn, run))
            kept.book.take()(conn, None, mock.MagicMock())
            for run in runs:
                self.assertIsNone(lifecycle.find_before(conn, run))

    def test_a_worker_that_takes_over_drops_the_stacks_before(self) -> None:
        run = self.save_closed(1)
        found = dataclasses.replace(self.operation, fence=2)

        self.assert_dropped(self.load(found), run)

    def test_those_of_earlier_attempts_and_moves_are_dropped(self) -> None:
        runs = [self.save_closed(1), self.save_closed(2, "move")]
        found = dataclasses.replace(self.operation, fence=3, attempt=2)

        self.assert_dropped(self.load(found), *runs)

    def test_a_worker_whose_settings_changed_meanwhile_drops_them(
        self,
    ) -> None:
        run = self.save_closed(1)
        found = dataclasses.replace(self.operation, fence=1)

        self.assert_dropped(self.load(found, is_ending=True), run)

    def test_an_operation_without_calls_has_no_journal(self) -> None:
        found = dataclasses.replace(self.operation, fence=2)

        self.assertIsNone(self.load(found).book)


class RunTest(LifecycleTestCase):
    def test_what_is_saved_is_found(self) -> None:
        call = model.Call(
            plugin="a",
            phase=model.PRE,
            ruling="warn",
            text="späť \U0001f600",
            began_at=base.NOW,
            seconds=0.25,
        )
        run = self.run_of(ahead=2, passed=1, calls=(call,))
        self.save(self.run_of())

        self.save(run)

        # Another worker may have called what was ahead.
        self.assertEqual(dataclasses.replace(run, maybe=2), self.found())

    def test_the_newest_attempt_is_found_and_others_by_number(self) -> None:
        first, second = self.run_of(), self.run_of(attempt=2)
        self.save(second)
        self.save(first)
        self.save(self.run_of(attempt=3, verb="cancel"))

        self.assertEqual(second, self.found())
        with self.database.read() as conn:
            found = lifecycle.find(conn, self.operation.id, 1)
        self.assertEqual(first, found)

    def test_the_stacks_before_are_stored_until_it_ends(self) -> None:
        run = self.run_of(stage=model.Stage.IN_PROGRESS, has_before=True)
        before = bytes(range(256))
        with self.database.write() as conn:
            lifecycle.save(conn, run, before)
        self.save(dataclasses.replace(run, stage=model.Stage.CLOSING))
        during = self.found()
        with self.database.read() as conn:
            kept = lifecycle.find_before(conn, run)

        # The post-ops of a cancellation come after it is closed.
        self.save(dataclasses.replace(run, stage=model.Stage.CLOSED))
        closed = self.found()
        with self.database.write() as conn:
            lifecycle.drop_before(conn, run.operation_id)

        self.assertTrue(during.has_before)
        self.assertTrue(closed.has_before)
        self.assertEqual(before, kept)
        self.assertFalse(self.found().has_before)
        with self.database.read() as conn:
            self.assertIsNone(lifecycle.find_before(conn, run))

    def test_progress_leaves_an_answer_as_it_is(self) -> None:
        self.hold()
        self.assertTrue(self.answer(model.APPROVED))

        self.save(self.run_of(passed=1))

        found = self.found()
        self.assertEqual(1, found.passed)
        self.assertEqual(model.APPROVED, found.hold.answer)

    def test_of_two_answers_the_first_counts(self) -> None:
        self.hold(left_s=60.0)

        answers = [self.answer(model.REJECTED), self.answer(model.APPROVED)]

        self.assertEqual([True, False], answers)
        found = self.found().hold
        self.assertEqual(
            (model.REJECTED, "ann", "no"),
            (found.answer, found.answered_by, found.answer_text),
        )
        asked = self.read_operation()
        self.assertEqual(WAITING, asked.state)
        self.assertAlmostEqual(
            60.0, asked.deadline_at - found.answered_at, places=3
        )

    def test_nobody_answers_what_is_over(self) -> None:
        self.hold(deadline_at=base.NOW)

        self.assertFalse(self.answer(model.APPROVED))

        self.assertIsNone(self.found().hold.answer)
        self.assertEqual(BLOCKED, self.read_operation().state)

    def test_nobody_answers_what_is_not_held(self) -> None:
        self.save(self.run_of())

        self.assertFalse(self.answer(model.APPROVED))

    def test_a_newer_request_lets_a_worker_tell_of_what_it_ends(self) -> None:
        self.hold()
        newer = base.make_operation(stack_id=self.stack.id)
        with self.database.write() as conn:
            operations.insert(conn, newer)
            operations.supersede(conn, self.stack.id, newer.id)

        asked = self.read_operation()

        self.assertEqual(
            (WAITING, newer.id, None),
            (asked.state, asked.superseded_by, asked.finished_at),
        )

    def test_once_all_were_told_it_ends_at_once(self) -> None:
        self.hold()
        self.save(self.run_of(stage=model.Stage.CLOSED))
        newer = base.make_operation(stack_id=self.stack.id)
        with self.database.write() as conn:
            operations.insert(conn, newer)
            operations.supersede(conn, self.stack.id, newer.id)

        self.assertEqual(
            states.OperationState.SUPERSEDED, self.read_operation().state
        )

    def test_what_is_stored_for_post_ops_is_dropped_by_a_worker(
        self,
    ) -> None:
        self.hold()
        run = self.run_of(stage=model.Stage.CLOSED)
        newer = base.make_operation(stack_id=self.stack.id)
        with self.database.write() as conn:
            lifecycle.save(conn, run, b"before")
            operations.insert(conn, newer)
            operations.supersede(conn, self.stack.id, newer.id)

        self.assertEqual(WAITING, self.read_operation().state)

    def hold(self, **given: object) -> None:
        """Park the operation as one that is held."""
        run = self.run_of()
        values = {
            "plugin": "a",
            "text": "ask",
            "requested_at": base.NOW,
            "deadline_at": clock.Timestamp(FAR),
        }
        self.save(run)
        with self.database.write() as conn:
            (taken,) = leases.claim(conn, ids.WorkerId("w"), 60.0, 1)
            lifecycle.save_hold(conn, run, model.Hold(**(values | given)))
            leases.park(
                conn,
                taken.id,
                taken.fence,
                reason="held",
                pause_s=None,
                options={},
                stops_time=True,
            )

    def answer(self, answer: str) -> bool:
        with self.database.write() as conn:
            return lifecycle.answer_hold(
                conn, self.operation.id, answer, "ann", "no"
            )


class DecisionTest(LifecycleTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.second = base.make_operation(stack_id=self.stack.id)

    def decide(
        self,
        asked: operation.Operation,
        stack: stack.Stack | None = None,
        **values: object,
    ) -> None:
        with self.database.write() as conn:
            decisions.save(conn, stack or self.stack, asked, "p", values)

    def values(self) -> dict[str, object]:
        with self.database.read() as conn:
            found = decisions.list_(conn, self.stack.id)
        return {each.path: each.value for each in found}

    def prove(self) -> None:
        with self.database.write() as conn:
            decisions.prove(conn, self.stack.id)

    def undo(self, **given: object) -> None:
        with self.database.write() as conn:
            decisions.undo(conn, self.stack.id, **given)

    def test_what_an_attempt_decided_is_put_back(self) -> None:
        self.decide(self.operation, a=1)
        retried = dataclasses.replace(self.operation, attempt=2)
        self.decide(retried, a=2, b=2)
        self.decide(retried, a=3)

        with self.database.write() as conn:
            decisions.put_back(conn, retried)

        self.assertEqual({"a": 1}, self.values())

    def test_undoing_goes_behind_all_that_was_not_complete(self) -> None:
        self.decide(self.operation, a=1)
        self.prove()
        self.decide(self.second, a=2, b=2)
        self.decide(base.make_operation(stack_id=self.stack.id), a=3)

        self.undo()

        self.assertEqual({"a": 1}, self.values())

    def test_what_never_was_complete_is_not_piled_up(self) -> None:
        self.decide(self.operation, a=0)
        self.prove()
        for value in range(1, 30):
            asked = dataclasses.replace(self.second, attempt=value)
            self.decide(asked, a=value)

        with self.database.write() as conn:
            (found,) = decisions.list_(conn, self.stack.id)
            before = found.earlier
            decisions.put_back(conn, asked)

        self.assertEqual({"a": 28}, self.values())
        self.assertEqual(
            (28, 0, {}),
            (
                before["value"],
                before["earlier"]["value"],
                before["earlier"]["earlier"],
            ),
        )
        self.undo()
        self.assertEqual({"a": 0}, self.values())

    def test_undoing_leaves_what_the_undoing_itself_decided(self) -> None:
        self.decide(self.operation, a=1, b=1)
        self.decide(self.second, a=2)

        self.undo(besides=self.second.id)

        self.assertEqual({"a": 2}, self.values())

    def test_what_is_complete_is_not_gone_behind(self) -> None:
        self.decide(self.operation, a=1)
        self.decide(self.second, a=2)
        self.prove()

        self.undo()

        self.assertEqual({"a": 2}, self.values())

    def test_a_released_resource_takes_along_what_is_below(self) -> None:
        self.decide(self.operation, **{"a": 1, "a/b": 2, "ab": 3})

        with self.database.write() as conn:
            decisions.release(conn, self.stack, "", "a")

        self.assertEqual({"ab": 3}, self.values())

    def test_an_inner_stack_releases_what_it_has_brought(self) -> None:
        inner = base.make_stack(
            root_id=self.stack.id, parent_id=self.stack.id, depth=1
        )
        self.decide(self.operation, kid=1)
        self.decide(self.second, inner, **{"kid/a": 2})

        with self.database.write() as conn:
            decisions.release_all(conn, inner)
        self.assertEqual({"kid": 1}, self.values())

        with self.database.write() as conn:
            decisions.release_all(conn, self.stack)
        self.assertEqual({}, self.values())

    def test_what_moves_holds_in_its_new_place(self) -> None:
        other = base.make_stack()
        self.decide(self.operation, **{"a": 1, "a/b": 2, "c": 3})

        with self.database.write() as conn:
            known = decisions.list_(conn, self.stack.id)
            decisions.transfer(conn, known, "a", other, "k/a")

        self.assertEqual({"c": 3}, self.values())
        with self.database.read() as conn:
            found = decisions.list_(conn, other.id)
        self.assertEqual(
            {"k/a": 1, "k/a/b": 2}, {each.path: each.value for each in found}
        )

    def test_paths_may_be_long(self) -> None:
        path = "/".join(["n" * 255] * 5)

        self.decide(self.operation, **{path: 1, f"{path}x": 2})

        self.assertEqual({path: 1, f"{path}x": 2}, self.values())
        with self.database.read() as conn:
            count = conn.scalar(
                sa.select(sa.func.count()).select_from(
                    tables.LIFECYCLE_DECISIONS
                )
            )
        self.assertEqual(2, count)
