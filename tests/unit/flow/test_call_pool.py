"""Calls on a bounded pool, hung ones included."""

import queue
import threading
import time

import testtools

from orch import clock
from orch.flow import call_pool


class FakeClock(clock.SystemClock):
    """A clock whose monotonic time the test sets."""

    def __init__(self) -> None:
        self.moment = 0.0

    def monotonic(self) -> float:
        return self.moment


class CallPoolTest(testtools.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = FakeClock()
        self.pool = call_pool.CallPool(2, 10.0, self.clock)
        self.addCleanup(self.pool.stop)
        self.answers: queue.SimpleQueue[
            tuple[object, BaseException | None]
        ] = queue.SimpleQueue()

    def submit(self, function) -> None:
        self.pool.submit(function, lambda *answer: self.answers.put(answer))

    def test_the_answer_reaches_whoever_waits(self) -> None:
        self.submit(lambda: 42)

        self.assertEqual((42, None), self.answers.get(timeout=5))

    def test_an_error_reaches_whoever_waits(self) -> None:
        error = SystemExit("plug-in wants to leave")

        def leave() -> None:
            raise error

        self.submit(leave)

        self.assertEqual((None, error), self.answers.get(timeout=5))

    def test_no_more_threads_than_allowed_make_calls(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        running: queue.SimpleQueue[int] = queue.SimpleQueue()

        def wait() -> None:
            running.put(threading.get_ident())
            gate.wait(5)

        for _ in range(5):
            self.submit(wait)
        first = {running.get(timeout=5), running.get(timeout=5)}
        gate.set()
        for _ in range(5):
            self.answers.get(timeout=5)

        rest = {running.get(timeout=5) for _ in range(3)}
        self.assertEqual(2, len(first))
        self.assertEqual(set(), rest - first)

    def test_threads_come_once_calls_have_waited(self) -> None:
        pool = call_pool.CallPool(4, 10.0, self.clock)
        self.addCleanup(pool.stop)
        gate = threading.Event()
        self.addCleanup(gate.set)
        begun: queue.SimpleQueue[int] = queue.SimpleQueue()

        def wait() -> None:
            begun.put(threading.get_ident())
            gate.wait(5)

        for _ in range(3):
            pool.submit(wait, lambda *answer: self.answers.put(answer))
        begun.get(timeout=5)
        begun.get(timeout=5)
        early = pool.grow()
        self.clock.moment = call_pool.GROW_DELAY_S
        pool.grow()

        begun.get(timeout=5)
        self.assertEqual(call_pool.GROW_DELAY_S, early)
        self.assertIsNone(pool.grow())

    def test_hung_calls_are_given_up_and_others_go_on(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        begun = [threading.Event(), threading.Event()]

        def hang(number: int) -> None:
            begun[number].set()
            gate.wait(30)

        self.submit(lambda: hang(0))
        self.submit(lambda: hang(1))
        for each in begun:
            self.assertTrue(each.wait(5))
        self.submit(lambda: "served")
        self.clock.moment = 11.0

        self.pool.abandon_hung()

        ends = [self.answers.get(timeout=5) for _ in range(3)]
        hung = [error for _, error in ends if error is not None]
        self.assertEqual(2, len(hung))
        for error in hung:
            self.assertIsInstance(error, call_pool.HungCall)
        self.assertIn(("served", None), ends)

    def test_a_late_answer_of_a_hung_call_is_ignored(self) -> None:
        gate = threading.Event()
        begun = threading.Event()
        ended = threading.Event()

        def hang() -> str:
            begun.set()
            gate.wait(30)
            ended.set()
            return "late"

        self.submit(hang)
        begun.wait(5)
        self.clock.moment = 11.0
        self.pool.abandon_hung()
        self.assertIsInstance(
            self.answers.get(timeout=5)[1], call_pool.HungCall
        )

        gate.set()
        ended.wait(5)
        self.submit(lambda: "next")

        self.assertEqual(("next", None), self.answers.get(timeout=5))

    def test_a_call_within_its_limit_is_left_alone(self) -> None:
        gate = threading.Event()
        begun = threading.Event()

        def wait() -> str:
            begun.set()
            gate.wait(30)
            return "in time"

        self.submit(wait)
        begun.wait(5)
        self.clock.moment = 9.0
        self.pool.abandon_hung()
        gate.set()

        self.assertEqual(("in time", None), self.answers.get(timeout=5))

    def hang(self, name: str) -> threading.Event:
        """Let a call of that name go on until the event."""
        gate, begun = threading.Event(), threading.Event()
        self.addCleanup(gate.set)

        def work() -> None:
            begun.set()
            gate.wait(30)

        self.pool.submit(work, lambda *answer: self.answers.put(answer), name)
        begun.wait(5)
        return gate

    def test_what_was_given_up_is_known_until_it_has_ended(self) -> None:
        gate = self.hang("a call")
        self.clock.moment = 11.0

        self.pool.abandon_hung()
        self.assertEqual({"a call"}, self.pool.lost)
        gate.set()

        limit = time.monotonic() + 5
        while self.pool.lost:
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.005)

    def test_nothing_is_given_up_that_cannot_be_noted(self) -> None:
        self.hang("a call")
        self.clock.moment = 11.0

        def refuse(names: object) -> None:
            raise ZeroDivisionError

        self.assertRaises(ZeroDivisionError, self.pool.abandon_hung, refuse)
        self.assertEqual(frozenset(), self.pool.lost)
        self.assertTrue(self.answers.empty())
        noted: list[object] = []
        self.pool.abandon_hung(noted.append)

        self.assertEqual([{"a call"}], noted)
        self.assertIsInstance(
            self.answers.get(timeout=5)[1], call_pool.HungCall
        )

    def hanging(self) -> tuple[call_pool.Ticket, threading.Event]:
        """Return a call that runs until the event."""
        gate, begun = threading.Event(), threading.Event()
        self.addCleanup(gate.set)

        def work() -> None:
            begun.set()
            gate.wait(30)

        ticket = self.pool.submit(
            work, lambda *answer: self.answers.put(answer)
        )
        begun.wait(5)
        return ticket, gate

    def test_one_that_is_given_up_leaves_its_thread_to_others(self) -> None:
        first, _ = self.hanging()
        _, gate = self.hanging()

        self.pool.give_up(first)
        self.submit(lambda: "next")

        self.assertEqual(("next", None), self.answers.get(timeout=5))
        gate.set()
        self.assertEqual((None, None), self.answers.get(timeout=5))
        self.assertTrue(self.answers.empty())

    def test_one_that_is_given_up_before_it_has_begun_is_never_made(
        self,
    ) -> None:
        _, gate = self.hanging()
        self.hanging()
        waiting = self.pool.submit(
            lambda: "never", lambda *answer: self.answers.put(answer)
        )
        self.assertIsNone(self.pool.began_at(waiting))

        self.pool.give_up(waiting)
        gate.set()
        self.submit(lambda: "next")

        self.assertEqual((None, None), self.answers.get(timeout=5))
        self.assertEqual(("next", None), self.answers.get(timeout=5))

    def test_it_is_known_since_when_a_call_runs(self) -> None:
        self.clock.moment = 3.0
        ticket, _ = self.hanging()

        self.clock.moment = 5.0

        self.assertEqual(3.0, self.pool.began_at(ticket))


class ProjectTest(testtools.TestCase):
    """Many calls of one project delay no call of another one."""

    def setUp(self) -> None:
        super().setUp()
        self.clock = FakeClock()
        self.gate = threading.Event()
        self.begun: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.pool = call_pool.CallPool(2, 10.0, self.clock, 1)
        self.addCleanup(self.pool.stop)
        self.addCleanup(self.gate.set)

    def submit(self, project_id: str) -> call_pool.Ticket:
        def call() -> None:
            self.begun.put(project_id)
            self.gate.wait(5)

        return self.pool.submit(
            call, lambda *answer: None, project_id=project_id
        )

    def test_one_project_leaves_a_thread_for_others(self) -> None:
        for _ in range(9):
            self.submit("many")
        self.assertEqual("many", self.begun.get(timeout=5))

        self.submit("few")

        self.assertEqual("few", self.begun.get(timeout=5))
        self.assertTrue(self.begun.empty())

    def test_projects_take_turns(self) -> None:
        self.pool = call_pool.CallPool(1, 10.0, self.clock)
        self.addCleanup(self.pool.stop)
        for _ in range(4):
            self.submit("many")
        self.assertEqual("many", self.begun.get(timeout=5))
        for _ in range(2):
            self.submit("few")
        self.gate.set()

        order = [self.begun.get(timeout=5) for _ in range(5)]

        self.assertEqual(["many", "few"] * 2 + ["many"], order)

    def test_a_call_that_is_given_up_leaves_its_place(self) -> None:
        first = self.submit("many")
        self.begun.get(timeout=5)
        self.submit("many")

        self.pool.give_up(first)

        self.assertEqual("many", self.begun.get(timeout=5))

    def test_calls_that_wait_are_made_before_the_end(self) -> None:
        for _ in range(9):
            self.submit("many")
        self.pool.stop()
        self.gate.set()

        for _ in range(9):
            self.begun.get(timeout=5)
