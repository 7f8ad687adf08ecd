"""Answers that are written together while many calls are under way."""

import typing

from orch.context import outside
from orch.flow.runner import messages
from orch.model import states
from orch.plugin import call_context
from tests import base
from tests.support import flows

COMPLETE = states.Status.COMPLETE


class Loop:
    """Keeps what is posted, until the test hands it over."""

    def __init__(self) -> None:
        self.posted: list[object] = []
        self.timed: list[object] = []

    def post(self, whom: object, message: object) -> None:
        self.posted.append(message)

    def post_at(self, due: float, whom: object, message: object) -> None:
        self.timed.append(message)


class Pool:
    """Keeps calls, until the test makes them."""

    slots = outside.make_slots(2)

    def __init__(self) -> None:
        self.calls: list[tuple[typing.Callable, typing.Callable]] = []

    def submit(
        self, function, done, name: str = "", project_id: str = ""
    ) -> None:
        self.calls.append((function, done))

    def answer(self) -> None:
        """Make the call that waits longest."""
        function, done = self.calls.pop(0)
        done(function(), None)


class BatchingTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.flows = self.useFixture(flows.Flows())
        real = self.flows.loop, self.flows.pool
        self.addCleanup(self.put_back, *real)
        self.loop, self.pool = Loop(), Pool()
        self.flows.loop, self.flows.pool = self.loop, self.pool

    def put_back(self, loop: object, pool: object) -> None:
        self.flows.loop, self.flows.pool = loop, pool

    def begin(self, count: int) -> flows.Run:
        """Begin to make some things; their calls wait in the pool."""
        parsed_template = flows.Template(
            **{f"r{number}": "" for number in range(count)}
        )
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), parsed_template
        )
        self.turn(run)
        self.assertEqual(count, len(self.pool.calls))
        return run

    def turn(self, run: flows.Run, *more: object) -> None:
        """Hand over what was posted, as one turn of a loop does."""
        posted, self.loop.posted = [*self.loop.posted, *more], []
        for message in posted:
            run.runner.receive(message)
        run.runner.tick()

    def complete(self) -> int:
        return sum(row.status is COMPLETE for row in self.flows.rows())

    def test_answers_wait_a_moment_for_others(self) -> None:
        run = self.begin(8)
        self.pool.answer()
        self.turn(run)
        self.pool.answer()
        self.turn(run)
        before = self.complete()

        self.assertEqual([messages.BatchDue()], self.loop.timed)
        self.turn(run, messages.BatchDue())

        self.assertEqual((0, 2), (before, self.complete()))

    def test_an_answer_is_written_at_once_where_few_are_to_come(self) -> None:
        run = self.begin(3)
        self.pool.answer()

        self.turn(run)

        self.assertEqual(1, self.complete())
        self.assertEqual([], self.loop.timed)

    def test_what_else_comes_in_lets_no_answer_wait(self) -> None:
        run = self.begin(8)
        self.pool.answer()

        self.turn(run, messages.NextTick())

        self.assertEqual(1, self.complete())

    def test_the_end_of_a_stack_in_the_stack_is_nothing_to_write(self) -> None:
        run = self.begin(3)
        row = self.flows.row("r0")
        before = self.flows.read_operation(run.claimed.id).lease_expires_at

        self.turn(run, messages.ChildEnded(row.id))

        after = self.flows.read_operation(run.claimed.id).lease_expires_at
        self.assertEqual(before, after)
        self.assertEqual([messages.PollEnded()], self.loop.timed)

    def test_that_a_thing_is_asked_again_is_nothing_to_write(self) -> None:
        self.flows.kind.script["is_created", "r0"] = [
            call_context.Pending(after_s=9)
        ]
        run = self.begin(1)
        self.pool.answer()
        self.turn(run)
        before = self.flows.read_operation(run.claimed.id).lease_expires_at
        (asked,) = self.loop.timed

        self.turn(run, asked)

        after = self.flows.read_operation(run.claimed.id).lease_expires_at
        self.assertEqual(before, after)
        self.pool.answer()
        self.turn(run)
        self.assertEqual(1, self.complete())
