"""Threads that run rounds until they are stopped.

A round does the work that is due and returns when to run again. Between two of
them the thread pauses: until then, until it is woken, or for longer and longer
while its rounds fail. Work that takes long is done in turns, which have
threads of their own.

Operations and plug-in calls have other threads: ``orch.flow.runner.loop`` and
``orch.flow.call_pool``.
"""

import collections.abc
import logging
import threading
import time
import typing

import cachetools

from orch import clock
from orch import errors
from orch.metrics import catalogue

LOG = logging.getLogger(__name__)

Key = typing.TypeVar("Key", bound=collections.abc.Hashable)

_MAX_FAILING: typing.Final = 1_000
"""Keys of turns whose failures are stored; others are logged again."""

Round = collections.abc.Callable[[], float | None]
"""Returns seconds after which it is called again; ``None`` for never."""


class Failures:
    """Failures in a row: the first one is logged, and their end."""

    def __init__(
        self,
        log: logging.Logger,
        trouble: str,
        relief: str,
        *,
        first_pause_s: float = 1.0,
        max_pause_s: float = 30.0,
    ) -> None:
        """Start without any failure.

        :param trouble: what is not done while it fails
        :param relief: what is done again once it does not
        :param first_pause_s: after the first one; each one after it doubles
            the pause
        """
        self._log = log
        self._trouble = trouble
        self._relief = relief
        self._first_pause_s = first_pause_s
        self._max_pause_s = max_pause_s
        self._lock = threading.Lock()
        self._count = 0

    def anew(self) -> "Failures":
        """Return a copy for other work, which has not failed yet."""
        return Failures(
            self._log,
            self._trouble,
            self._relief,
            first_pause_s=self._first_pause_s,
            max_pause_s=self._max_pause_s,
        )

    def note(self, error: Exception) -> float:
        """Count one more, and log it if it is the first.

        :returns: seconds after which to try again
        """
        with self._lock:
            before = self._count
            self._count += 1
        is_known = isinstance(error, errors.OrchError)
        if before:
            if not is_known:
                self._log.debug("%s, still", self._trouble, exc_info=error)
        elif is_known:
            self._log.warning("%s: %s", self._trouble, error)
        else:
            self._log.error(self._trouble, exc_info=error)
        return clock.growing_pause_s(
            before, self._first_pause_s, self._max_pause_s
        )

    def end(self) -> None:
        """End the failures after a success."""
        with self._lock:
            before, self._count = self._count, 0
        if before:
            self._log.info(self._relief)


class Turns(typing.Generic[Key]):
    """Concurrent work, each turn in a thread of its own.

    :meth:`Thread.make_turns` makes one. An error ends its turn only; the
    first in a row of each key is logged, and their end.
    """

    def __init__(
        self,
        name: str,
        failures: Failures,
        wake: collections.abc.Callable[[], None],
    ) -> None:
        """Start no turn yet."""
        self._name = name
        self._failures = failures
        self._wake = wake
        self._lock = threading.Lock()
        self._threads: dict[Key, threading.Thread] = {}
        # Of those whose last turn failed.
        self._failing: cachetools.FIFOCache[Key, Failures] = (
            cachetools.FIFOCache(_MAX_FAILING)
        )

    @property
    def keys(self) -> frozenset[Key]:
        """Return the keys that have a turn now."""
        with self._lock:
            return frozenset(self._threads)

    def begin(
        self, key: Key, work: collections.abc.Callable[[], bool]
    ) -> None:
        """Begin a turn.

        :param work: returns whether there may be more to do, so that the
            thread runs its round at once
        :raises ValueError: the key has a turn, which is still running
        :raises RuntimeError: the system has no thread for it
        """
        turn = threading.Thread(
            target=self._take, args=(key, work), name=self._name, daemon=True
        )
        with self._lock:
            if key in self._threads:
                raise ValueError(f"{self._name}: {key} has a turn already")
            self._threads[key] = turn
        try:
            turn.start()
        except RuntimeError:
            self._forget(key)
            raise

    def finish(self, grace_s: float) -> bool:
        """Wait for the turns that have begun.

        :returns: whether they ended in time
        """
        with self._lock:
            turns = list(self._threads.values())
        return _join(turns, grace_s)

    def _take(
        self, key: Key, work: collections.abc.Callable[[], bool]
    ) -> None:
        has_more = False
        try:
            has_more = work()
        except Exception as error:
            self._note(key, error)
        else:
            self._relieve(key)
        finally:
            self._forget(key)
        # Only now: a caller of keys must not get a turn that still runs.
        if has_more:
            self._wake()

    def _note(self, key: Key, error: Exception) -> None:
        catalogue.RUNS_FAILED.count(self._name)
        with self._lock:
            failures = self._failing.setdefault(key, self._failures.anew())
        failures.note(error)

    def _relieve(self, key: Key) -> None:
        with self._lock:
            failures = self._failing.pop(key, None)
        if failures is not None:
            failures.end()

    def _forget(self, key: Key) -> None:
        with self._lock:
            self._threads.pop(key, None)


