"""Tests of the threads that projects share."""

import collections.abc
import queue
import sys
import threading
import time
import typing

import fixtures

from orch.context import deadline
from orch.rpc import project_executor
from tests import base


class Incoming:
    """A call as the server takes it."""

    def __init__(self, project_id: str | None, **more: object) -> None:
        self.ctxt: dict[str, typing.Any] = {"project_id": project_id, **more}


def _wait_for_idle(
    threads: project_executor.ProjectExecutor, count: int
) -> None:
    limit = time.monotonic() + 5
    while threads._idle != count and time.monotonic() < limit:
        time.sleep(0.01)


class ProjectExecutorTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.gate = threading.Event()
        self.begun: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def executor(self, threads: int) -> project_executor.ProjectExecutor:
        made = project_executor.ProjectExecutor(max_workers=threads)
        self.addCleanup(made.shutdown)
        self.addCleanup(self.gate.set)
        return made

    def hold(self, incoming: list[Incoming]) -> None:
        self.begun.put(incoming[0].ctxt["project_id"])
        self.gate.wait(10)

    def begin(self, count: int) -> list[str | None]:
        return [self.begun.get(timeout=5) for _ in range(count)]

    def test_one_project_leaves_a_thread_for_others(self) -> None:
        threads = self.executor(3)
        for _ in range(40):
            threads.submit(self.hold, [Incoming("many")])
        self.assertEqual(["many"] * 2, self.begin(2))

        threads.submit(self.hold, [Incoming("few")])

        self.assertEqual(["few"], self.begin(1))
        self.assertTrue(self.begun.empty())

    def test_a_call_waits_behind_its_own_project_alone(self) -> None:
        threads = self.executor(1)
        for _ in range(40):
            threads.submit(self.hold, [Incoming("many")])
        self.assertEqual(["many"], self.begin(1))
        for _ in range(3):
            threads.submit(self.hold, [Incoming("few")])
        self.gate.set()

        self.assertEqual(["many", "few"] * 3, self.begin(6))

    def test_an_idle_thread_is_counted_for_one_call(self) -> None:
        threads = self.executor(3)
        self.gate.set()
        threads.submit(self.hold, [Incoming("a")])
        self.begin(1)
        self.gate.clear()
        # No other thread runs between the next two calls, unless one waits.
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(60)

        for project in ("b", "c"):
            threads.submit(self.hold, [Incoming(project)])

        self.assertEqual({"b", "c"}, set(self.begin(2)))

    def test_the_end_of_a_call_wakes_no_thread_for_nothing(self) -> None:
        threads = self.executor(3)
        looks: queue.SimpleQueue[None] = queue.SimpleQueue()
        look = threads._full_projects

        def count() -> collections.abc.Set[str]:
            looks.put(None)
            return look()

        self.patch(threads, "_full_projects", count)
        for project in ("a", "b", "c"):
            threads.submit(self.hold, [Incoming(project)])
        self.begin(3)
        self.gate.set()
        _wait_for_idle(threads, 3)
        before = looks.qsize()

        threads.submit(self.hold, [Incoming("a")])
        self.begin(1)
        _wait_for_idle(threads, 3)
        time.sleep(0.05)

        # One that takes it, and looks for another once it has ended.
        self.assertEqual(before + 2, looks.qsize())

    def test_a_single_thread_serves_all(self) -> None:
        threads = self.executor(1)
        self.gate.set()
        for project in ("a", "a", None):
            threads.submit(self.hold, [Incoming(project)])

        self.assertEqual({"a", None}, set(self.begin(3)))

    def test_all_that_waits_is_answered_before_the_end(self) -> None:
        threads = self.executor(3)
        for _ in range(10):
            threads.submit(self.hold, [Incoming("a")])
        self.gate.set()

        threads.shutdown()

        self.assertEqual(10, self.begun.qsize())

    def test_a_call_that_fails_costs_no_thread(self) -> None:
        threads = self.executor(1)
        self.gate.set()

        def fail(incoming: list[Incoming]) -> None:
            raise ValueError

        threads.submit(fail, [Incoming("a")])
        threads.submit(self.hold, [Incoming("a")])

        self.assertEqual(["a"], self.begin(1))

    def test_the_time_of_the_caller_runs_while_a_call_waits(self) -> None:
        threads = self.executor(1)
        left: queue.SimpleQueue[float | None] = queue.SimpleQueue()

        def look(incoming: list[Incoming]) -> None:
            left.put(deadline.left_s())

        threads.submit(look, [Incoming("a", time_limit_s=0.0)])
        threads.submit(look, [Incoming("a", time_limit_s=60.0)])
        threads.submit(look, [Incoming("a")])

        self.assertEqual(0.0, left.get(timeout=5))
        self.assertLess(50.0, left.get(timeout=5) or 0.0)
        self.assertIsNone(left.get(timeout=5))

    def no_thread(self) -> fixtures.MonkeyPatch:
        """Return what keeps threads from being started."""

        def fail(thread: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        return fixtures.MonkeyPatch("threading.Thread.start", fail)

    def test_a_call_waits_for_the_threads_that_could_be_started(self) -> None:
        threads = self.executor(3)
        self.gate.set()
        threads.submit(self.hold, [Incoming("a")])
        self.begin(1)
        self.gate.clear()
        threads.submit(self.hold, [Incoming("a")])
        self.begin(1)

        with self.no_thread():
            threads.submit(self.hold, [Incoming("b")])
        self.gate.set()

        self.assertEqual(["b"], self.begin(1))
        threads.shutdown()

    def test_a_call_without_any_thread_is_refused(self) -> None:
        threads = self.executor(3)
        self.gate.set()

        with self.no_thread():
            self.assertRaises(
                RuntimeError, threads.submit, self.hold, [Incoming("a")]
            )
        threads.submit(self.hold, [Incoming("b")])

        self.assertEqual(["b"], self.begin(1))
        threads.shutdown()
