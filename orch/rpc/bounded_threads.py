"""Work that is waited for no longer than agreed, whatever it waits for.

What oslo.messaging does for one call has limits one by one, not as a whole:
for a lock, a connection or the reply queue it waits as long as the broker is
away. Nothing can interrupt it, so it runs on a thread that may be left
behind.
"""

import collections.abc
import queue
import threading
import typing

MAX_THREADS: typing.Final = 256
"""Threads, of which those left behind are some."""

_IDLE_S: typing.Final = 60.0

Result = typing.TypeVar("Result")

Wait = collections.abc.Callable[[threading.Event, float], bool]
"""Waits for an event, so many seconds at most; whether it was set."""


class FullError(Exception):
    """Too many abandoned calls still run; a new one is refused."""


class _Task(typing.Generic[Result]):
    """One piece of work and what became of it."""

    def __init__(self, work: collections.abc.Callable[[], Result]) -> None:
        self._work = work
        self._has_ended = threading.Event()
        self._results: list[Result] = []
        self._error: BaseException | None = None

    def do(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:
            self._error = error

    def end(self) -> None:
        self._has_ended.set()

    def result(self, limit_s: float, wait: Wait) -> Result:
        if not wait(self._has_ended, limit_s):
            raise TimeoutError
        if self._error is not None:
            raise self._error
        return self._results[0]


class Threads:
    """Threads that run calls for waiting callers, started on demand.

    One without work for a minute ends.
    """

    def __init__(self, name: str, limit: int = MAX_THREADS) -> None:
        """Start nothing yet.

        :param name: of each of them
        :param limit: work under way at once; more is refused
        """
        self._name = name
        self._limit = limit
        self._lock = threading.Lock()
        self._count = 0
        # Each idle thread waits at a queue of its own, the last to come
        # works first.
        self._idle: list[queue.SimpleQueue[_Task[typing.Any]]] = []

    def run(
        self,
        work: collections.abc.Callable[[], Result],
        limit_s: float,
        wait: Wait = threading.Event.wait,
    ) -> Result:
        """Return what the work returns, or raise what it raises.

        :param wait: waits for its end; what it raises is raised
        :raises TimeoutError: it goes on by itself, and its result is lost
        :raises FullError: it has not begun
        :raises RuntimeError: the system has no thread for it
        """
        task = _Task(work)
        with self._lock:
            waiting = self._idle.pop() if self._idle else None
            if waiting is None:
                if self._count >= self._limit:
                    raise FullError
                self._count += 1
        if waiting is None:
            # The task goes by the queue, as a thread keeps its arguments,
            # and so what its first task returned.
            waiting = queue.SimpleQueue()
            waiting.put(task)
            self._start(waiting)
        else:
            waiting.put(task)
        return task.result(limit_s, wait)

    def _start(self, waiting: queue.SimpleQueue[_Task[typing.Any]]) -> None:
        try:
            threading.Thread(
                target=self._serve,
                args=(waiting,),
                name=self._name,
                daemon=True,
            ).start()
        except RuntimeError:
            with self._lock:
                self._count -= 1
            raise

    def _serve(self, waiting: queue.SimpleQueue[_Task[typing.Any]]) -> None:
        while (task := self._next(waiting)) is not None:
            task.do()
            # Before anybody learns of the end, so that the next work of the
            # same caller finds this thread.
            with self._lock:
                self._idle.append(waiting)
            task.end()
            # What it returned may be large.
            del task

    def _next(
        self, waiting: queue.SimpleQueue[_Task[typing.Any]]
    ) -> _Task[typing.Any] | None:
        """Return the next work; ``None`` after a long time without any."""
        try:
            return waiting.get(timeout=_IDLE_S)
        except queue.Empty:
            pass
        with self._lock:
            if waiting in self._idle:
                self._idle.remove(waiting)
                self._count -= 1
                return None
        # A caller has just taken this thread, and puts work there.
        return waiting.get()
