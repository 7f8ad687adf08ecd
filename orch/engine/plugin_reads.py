"""Call plug-ins for a waiting caller, with a limit on the time.

Changes of physical resources run in ``orch.flow``; here are reads, and the
removal of stored states, which no operation depends on. A plug-in that hangs
occupies one of a limited number of threads, of which one project has half, and
no caller waits for it. The threads of callers are limited by
:mod:`orch.context.outside`.
"""

import collections.abc
import threading
import typing
from concurrent import futures

import orjson

from orch import clock
from orch import errors
from orch import project_slots
from orch.context import hidden_values
from orch.context import outside
from orch.model import marked
from orch.plugin import call_context
from orch.plugin import resource

Answer = typing.TypeVar("Answer")

_MAX_THREADS = 16
_LIMIT_S = 20.0
_KIND = "reads"


class ReadFailed(errors.Permanent):
    """A plug-in did not return the requested values."""

    code = "orch.resource.read_failed"


class TooLate(ReadFailed):
    """There was no answer in time, or no free thread."""


class PluginReads:
    """Thread pool for plug-in reads, with a time limit for each request."""

    def __init__(
        self,
        max_threads: int = _MAX_THREADS,
        limit_s: float = _LIMIT_S,
        clock_: clock.Clock | None = None,
    ) -> None:
        """Start no thread yet.

        :param max_threads: concurrent reads, those that hang included
        :param limit_s: seconds that all reads of one request may take; less
            than a caller waits for the answer
        """
        self._slots = project_slots.ProjectSlots(
            "reads of resources", max_threads, max(1, max_threads // 2)
        )
        self._limit_s = limit_s
        self._clock = clock_ or clock.SystemClock()
        self._lock = threading.Lock()
        # Calls that several callers share, by key.
        self._shared: dict[str, futures.Future[None]] = {}

    def begin(self) -> "ReadBudget":
        """Return what is left of the read budget of this thread's request."""
        left_s = outside.awaited().left_s(_KIND, self._limit_s)
        return ReadBudget(self, self._clock.monotonic() + left_s)

    def left_s(self, until: float) -> float:
        """Return the seconds until a moment, at least 0.

        :param until: by the monotonic clock
        """
        return max(0.0, until - self._clock.monotonic())

    def ask(
        self,
        function: collections.abc.Callable[[], Answer],
        until: float,
        project_id: str | None = None,
    ) -> Answer:
        """Call a function on a thread of its own and return its result.

        :param until: by the monotonic clock
        :param project_id: as of :meth:`start`
        :raises ReadFailed: no answer until then
        :raises orch.project_slots.SlotsTaken: too many requests wait
        :raises Exception: what the function raised
        """
        with outside.awaited().slot(_KIND):
            return self.result(self.start(function, until, project_id), until)

    def start(
        self,
        function: collections.abc.Callable[[], Answer],
        until: float,
        project_id: str | None = None,
    ) -> "futures.Future[Answer]":
        """Start a function on a thread of its own and return its future.

        It begins at once, or as soon as a thread is free.

        :param until: by the monotonic clock
        :param project_id: whose threads are counted; ``None`` for that of the
            request
        :raises ReadFailed: it has not begun until then
        """
        answer: futures.Future[Answer] = futures.Future()
        self._start(function, answer, until, project_id)
        return answer

    def ask_once(
        self,
        key: str,
        function: collections.abc.Callable[[], None],
        until: float,
    ) -> None:
        """Call a function once for all callers of the same key.

        :param key: while a call of the same key runs, this one waits for it
        :param until: by the monotonic clock
        :raises ReadFailed: it has not returned until then; it goes on, even if
            no caller waits any more
        :raises orch.project_slots.SlotsTaken: too many requests wait
        :raises Exception: what the function raised
        """
        with outside.awaited().slot(_KIND):
            self._ask_once(key, function, until)

    def _ask_once(
        self,
        key: str,
        function: collections.abc.Callable[[], None],
        until: float,
    ) -> None:
        with self._lock:
            answer = self._shared.get(key)
            is_first = answer is None
            if answer is None:
                answer = self._shared[key] = futures.Future()
        if is_first:
            answer.add_done_callback(lambda _: self._forget(key))
            try:
                self._start(function, answer, until)
            except BaseException as error:
                # All who wait for the answer get it, and the key is free.
                answer.set_exception(error)
        self.result(answer, until)

    def result(self, answer: "futures.Future[Answer]", until: float) -> Answer:
        """Return the result of a future as soon as it is set.

        :param until: by the monotonic clock
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
        project_id: str | None = None,
    ) -> None:
        left = self.left_s(until)
        if left <= 0:
            raise _too_late()
        project_id = project_id or outside.current().project_id
        try:
            self._slots.take(project_id, left)
        except project_slots.SlotsTaken as error:
            raise _too_late() from error

        hidden = hidden_values.current()

        def work() -> None:
            try:
                with (
                    outside.limited(outside.OutsideCalls(project_id)),
                    hidden_values.joined(hidden),
                ):
                    value = function()
            except BaseException as error:
                answer.set_exception(error)
            else:
                answer.set_result(value)
            finally:
                self._slots.release(project_id)

        try:
            threading.Thread(
                target=work, name="orch-read", daemon=True
            ).start()
        except BaseException as error:
            self._slots.release(project_id)
            if isinstance(error, RuntimeError):  # the system has no thread
                raise _too_late() from error
            raise

    def _forget(self, key: str) -> None:
        with self._lock:
            self._shared.pop(key, None)


class ReadBudget:
    """The time that one request may still spend on reads."""

    def __init__(self, reads: PluginReads, until: float) -> None:
        """Allow reads until a moment of the monotonic clock."""
        self._reads = reads
        self._until = until

    @property
    def left_s(self) -> float:
        """Return the seconds that are left."""
        return self._reads.left_s(self._until)

    def read(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> marked.Marked:
        """Return the values of those attributes that the plug-in knows.

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
            raise _read_failed(plugin.type_name, error) from error
        return found

    def ask(
        self,
        plugin: resource.Resource,
        function: collections.abc.Callable[[], Answer],
    ) -> Answer:
        """Return the answer of a plug-in, within the time left.

        :raises ReadFailed: no answer in time, or an error that is no OrchError
        :raises orch.errors.OrchError: as the plug-in raises it
        """
        try:
            return self.run(function)
        except errors.OrchError:
            raise
        except Exception as error:
            raise _read_failed(plugin.type_name, error) from error

    def run(self, function: collections.abc.Callable[[], Answer]) -> Answer:
        """Call a function and return its result, within the time left.

        :raises ReadFailed: no answer in time
        :raises Exception: what the function raised
        """
        return self._reads.ask(function, self._until)

    def run_once(
        self, key: str, function: collections.abc.Callable[[], None]
    ) -> None:
        """Call a function once for all callers, within the time left.

        See :meth:`PluginReads.ask_once`.

        :raises ReadFailed: it has not returned in time, and goes on
        :raises Exception: what the function raised
        """
        self._reads.ask_once(key, function, self._until)


class StoredReads(PluginReads):
    """Plug-in reads without calls of services."""

    def begin(self) -> ReadBudget:
        """Return a read budget without any time for calls."""
        return _StoredOnly(self, 0.0)


class _StoredOnly(ReadBudget):
    """A read budget only for plug-ins that call no service."""

    def read(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> marked.Marked:
        """Return the values of attributes.

        :raises ReadFailed: they would have to be fetched
        """
        if plugin.is_effect_free(context.properties):
            return super().read(plugin, context, names)
        raise ReadFailed("the value is not stored")


def _read_failed(type_name: str, error: BaseException) -> ReadFailed:
    return ReadFailed(f"{type_name}: {type(error).__name__}: {error}")


def _too_late() -> TooLate:
    return TooLate("the resource gave no answer in time")
