"""Who runs what on a worker, and who hears of an end."""

import types
import typing

from orch import clock
from orch import ids
from orch.engine.conductor import running as conductor_running
from orch.flow.runner import messages
from orch.flow.state import fence
from orch.model import operation as operation_model
from tests import base

OUTER = ids.StackId("outer")
INNER = ids.StackId("inner")


class Runner:
    """Keeps what it is told."""

    depth = 0

    def __init__(self, operation_id: str, number: int = 1) -> None:
        clock_ = clock.SystemClock()
        self.fence = fence.Fence(
            ids.OperationId(operation_id),
            number,
            clock_.monotonic() + 60.0,
            clock_,
        )
        self.notified: list[object] = []

    def post(self, message: object) -> None:
        self.notified.append(message)


def operation(one: Runner, stack_id: ids.StackId) -> operation_model.Operation:
    return typing.cast(
        operation_model.Operation,
        types.SimpleNamespace(id=one.fence.operation_id, stack_id=stack_id),
    )


class RunnersTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.ends: list[tuple[str, str]] = []
        self.releases: list[str] = []
        self.stack = conductor_running.RunningOperations(
            lambda outer, inner: self.ends.append((outer, inner)),
            lambda: self.releases.append("ended"),
        )

    def add(self, one: Runner, stack_id: ids.StackId = OUTER) -> bool:
        claimed = operation(one, stack_id)
        is_taken = self.stack.add(typing.cast(typing.Any, one))
        if is_taken:
            self.stack.own_stack(one.fence, claimed)
        return is_taken

    def note(
        self,
        one: Runner,
        *,
        parent_id: ids.StackId | None = None,
        cut_short: tuple[ids.StackId, ...] = (),
        stop_reason: operation_model.StopReason | None = None,
        **options: object,
    ) -> None:
        """Note the end of an operation of the inner stack."""
        kept = types.SimpleNamespace(
            fence=one.fence,
            operation=types.SimpleNamespace(options=options),
            stack=types.SimpleNamespace(id=INNER, parent_id=parent_id),
        )
        ended = types.SimpleNamespace(
            cut_short=cut_short, accepted_operations=(), continued=None
        )
        self.stack.note(
            typing.cast(typing.Any, kept),
            typing.cast(typing.Any, ended),
            stop_reason,
        )

    def test_the_stack_around_is_told_of_an_end_here(self) -> None:
        outer, inner = Runner("o"), Runner("i")
        self.add(outer)
        self.add(inner, INNER)
        self.note(inner, parent_id=OUTER)

        self.stack.remove(inner.fence)

        self.assertEqual(
            [messages.Begin(), messages.ChildEnded(ids.ResourceId(INNER))],
            outer.notified,
        )
        self.assertEqual([], self.ends)

    def test_others_are_told_where_the_stack_around_does_not_run(
        self,
    ) -> None:
        inner = Runner("i")
        self.add(inner, INNER)
        self.note(inner, parent_id=OUTER)

        self.stack.remove(inner.fence)

        self.assertEqual([(OUTER, INNER)], self.ends)

    def test_what_ended_before_is_not_told_of_again(self) -> None:
        outer, inner = Runner("o"), Runner("i")
        self.add(outer)
        self.stack.remove(outer.fence)
        self.add(inner, INNER)
        self.note(inner, parent_id=OUTER)

        self.stack.remove(inner.fence)
        self.stack.remove(inner.fence)

        self.assertEqual([messages.Begin()], outer.notified)
        self.assertEqual([(OUTER, INNER)], self.ends)

    def test_stacks_that_end_with_an_operation_look_at_once(self) -> None:
        outer, inner = Runner("o"), Runner("i")
        self.add(outer)
        self.add(inner, INNER)
        self.note(outer, cut_short=(INNER, ids.StackId("elsewhere")))

        self.stack.remove(outer.fence)

        self.assertEqual(
            [messages.Begin(), messages.NextTick()], inner.notified
        )

    def test_an_end_that_decides_about_releases_is_noted_once(self) -> None:
        taking, other = Runner("a"), Runner("b")
        self.add(taking)
        self.add(other, INNER)
        self.note(taking, adopt_from={"root": ["a"]})
        self.note(other)
        self.assertEqual([], self.releases)

        self.stack.remove(other.fence)
        self.assertEqual([], self.releases)
        self.stack.remove(taking.fence)
        self.stack.remove(taking.fence)

        self.assertEqual(["ended"], self.releases)

    def test_only_an_end_that_is_waited_for_lets_others_begin(self) -> None:
        first, second = Runner("a"), Runner("b")
        self.add(first)
        self.add(second, INNER)
        self.note(first, stop_reason=operation_model.StopReason.SUPERSEDED)
        self.note(second)

        self.assertTrue(self.stack.remove(first.fence))
        self.assertFalse(self.stack.remove(second.fence))

    def test_what_was_taken_over_here_waits_for_the_calls_before(
        self,
    ) -> None:
        older, newer = Runner("o", 1), Runner("o", 2)
        self.add(older)

        self.add(newer)
        told_before = list(newer.notified)
        self.stack.remove(older.fence)

        self.assertTrue(older.fence.is_lost)
        self.assertEqual(
            [messages.Begin(), messages.LeaseLost()], older.notified
        )
        self.assertEqual([], told_before)
        self.assertEqual([messages.Begin()], newer.notified)

    def test_a_worker_that_stops_begins_nothing(self) -> None:
        running, late = Runner("a"), Runner("b")
        self.add(running)

        self.stack.stop(0.0)

        self.assertFalse(self.add(late, INNER))
        self.assertEqual([], late.notified)
        self.assertEqual([messages.Begin(), messages.Stop()], running.notified)
        self.assertEqual(1, len(self.stack))

    def test_inner_stacks_do_not_count_where_room_is_scarce(self) -> None:
        outer, inner = Runner("o"), Runner("i")
        inner.depth = 1
        self.add(outer)
        self.add(inner, INNER)

        self.assertEqual(1, self.stack.count_roots())
        self.assertEqual(2, len(self.stack))
