"""The marks that this process handles, the oldest first.

The index keeps them all; what is here is lost with the process, and found
again in the index by whichever process looks next.
"""

import collections.abc
import dataclasses
import math
import threading
import typing

from orch import clock
from orch.metrics import catalogue
from orch.search.index import port

_MAX_MARKS: typing.Final = 20_000
_FIRST_PAUSE_S: typing.Final = 0.2
_MAX_PAUSE_S: typing.Final = 60.0


@dataclasses.dataclass(slots=True)
class _Entry:
    mark: port.Mark
    since: float
    due_at: float = 0.0
    times: int = 0
    # When to read again what has changed since it was taken.
    next_at: float = math.inf


class MarkQueue:
    """Marks, and when to read their stacks; safe for threads."""

    def __init__(self, clock_: clock.Clock) -> None:
        """Hold nothing yet."""
        self._clock = clock_
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        # Stacks that were read a moment ago, and until when they rest.
        self._resting: dict[str, float] = {}

    def add(
        self,
        marks: collections.abc.Iterable[port.Mark],
        pause_s: float = 0.0,
    ) -> None:
        """Add marks, that with the greatest version of each stack.

        One that was taken is then seen to again: what is read of its stack
        may be of a moment before. Of very many some are left in the index,
        for when there is room.

        :param pause_s: how long their stacks may wait
        """
        now = self._clock.monotonic()
        with self._lock:
            for each in marks:
                known = self._entries.get(each.stack_id)
                due_at = max(
                    now + pause_s, self._resting.get(each.stack_id, 0.0)
                )
                if known is None:
                    if len(self._entries) < _MAX_MARKS:
                        self._entries[each.stack_id] = _Entry(
                            each, now + pause_s, due_at
                        )
                    continue
                known.next_at = min(known.next_at, due_at)
                if known.times and known.mark.version < each.version:
                    known.times = 0
                    known.due_at = due_at
                elif not known.times:
                    known.due_at = min(known.due_at, due_at)
                    known.since = min(known.since, now + pause_s)
                known.mark = port.newer_mark(known.mark, each)

    def has(self, stack_id: str) -> bool:
        """Whether a stack is in the queue."""
        with self._lock:
            return stack_id in self._entries

    def take(self, limit: int) -> list[port.Mark]:
        """Return marks that are due; they remain until :meth:`settle`."""
        now = self._clock.monotonic()
        found = []
        with self._lock:
            for each in self._entries.values():
                if each.due_at <= now:
                    each.next_at = math.inf
                    found.append(each.mark)
                    if len(found) == limit:
                        break
        return found

    def settle(
        self, marks: collections.abc.Iterable[port.Mark], rest_s: float = 0.0
    ) -> None:
        """Remove marks, unless a newer one of the stack exists.

        :param rest_s: how long their stacks are not read again
        """
        now = self._clock.monotonic()
        with self._lock:
            self._resting = {
                stack_id: until
                for stack_id, until in self._resting.items()
                if until > now
            }
            for each in marks:
                self._resting[each.stack_id] = now + rest_s
                known = self._entries.get(each.stack_id)
                if known is None:
                    continue
                if known.mark.nonce == each.nonce:
                    del self._entries[each.stack_id]
                    catalogue.SEARCH_LAG_S.observe(max(now - known.since, 0.0))
                else:
                    known.since = known.next_at
                    known.due_at = max(known.next_at, now + rest_s)

    def behind_s(self) -> float:
        """Return for how many seconds the oldest change has been waiting."""
        now = self._clock.monotonic()
        with self._lock:
            oldest = min(
                (each.since for each in self._entries.values()), default=now
            )
        return max(now - oldest, 0.0)

    def count(self) -> int:
        """Count the marks."""
        with self._lock:
            return len(self._entries)

    def postpone(self, mark: port.Mark) -> int:
        """Delay a mark, each time for longer.

        :returns: how often it was postponed
        """
        with self._lock:
            known = self._entries.get(mark.stack_id)
            if known is None or known.mark != mark:
                return 0
            pause_s = clock.growing_pause_s(
                known.times, _FIRST_PAUSE_S, _MAX_PAUSE_S
            )
            known.due_at = self._clock.monotonic() + pause_s
            known.times += 1
            return known.times

    def due_in(self) -> float | None:
        """Return seconds until the next one is due; ``None`` without any."""
        with self._lock:
            first = min(
                (each.due_at for each in self._entries.values()), default=None
            )
        if first is None:
            return None
        return max(first - self._clock.monotonic(), 0.0)
