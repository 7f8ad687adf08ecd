import threading
import typing
import weakref

import fixtures

from orch.rpc import bounded_threads
from tests import base
from tests.support import waiting

_LIMIT_S: typing.Final = 60.0


class Answer:
    """May be large."""


class ThreadsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.threads = bounded_threads.Threads("bounded-test", limit=3)
        self.may_end = threading.Event()
        self.addCleanup(self.may_end.set)

    def hang(self) -> bool:
        return self.may_end.wait(_LIMIT_S)

    def leave(self, count: int) -> None:
        """Leave work behind that goes on."""
        for _ in range(count):
            self.assertRaises(TimeoutError, self.threads.run, self.hang, 0.01)

    def test_it_brings_what_the_work_returns(self) -> None:
        self.assertEqual(3, self.threads.run(lambda: 1 + 2, _LIMIT_S))

    def test_it_raises_what_the_work_raises(self) -> None:
        def fail() -> None:
            raise KeyError("odd")

        self.assertRaises(KeyError, self.threads.run, fail, _LIMIT_S)
        self.assertEqual(1, self.threads.run(lambda: 1, _LIMIT_S))

    def test_what_hangs_is_left_behind_and_others_work(self) -> None:
        self.leave(2)

        self.assertEqual(1, self.threads.run(lambda: 1, _LIMIT_S))

    def test_when_all_hang_more_is_refused_until_one_ends(self) -> None:
        self.leave(3)

        begun: list[int] = []
        self.assertRaises(
            bounded_threads.FullError,
            self.threads.run,
            lambda: begun.append(1),
            _LIMIT_S,
        )
        self.assertEqual([], begun)

        def is_begun() -> bool:
            try:
                self.threads.run(lambda: begun.append(1), _LIMIT_S)
            except bounded_threads.FullError:
                return False
            return True

        self.may_end.set()
        waiting.wait_for(is_begun, "the end of one that hung", _LIMIT_S)
        self.assertEqual([1], begun)

    def test_a_result_is_kept_no_longer_than_by_its_caller(self) -> None:
        for _ in range(2):
            result = self.threads.run(Answer, _LIMIT_S)
            kept = weakref.ref(result)
            del result

            waiting.wait_for(
                lambda kept=kept: kept() is None,  # type: ignore[misc]
                "a thread that keeps nothing",
                _LIMIT_S,
            )

    def test_one_caller_has_one_thread(self) -> None:
        names = {
            self.threads.run(threading.get_ident, _LIMIT_S) for _ in range(50)
        }

        self.assertEqual(1, len(names))

    def test_callers_work_side_by_side(self) -> None:
        both = threading.Barrier(2, timeout=_LIMIT_S)
        done: list[int] = []

        def ask() -> None:
            done.append(self.threads.run(both.wait, _LIMIT_S))

        asking = [threading.Thread(target=ask) for _ in range(2)]
        for each in asking:
            each.start()
        for each in asking:
            each.join()

        self.assertEqual([0, 1], sorted(done))

    def test_a_thread_without_work_ends(self) -> None:
        self.useFixture(
            fixtures.MonkeyPatch("orch.rpc.bounded_threads._IDLE_S", 0.01)
        )
        thread = self.threads.run(threading.current_thread, _LIMIT_S)

        thread.join(_LIMIT_S)

        self.assertFalse(thread.is_alive())
        other = self.threads.run(threading.current_thread, _LIMIT_S)
        self.assertIsNot(thread, other)

    def test_without_a_thread_for_it_the_next_call_tries_again(self) -> None:
        def refuse(_: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        for _ in range(5):
            with fixtures.MonkeyPatch("threading.Thread.start", refuse):
                self.assertRaises(
                    RuntimeError, self.threads.run, lambda: 1, _LIMIT_S
                )

        self.assertEqual(1, self.threads.run(lambda: 1, _LIMIT_S))
