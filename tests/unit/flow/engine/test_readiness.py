"""What a flow must not have, and who follows whom in it."""

from taskflow import exceptions
from taskflow import retry
from taskflow import task
from taskflow.patterns import graph_flow

from orch.flow.engine import breakpoints
from orch.flow.engine import readiness
from orch.flow.tasks import base as tasks
from tests import base


class Atom(tasks.ChangeTask):
    """A change that nobody runs; it is known by its name alone."""

    def __init__(self, name: str) -> None:
        task.Task.__init__(self, name)
        self.change = name

    def begin(self) -> tasks.Step:
        raise AssertionError("nothing runs here")

    pre_execute = poll = begin


class Gate:
    """Holds what the test names."""

    def __init__(self, before: str = "", behind: str = "") -> None:
        self.before, self.behind = before, behind

    def holds_before(self, change: object) -> bool:
        return change == self.before

    def holds_behind(self, change: object) -> bool:
        return change == self.behind


class OrderTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.first, self.second = Atom("a"), Atom("b")
        self.flow = graph_flow.Flow("test").add(self.first, self.second)

    def order(self, gate: breakpoints.Gate) -> readiness.Readiness:
        self.flow.link(self.first, self.second)
        stack = readiness.Readiness(gate)
        stack.learn(self.flow)
        stack.open()
        return stack

    def refuse(self, flow: graph_flow.Flow, text: str) -> None:
        error = self.assertRaises(
            exceptions.CompilationFailure,
            readiness.Readiness(breakpoints.Gate()).learn,
            flow,
        )
        self.assertIn(text, str(error))

    def test_retries_are_refused(self) -> None:
        again = graph_flow.Flow("test", retry=retry.Times(2))

        self.refuse(again, "no retry atoms")

    def test_what_is_no_change_is_refused(self) -> None:
        foreign = graph_flow.Flow("test")
        foreign.add(task.FunctorTask(print, name="foreign"))

        self.refuse(foreign, "no change of a plan")

    def test_deciders_are_refused(self) -> None:
        self.flow.link(self.first, self.second, decider=lambda history: True)

        self.refuse(self.flow, "no deciders")

    def test_an_atom_is_ready_once_all_before_it_are_complete(self) -> None:
        stack = self.order(breakpoints.Gate())
        ready = [stack.ready.popleft()]
        before = bool(stack.ready), stack.awaiting

        stack.pass_on(self.first)

        ready.append(stack.ready.popleft())
        self.assertEqual([self.first, self.second], ready)
        self.assertEqual((False, 1), before)
        self.assertIs(True, stack.is_exhausted)

    def test_what_is_held_behind_lets_nobody_follow_until_let_go(self) -> None:
        gate = Gate(behind="a")
        stack = self.order(gate)

        stack.pass_on(stack.ready.popleft())
        held = stack.is_holding, bool(stack.ready)
        stack.reconsider()
        still = stack.is_holding, bool(stack.ready)
        gate.behind = ""
        stack.reconsider()

        self.assertEqual(((True, False), (True, False)), (held, still))
        self.assertEqual(self.second, stack.ready.popleft())

    def test_what_is_held_before_is_ready_again_once_let_go(self) -> None:
        gate = Gate(before="a")
        stack = self.order(gate)
        first = stack.ready.popleft()

        is_held = stack.holds(first)
        waiting = stack.is_holding, bool(stack.ready)
        gate.before = ""
        stack.reconsider()

        self.assertEqual((True, (True, False)), (is_held, waiting))
        self.assertEqual(first, stack.ready.popleft())
        self.assertFalse(stack.holds(first))