class Thread:
    """Runs a round again and again, from :meth:`start` until :meth:`stop`.

    :ivar stopping: set once it is to end; a round that takes long checks it
    """

    def __init__(
        self,
        name: str,
        round_: Round,
        failures: Failures,
        *,
        batch_delay_s: float = 0.0,
        is_hasty: bool = False,
    ) -> None:
        """Do nothing yet.

        :param batch_delay_s: for how long it waits for more once it was woken
        :param is_hasty: whether being woken ends a pause after a failure too
        """
        self.stopping = threading.Event()
        self._name = name
        self._round = round_
        self._failures = failures
        self._batch_delay_s = batch_delay_s
        self._is_hasty = is_hasty
        self._after_s = 0.0
        self._has_failed = False
        self._woken = threading.Event()
        self._turns: list[collections.abc.Callable[[float], bool]] = []
        self._thread = threading.Thread(
            target=self._run, name=name, daemon=True
        )

    def make_turns(self, name: str, failures: Failures) -> Turns[Key]:
        """Return turns that wake this thread, and end before it has ended."""
        made: Turns[Key] = Turns(name, failures, self.wake)
        self._turns.append(made.finish)
        return made

    def start(self, after_s: float = 0.0) -> None:
        """Run the first round, after so many seconds."""
        self._after_s = after_s
        self._thread.start()

    def wake(self) -> None:
        """Run the next round now; from any thread."""
        self._woken.set()

    def stop_reason(self) -> None:
        """Start no further round; wait for nothing."""
        self.stopping.set()
        self._woken.set()

    def wait(self) -> None:
        """Return once it has ended, or at once if it was never started."""
        if self._thread.ident is not None:
            self._thread.join()

    def stop(self, grace_s: float = 5.0) -> bool:
        """End the thread and its turns; a second call changes nothing.

        :param grace_s: how long to wait for what is running
        :returns: whether all ended in time; the rest is logged
        """
        until = time.monotonic() + grace_s
        self.stop_reason()
        has_ended = _join([self._thread], grace_s)
        for finish in self._turns:
            has_ended &= finish(until - time.monotonic())
        if not has_ended:
            LOG.warning(
                "thread %s has not ended within %g s", self._name, grace_s
            )
        return has_ended

    def run_once(self) -> float | None:
        """Run one round on the calling thread.

        :returns: seconds until the next; ``None`` for never
        """
        try:
            pause_s = self._round()
        except Exception as error:
            self._has_failed = True
            catalogue.RUNS_FAILED.count(self._name)
            return self._failures.note(error)
        self._has_failed = False
        self._failures.end()
        return pause_s

    def _run(self) -> None:
        self.stopping.wait(self._after_s)
        while True:
            # Before the look at the end: that wakes this thread last.
            self._woken.clear()
            if self.stopping.is_set():
                return
            pause_s = self.run_once()
            if pause_s is None:
                return
            self._pause(pause_s)

    def _pause(self, pause_s: float) -> None:
        if self._has_failed and not self._is_hasty:
            self.stopping.wait(pause_s)
        elif pause_s and self._woken.wait(pause_s):
            self.stopping.wait(self._batch_delay_s)


def run_within(
    grace_s: float, name: str, work: collections.abc.Callable[[], None]
) -> bool:
    """Run work that may hang in a thread, and wait for it so long.

    :returns: whether it ended in time; if not, it goes on by itself
    """
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return _join([thread], grace_s)


def _join(threads: list[threading.Thread], grace_s: float) -> bool:
    """Whether threads ended in time; one never started has."""
    until = time.monotonic() + grace_s
    for each in threads:
        if each.ident is not None:
            each.join(max(0.0, until - time.monotonic()))
    return not any(each.is_alive() for each in threads)
