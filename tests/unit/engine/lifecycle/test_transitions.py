"""The state machine of the calls around an operation, move by move."""

import dataclasses

from orch import clock
from orch import ids
from orch.engine.lifecycle import transitions
from orch.model import lifecycle as model
from tests import base

_NOW = clock.Timestamp(1.0)


def run(*chain: str, verb: str = "create", **more: object) -> model.Run:
    return model.Run(
        operation_id=ids.OperationId("o"),
        attempt=1,
        verb=verb,
        stack_id=ids.StackId("s"),
        project_id="p",
        chain=chain,
        began_at=_NOW,
        **more,  # type: ignore[arg-type]
    )


def call(plugin: str, phase: str = model.PRE, **more: object) -> model.Call:
    return model.Call(
        plugin=plugin,
        phase=phase,
        began_at=_NOW,
        **more,  # type: ignore[arg-type]
    )


def allowed(found: model.Run, count: int) -> model.Run:
    """Return a run in which so many more plug-ins have allowed."""
    for _ in range(count):
        name = transitions.next_name(found)
        assert name is not None
        found = transitions.allow(transitions.expect(found), call(name))
    return found


class PreOpTests(base.TestCase):
    """Which pre-op is next."""

    def test_each_is_next_once_in_order(self) -> None:
        found = run("a", "b")

        names = [
            transitions.next_name(allowed(found, count)) for count in range(3)
        ]

        self.assertEqual(["a", "b", None], names)

    def test_none_is_next_after_a_denial(self) -> None:
        found = transitions.refuse(run("a", "b"), call("a"))

        self.assertIsNone(transitions.next_name(found))
        self.assertFalse(transitions.has_begun(found))

    def test_none_is_next_while_a_hold_is_open(self) -> None:
        hold = model.Hold(
            plugin="a", text="", requested_at=_NOW, deadline_at=_NOW
        )
        held = transitions.hold(run("a", "b"), call("a"), hold)

        self.assertTrue(transitions.is_held(held))
        self.assertIsNone(transitions.next_name(held))
        self.assertEqual(held, transitions.answer(held, hold))
        for answer, name in (
            (model.APPROVED, "b"),
            (model.REJECTED, None),
            (model.EXPIRED, None),
        ):
            answered = transitions.answer(
                held, dataclasses.replace(hold, answer=answer)
            )
            again = transitions.answer(answered, answered.hold)

            self.assertEqual(name, transitions.next_name(answered))
            self.assertEqual(answered, again)
            self.assertEqual(name is None, answered.is_rejected)


class PostOpTests(base.TestCase):
    """Whose post-op is due."""

    def closed(self, found: model.Run, outcome: str = "complete") -> model.Run:
        return transitions.close(found, outcome, "")

    def test_they_come_in_reverse_and_once(self) -> None:
        found = self.closed(transitions.begin(allowed(run("a", "b"), 2)))

        names = []
        while (name := transitions.next_name(found)) is not None:
            names.append(name)
            posted = call(name, model.POST, outcome="complete")
            found = transitions.record(found, posted)

        self.assertEqual(["b", "a"], names)

    def test_all_are_due_again_once_the_outcome_has_changed(self) -> None:
        found = self.closed(transitions.begin(allowed(run("a"), 1)))
        found = transitions.record(
            found, call("a", model.POST, outcome="complete")
        )

        found = self.closed(found, "failed")

        self.assertEqual("a", transitions.next_name(found))
        self.assertEqual("complete", transitions.corrected_outcome(found))

    def test_who_denied_and_who_was_not_called_get_none(self) -> None:
        found = allowed(run("a", "b", "c"), 1)
        found = transitions.refuse(transitions.expect(found), call("b"))

        self.assertEqual(["a"], transitions.owed(self.closed(found)))

    def test_who_was_only_expected_by_this_worker_gets_none(self) -> None:
        found = transitions.expect(allowed(run("a", "b"), 1))

        self.assertEqual(["a"], transitions.owed(self.closed(found)))

    def test_whom_a_lost_worker_may_have_called_gets_one(self) -> None:
        found = run("a", "b", passed=1, ahead=2, maybe=2)

        self.assertTrue(found.may_repeat)
        self.assertEqual(["b", "a"], transitions.owed(self.closed(found)))


class StageTests(base.TestCase):
    """Which stage may follow which."""

    def test_a_run_that_is_over_is_not_begun_or_closed(self) -> None:
        over = transitions.end(transitions.close(run("a"), "failed", ""), None)

        for move in (
            transitions.begin,
            lambda each: transitions.end(each, None),
            lambda each: transitions.close(each, "failed", ""),
        ):
            self.assertRaises(ValueError, move, over)

    def test_a_run_ends_only_after_its_outcome_is_known(self) -> None:
        begun = transitions.begin(allowed(run("a"), 1))

        self.assertRaises(ValueError, transitions.end, begun, None)

    def test_the_pre_ops_of_a_cancellation_end_with_its_post_ops(self) -> None:
        found = transitions.end(allowed(run("a", verb="cancel"), 1), None)

        self.assertEqual("a", transitions.next_name(found))
        self.assertEqual("complete", found.outcome)

    def test_a_failure_changes_the_outcome_once(self) -> None:
        for outcome, verb, wanted in (
            ("complete", "create", "failed"),
            ("failed", "create", ""),
            ("complete", "move", ""),
        ):
            closed = transitions.close(run("a", verb=verb), outcome, "")

            found = transitions.end(closed, "It failed.")

            stage = model.Stage.CLOSING if wanted else model.Stage.CLOSED
            self.assertEqual(
                (stage, wanted or outcome), (found.stage, found.outcome)
            )
