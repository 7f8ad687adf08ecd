"""The threads that plug-in calls run on, and what happens when one hangs.

A thread cannot be stopped from outside. A call that takes longer than its
limit is given up: its answer is ignored, its thread ends when the call does,
and a fresh thread takes its place, so that others are served meanwhile.
"""

import collections.abc
import queue
import threading

from orch import clock
from orch import errors

Done = collections.abc.Callable[[object, BaseException | None], None]


class HungCall(errors.Permanent):
    """A plug-in gave no answer within the limit; what it did is unknown."""

    code = "orch.resource.hung_call"


class _Call:
    """One call: what to run, whom to tell, and since when it runs."""

    __slots__ = ("begun", "done", "function", "is_abandoned")

    def __init__(
        self, function: collections.abc.Callable[[], object], done: Done
    ) -> None:
        self.function = function
        self.done = done
        self.begun: float | None = None
        self.is_abandoned = False


class CallPool:
    """A bounded number of threads that make calls and report the answers."""

    def __init__(
        self, threads: int, limit_s: float, clock_: clock.Clock
    ) -> None:
        """Start no thread yet; they come with the calls.

        :param threads: calls under way at once
        :param limit_s: seconds after which a call counts as hung
        """
        self._size = threads
        self._limit_s = limit_s
        self._clock = clock_
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: dict[int, _Call] = {}
        self._threads = 0
        self._idle = 0

    def submit(
        self, function: collections.abc.Callable[[], object], done: Done
    ) -> None:
        """Run the function on a thread of the pool, then tell its end.

        :param done: called once, with the answer or with what was raised
        """
        self._calls.put(_Call(function, done))
        with self._lock:
            if self._idle <= self._calls.qsize() and (
                self._threads < self._size
            ):
                self._start_thread()

    def give_up_hung(self) -> None:
        """End, for whoever waits, every call that passed the limit."""
        limit = self._clock.monotonic() - self._limit_s
        with self._lock:
            hung = {
                thread: call
                for thread, call in self._running.items()
                if call.begun is not None and call.begun < limit
            }
            for thread, call in hung.items():
                call.is_abandoned = True
                del self._running[thread]
                self._threads -= 1
                self._start_thread()
        for call in hung.values():
            call.done(
                None,
                HungCall(
                    "the plug-in gave no answer within"
                    f" {self._limit_s:g} seconds"
                ),
            )

    def stop(self) -> None:
        """Let the threads end after the calls that are under way."""
        with self._lock:
            for _ in range(self._threads):
                self._calls.put(None)

    def _start_thread(self) -> None:
        self._threads += 1
        threading.Thread(
            target=self._work, name="orch-call", daemon=True
        ).start()

    def _work(self) -> None:
        me = threading.get_ident()
        while True:
            with self._lock:
                self._idle += 1
            call = self._calls.get()
            with self._lock:
                self._idle -= 1
                if call is None:
                    self._threads -= 1
                    return
                call.begun = self._clock.monotonic()
                self._running[me] = call
            answer: object = None
            error: BaseException | None = None
            try:
                answer = call.function()
            except BaseException as raised:
                error = raised
            with self._lock:
                if call.is_abandoned:
                    return
                del self._running[me]
            call.done(answer, error)
