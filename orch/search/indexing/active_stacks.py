"""Stacks with running operations, read again until they rest.

Notifications tell how an operation begins and ends. What happens to the
resources meanwhile is found by reading: at once where the source says that
a stack has another version now, which costs it little to tell, and from time
to time for what no version counts.
"""

import collections.abc
import dataclasses
import heapq
import threading
import typing

from orch import clock
from orch.search import document

IN_PROGRESS: typing.Final = "IN_PROGRESS"
_MAX_STACKS: typing.Final = 10_000
_VERSIONS_INTERVAL_S: typing.Final = 0.4
"""Between two questions for the versions of all stacks."""
_QUIET_S: typing.Final = 30.0
_QUIET_VERSIONS_INTERVAL_S: typing.Final = 0.8
"""Between two of them once nothing has changed for so long."""
_SHARE: typing.Final = 5.0
"""A reading, or a question, is followed by so many times its duration."""
_SHARE_OF_ALL: typing.Final = 2.0
"""So is a reading of several before another one of any."""
_GROWTH: typing.Final = 1.5
_MAX_PAUSE_S: typing.Final = 30.0


@dataclasses.dataclass(slots=True)
class _Entry:
    due_at: float
    pause_s: float
    state: int
    version: int
    rested_at: float


class ActiveStacks:
    """The time when to read each active stack; safe for threads."""

    def __init__(self, clock_: clock.Clock, interval_s: float) -> None:
        """Watch nothing yet.

        :param interval_s: between two readings of a stack whose version
            stays; more where reading takes long, and while nothing of it
            changes
        """
        self._clock = clock_
        self._interval_s = interval_s
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._ask_at = 0.0
        self._free_at = 0.0
        self._changed_at = 0.0

    def watch(
        self,
        changes: collections.abc.Iterable[document.StackDocuments],
        cost_s: float,
    ) -> None:
        """Take notice of what was read.

        :param cost_s: how long it took to read and keep one of them
        """
        now = self._clock.monotonic()
        rest_s = _SHARE * cost_s
        least_s = max(self._interval_s, rest_s)
        with self._lock:
            for each in changes:
                if not _is_changing(each):
                    self._entries.pop(each.stack_id, None)
                    continue
                state = _state_of(each)
                known = self._entries.get(each.stack_id)
                pause_s = least_s
                if known is not None and known.state == state:
                    max_pause_s = max(_MAX_PAUSE_S, least_s)
                    pause_s = min(known.pause_s * _GROWTH, max_pause_s)
                if known is None or known.version != each.version:
                    self._changed_at = now
                if known is not None or len(self._entries) < _MAX_STACKS:
                    self._entries[each.stack_id] = _Entry(
                        now + pause_s,
                        pause_s,
                        state,
                        each.version,
                        now + rest_s,
                    )

    def resume(self, stack_ids: collections.abc.Iterable[str]) -> None:
        """Watch stacks that were changing when they were read last."""
        now = self._clock.monotonic()
        with self._lock:
            for each in stack_ids:
                self._entries.setdefault(
                    each, _Entry(now, self._interval_s, 0, 0, now)
                )

    def ask(self) -> list[str]:
        """Return stacks whose versions are wanted now; none before it is time.

        The next time comes after the answer (:meth:`note_versions`), or a
        while after a question without one.
        """
        now = self._clock.monotonic()
        with self._lock:
            if now < self._ask_at or not self._entries:
                return []
            self._ask_at = now + _VERSIONS_INTERVAL_S
            return list(self._entries)

    def note_versions(
        self,
        versions: collections.abc.Mapping[str, int] | None,
        cost_s: float,
    ) -> None:
        """Let what has another version than was read be read again.

        :param versions: by id; ``None`` where the source cannot tell
        :param cost_s: how long the answer took
        """
        now = self._clock.monotonic()
        with self._lock:
            if versions is None:
                self._ask_at = now + _MAX_PAUSE_S
                return
            is_quiet = now > self._changed_at + _QUIET_S
            least_s = (
                _QUIET_VERSIONS_INTERVAL_S
                if is_quiet
                else _VERSIONS_INTERVAL_S
            )
            self._ask_at = now + max(least_s, _SHARE * cost_s)
            for stack_id, version in versions.items():
                each = self._entries.get(stack_id)
                if each is not None and each.version != version:
                    each.due_at = min(each.due_at, each.rested_at)

    def take(self, limit: int) -> list[str]:
        """Return stacks that are due, those that wait longest first.

        Each is due again after an interval.
        """
        now = self._clock.monotonic()
        with self._lock:
            if now < self._free_at:
                return []
            due = heapq.nsmallest(
                limit,
                (
                    (each.due_at, stack_id)
                    for stack_id, each in self._entries.items()
                    if each.due_at <= now
                ),
            )
            for _, stack_id in due:
                entry = self._entries[stack_id]
                entry.due_at = now + entry.pause_s
        return [stack_id for _, stack_id in due]

    def rest(self, took_s: float) -> None:
        """Let all readings be a part of the time, however many stacks change.

        :param took_s: how long a reading of what was taken took
        """
        with self._lock:
            self._free_at = self._clock.monotonic() + _SHARE_OF_ALL * took_s

    def forget(self, stack_ids: collections.abc.Iterable[str]) -> None:
        """Watch these no more."""
        with self._lock:
            for each in stack_ids:
                self._entries.pop(each, None)

    def due_in(self) -> float | None:
        """Return seconds until there is something to read, or to ask.

        :returns: ``None`` where nothing changes
        """
        with self._lock:
            if not self._entries:
                return None
            first = min(each.due_at for each in self._entries.values())
            next_at = min(max(first, self._free_at), self._ask_at)
        return max(next_at - self._clock.monotonic(), 0.0)


def _is_changing(read: document.StackDocuments) -> bool:
    return any(
        each.kind == document.STACK and each.status == IN_PROGRESS
        for each in read.documents
    )


def _state_of(read: document.StackDocuments) -> int:
    return hash(
        tuple(
            (each.id, each.action, each.status, each.physical_id)
            for each in read.documents
        )
    )
