"""Stacks with running operations, read again until they rest.

Notifications tell how an operation begins and ends. Where the source does not
tell what happens to the resources meanwhile, that is found by reading from
time to time.
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
_SHARE: typing.Final = 5.0
"""A reading is followed by so many times its duration."""
_SHARE_OF_ALL: typing.Final = 2.0
"""So is a reading of several before another one of any."""
_GROWTH: typing.Final = 1.5
_MAX_PAUSE_S: typing.Final = 30.0


@dataclasses.dataclass(slots=True)
class _Entry:
    due_at: float
    pause_s: float
    state: int


class ActiveStacks:
    """The time when to read each active stack; safe for threads."""

    def __init__(self, clock_: clock.Clock, interval_s: float) -> None:
        """Watch nothing yet.

        :param interval_s: between two readings of a stack; more where
            reading takes long, and while nothing of it changes
        """
        self._clock = clock_
        self._interval_s = interval_s
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._free_at = 0.0
        self._taken: set[str] = set()

    def watch(
        self,
        changes: collections.abc.Collection[document.StackDocuments],
        took_s: float,
    ) -> None:
        """Take notice of what was read.

        :param took_s: how long it took to read them
        """
        now = self._clock.monotonic()
        cost_s = took_s / max(len(changes), 1)
        least_s = max(self._interval_s, _SHARE * cost_s)
        with self._lock:
            if not self._taken.isdisjoint(each.stack_id for each in changes):
                # All readings are a part of the time, however many change.
                self._taken.clear()
                self._free_at = now + _SHARE_OF_ALL * took_s
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
                if known is not None or len(self._entries) < _MAX_STACKS:
                    self._entries[each.stack_id] = _Entry(
                        now + pause_s, pause_s, state
                    )

    def resume(self, stack_ids: collections.abc.Iterable[str]) -> None:
        """Watch stacks that were changing when they were read last."""
        now = self._clock.monotonic()
        with self._lock:
            for each in stack_ids:
                self._entries.setdefault(
                    each, _Entry(now, self._interval_s, 0)
                )

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
                self._taken.add(stack_id)
        return [stack_id for _, stack_id in due]

    def forget(self, stack_ids: collections.abc.Iterable[str]) -> None:
        """Watch these no more."""
        with self._lock:
            for each in stack_ids:
                self._entries.pop(each, None)


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
