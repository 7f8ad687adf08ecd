"""Asks plug-ins while a caller waits for the answer: never for long.

What changes the world runs in ``orch.flow``; here is reading, and the removal
of stored states, which changes nothing that an operation looks at. A plug-in
that hangs keeps a thread of a bounded number, and nobody waits for it.
"""

import collections.abc
import threading
import typing
from concurrent import futures

import orjson

from orch import clock
from orch import errors
from orch.plugin import call_context
from orch.plugin import resource

Answer = typing.TypeVar("Answer")

_MAX_THREADS = 16
_LIMIT_S = 20.0


class ReadFailed(errors.Permanent):
    """A plug-in did not give the values it was asked for."""

    code = "orch.resource.read_failed"


class TooLate(ReadFailed):
    """There was no answer in time, or no thread to ask on."""


class PluginReads:
    """The threads that plug-ins are read on, and how long a request waits."""

    def __init__(
        self,
        max_threads: int = _MAX_THREADS,
        limit_s: float = _LIMIT_S,
        clock_: clock.Clock | None = None,
    ) -> None:
        """Start no thread yet.

        :param max_threads: reads under way at once, those that hang too
        :param limit_s: seconds that all reads of one request may take; less
            than what a caller waits for us
        """
        self._slots = threading.BoundedSemaphore(max_threads)
        self._limit_s = limit_s
        self._clock = clock_ or clock.SystemClock()
        self._lock = threading.Lock()
        # What is asked once however many wait for it, by its key.
        self._shared: dict[str, futures.Future[None]] = {}

    def begin(self) -> "ReadBudget":
        """Return the time that one request has, from now on."""
        return ReadBudget(self, self._clock.monotonic() + self._limit_s)

    def left_s(self, until: float) -> float:
        """Return how many seconds there are until then, 0 at least.

        :param until: by the clock that never jumps
        """
        return max(0.0, until - self._clock.monotonic())

    def ask(
        self,
        function: collections.abc.Callable[[], Answer],
        until: float,
    ) -> Answer:
        """Return what the function answers on a thread of its own.

        :param until: by the clock that never jumps
        :raises ReadFailed: no answer until then
        :raises Exception: what the function raised
        """
        return self.result(self.start(function, until), until)

    def start(
        self,
        function: collections.abc.Callable[[], Answer],
        until: float,
    ) -> "futures.Future[Answer]":
        """Return what will have the answer of the function.

        It begins at once, or as soon as a thread is free.

        :param until: by the clock that never jumps
        :raises ReadFailed: it has not begun until then
        """
        answer: futures.Future[Answer] = futures.Future()
        self._start(function, answer, until)
        return answer

    def ask_once(
        self,
        key: str,
        function: collections.abc.Callable[[], None],
        until: float,
    ) -> None:
        """Return once the function has, which goes on for nobody, too.

        :param key: while one of the same key goes on, that is waited for
        :param until: by the clock that never jumps
        :raises ReadFailed: it has not until then; it goes on
        :raises Exception: what the function raised
        """
        with self._lock:
            answer = self._shared.get(key)
            is_first = answer is None
            if answer is None:
                answer = self._shared[key] = futures.Future()
        if is_first:
            answer.add_done_callback(lambda _: self._forget(key))
            try:
                self._start(function, answer, until)
            except ReadFailed as error:
                answer.set_exception(error)
        self.result(answer, until)

    def result(self, answer: "futures.Future[Answer]", until: float) -> Answer:
        """Return the answer once it is there.

        :param until: by the clock that never jumps
        :raises ReadFailed: no answer until then
        :raises Exception: what the function raised
        """
        try:
            return answer.result(self.left_s(until))
        except futures.TimeoutError:
            if answer.done():
                raise
            raise _too_late() from None

    def _start(
        self,
        function: collections.abc.Callable[[], Answer],
        answer: "futures.Future[Answer]",
        until: float,
    ) -> None:
        left = self.left_s(until)
        if left <= 0 or not self._slots.acquire(timeout=left):
            raise _too_late()

        def work() -> None:
            try:
                value = function()
            except BaseException as error:
                answer.set_exception(error)
            else:
                answer.set_result(value)
            finally:
                self._slots.release()

        threading.Thread(target=work, name="orch-read", daemon=True).start()

    def _forget(self, key: str) -> None:
        with self._lock:
            self._shared.pop(key, None)


class ReadBudget:
    """What one request may still read."""

    def __init__(self, reads: PluginReads, until: float) -> None:
        """Let reads go on until that moment of the clock."""
        self._reads = reads
        self._until = until

    @property
    def left_s(self) -> float:
        """How many seconds are left of the time."""
        return self._reads.left_s(self._until)

    def read(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> dict[str, object]:
        """Return the values of these attributes that the plug-in knows.

        :raises ReadFailed: no answer in time, an error, or no JSON
        """
        try:
            if plugin.is_effect_free(context.properties):
                found = resource.read_attributes(plugin, context, names)
            else:
                found = self._reads.ask(
                    lambda: resource.read_attributes(plugin, context, names),
                    self._until,
                )
            orjson.dumps(found)
        except errors.OrchError:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            raise ReadFailed(
                f"{plugin.type_name}: {type(error).__name__}: {error}"
            ) from error
        return found

    def run(self, function: collections.abc.Callable[[], Answer]) -> Answer:
        """Return what the function answers in time.

        :raises ReadFailed: no answer in time
        :raises Exception: what the function raised
        """
        return self._reads.ask(function, self._until)

    def run_once(
        self, key: str, function: collections.abc.Callable[[], None]
    ) -> None:
        """Return once the function has; see :meth:`PluginReads.ask_once`.

        :raises ReadFailed: it has not in time, and goes on
        :raises Exception: what the function raised
        """
        self._reads.ask_once(key, function, self._until)


def _too_late() -> TooLate:
    return TooLate("the resource gave no answer in time")
