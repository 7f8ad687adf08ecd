"""Hook calls that have waited for a thread until their lease ended."""

import contextlib
import types
import typing

from orch import ids
from orch.context import outside
from orch.flow.runner import changes
from orch.flow.runner import hook_phases
from orch.flow.runner import messages
from orch.flow.state import fence
from orch.flow.state import hooks
from tests import base
from tests.unit.resources import contexts

LEFT_S = 10.0


class Sequence:
    """One call, until it has an answer."""

    rejection_reason = None

    def __init__(self) -> None:
        self.calls = 0
        self.project_id: str | None = None
        self.answers: list[object] = []

    def advance(self) -> bool:
        return False

    def next_call(self) -> hooks.HookCall | None:
        if self.answers:
            return None
        return hooks.HookCall(self.call, 60.0)

    def call(self) -> str:
        self.calls += 1
        self.project_id = outside.current().project_id
        return "well"

    def take(self, answer: object, error: BaseException | None) -> None:
        self.answers.append(answer or error)


class FakeRunner:
    """The runner, and the pool of its calls: each runs when it is let."""

    project_id = "p"

    def __init__(self, held: fence.Fence) -> None:
        self.fence = held
        self.posted: list[typing.Any] = []
        self.later: list[tuple[float, typing.Any]] = []
        self.waiting: list[typing.Any] = []
        self.left: list[bool] = []

    def post(self, message: object) -> None:
        self.posted.append(message)

    def post_at(self, due: float, message: object) -> None:
        self.later.append((due, message))

    def logged(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def leave(self, *, gives_back: bool) -> None:
        self.left.append(gives_back)

    def submit(self, call, done, *, project_id: str) -> object:
        self.waiting.append((call, done))
        return object()


class LeaseTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = contexts.FakeClock()
        self.fence = fence.Fence(
            ids.OperationId("o"), 1, self.clock.time + LEFT_S, self.clock
        )
        self.runner = FakeRunner(self.fence)
        self.sequence = Sequence()
        self.phases = hook_phases.HookPhases(
            self.runner, self.runner, self.clock
        )
        store = types.SimpleNamespace(
            check_held=self.fence.check, stop_reason=None
        )
        self.phases.open(
            types.SimpleNamespace(opening=self.sequence, store=store)
        )
        self.phases.walk()

    def give_thread(self) -> None:
        """Let the call run that waits, and take its answer."""
        call, done = self.runner.waiting.pop()
        try:
            done(call(), None)
        except fence.NotHeld as error:
            done(None, error)
        self.phases.take(self.runner.posted.pop())
        self.phases.walk()

    def test_a_lost_lease_ends_the_phase_without_a_call(self) -> None:
        self.fence.lose()

        self.give_thread()

        self.assertEqual((0, []), (self.sequence.calls, self.sequence.answers))
        self.assertEqual([False], self.runner.left)
        self.assertFalse(self.phases.is_on)

    def test_a_call_is_made_once_its_lease_is_renewed(self) -> None:
        self.clock.time += LEFT_S
        self.give_thread()
        self.assertEqual((0, []), (self.sequence.calls, self.runner.waiting))
        due, message = self.runner.later[-1]
        self.assertEqual(self.clock.time + changes.LEASE_RETRY_PAUSE_S, due)
        self.assertIsInstance(message, messages.HookRetry)

        self.fence.renew(self.clock.time + LEFT_S)
        self.phases.take(message)
        self.phases.walk()
        call, done = self.runner.waiting.pop()
        done(call(), None)
        self.phases.take(self.runner.posted.pop())

        self.assertEqual(["well"], self.sequence.answers)
        self.assertEqual(1, self.sequence.calls)

    def test_its_reads_count_for_the_project_of_the_operation(self) -> None:
        call, _ = self.runner.waiting.pop()

        call()

        self.assertEqual("p", self.sequence.project_id)
