"""Tests of the turns that a loop gives to the operations of projects."""

import threading

from orch import clock
from orch.flow.runner import loop
from tests import base


class Member(loop.LoopMember):
    """An operation that records when it is served."""

    def __init__(
        self, project_id: str, served: list[str], gate: threading.Event
    ) -> None:
        self.project_id = project_id
        self._served = served
        self._gate = gate
        self.received: list[object] = []

    def receive(self, message: object) -> None:
        self._gate.wait(10)
        self.received.append(message)

    def tick(self) -> None:
        self._served.append(self.project_id)

    def crash(self, error: Exception) -> None:
        raise error


class LoopTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.served: list[str] = []
        self.gate = threading.Event()
        self.loop = loop.Loop("test", clock.SystemClock(), lambda: None)

    def member(self, project_id: str) -> Member:
        return Member(project_id, self.served, self.gate)

    def run_all(self) -> None:
        self.loop.start()
        self.gate.set()
        self.loop.stop(10)

    def test_many_operations_of_one_project_delay_no_other(self) -> None:
        for _ in range(900):
            self.loop.post(self.member("many"), "begin")
        small = [self.member("few") for _ in range(3)]
        for each in small:
            self.loop.post(each, "begin")

        self.run_all()

        self.assertEqual(903, len(self.served))
        last = max(n for n, each in enumerate(self.served) if each == "few")
        self.assertLess(last, 2 * len(small))

    def test_who_comes_while_many_wait_is_next(self) -> None:
        late = self.member("late")
        first = self.member("many")
        begun = threading.Event()

        def receive(message: object) -> None:
            begun.set()
            self.gate.wait(10)

        vars(first)["receive"] = receive
        self.loop.post(first, "begin")
        for _ in range(100):
            self.loop.post(self.member("many"), "begin")
        self.loop.start()
        begun.wait(10)
        self.loop.post(late, "begin")
        self.gate.set()
        self.loop.stop(10)

        self.assertLess(self.served.index("late"), 3)
        self.assertEqual(102, len(self.served))

    def test_the_messages_of_one_operation_come_together_in_order(
        self,
    ) -> None:
        one, other = self.member("a"), self.member("a")
        for number in range(5):
            self.loop.post(one, number)
            self.loop.post(other, number)

        self.run_all()

        self.assertEqual([*range(5)], one.received)
        self.assertEqual([*range(5)], other.received)
        self.assertEqual(2, len(self.served))
