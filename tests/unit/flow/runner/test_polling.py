"""When what waits for stacks in the stack is asked again."""

import typing

from orch import ids
from orch.flow.runner import messages
from orch.flow.runner import polling
from orch.plugin import call_context
from tests import base
from tests.unit.engine import fakes


class Change(typing.NamedTuple):
    resource_id: str


class Atom:
    def __init__(self, resource_id: str) -> None:
        self.change = Change(resource_id)


class Rows:
    def __init__(self) -> None:
        self.looked: list[str] = []

    def acting(self, change):
        self.looked.append(change.resource_id)
        return change


class AskingTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = fakes.Clock()
        self.clock.moment = 100.0
        self.posted: list[tuple[float, object]] = []
        self.rows = Rows()
        self.stack = polling.Polling(
            self.rows,
            typing.cast(typing.Any, None),
            self.clock,
            lambda due, message: self.posted.append((due, message)),
        )

    def wait(self, atom: Atom) -> bool:
        pending = call_context.Pending(after_s=2.0)
        return self.stack.wait(typing.cast(typing.Any, atom), pending)

    def end(self, *names: str) -> None:
        for name in names:
            self.stack.take_end(ids.ResourceId(name))

    def looks(self) -> list[float]:
        return [
            due
            for due, message in self.posted
            if isinstance(message, messages.PollEnded)
        ]

    def take_ended(self, is_free=lambda atom: True) -> list[object]:
        return list(self.stack.take_ended(is_free))

    def test_the_first_end_is_looked_at_at_once_and_others_soon(self) -> None:
        one, two, three = (Atom(name) for name in ("1", "2", "3"))
        for each in (one, two, three):
            self.wait(each)

        self.end("1")
        first = self.take_ended()
        self.clock.moment += 0.001
        self.end("2", "3")
        rest = self.take_ended()

        self.assertEqual(([one], [two, three]), (first, rest))
        self.assertEqual(2, len(self.looks()))
        self.assertLessEqual(self.looks()[0], 100.0)
        self.assertEqual(100.0 + polling.BATCH_DELAY_S, self.looks()[1])

    def test_what_does_not_wait_yet_is_asked_as_soon_as_it_does(self) -> None:
        late, busy = Atom("late"), Atom("busy")
        self.wait(busy)

        self.end("late", "busy")
        found = self.take_ended(is_free=lambda atom: atom is not busy)

        self.assertEqual([], found)
        self.assertTrue(self.wait(late))
        self.assertTrue(self.wait(busy))
        self.assertFalse(self.wait(busy))

    def test_an_end_costs_no_look_at_those_that_go_on(self) -> None:
        atoms = [Atom(str(number)) for number in range(100)]
        for each in atoms:
            self.wait(each)
        self.rows.looked.clear()

        self.end("7")

        self.assertEqual([atoms[7]], self.take_ended())
        self.assertLessEqual(len(self.rows.looked), 1)
