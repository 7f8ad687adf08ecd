"""The stacks that have to be read, and the position that they allow.

Positions of a source are stored once all changes before them are in the
index: a process that continues at a stored position misses nothing. A stack
that cannot be read, or not soon, is no reason to wait for it: it is retried,
and stored by name beside the position. Where the source needs what is before
the position to read it, the stack rests for ten seconds at most, and the
position waits for a minute at most while it cannot be read.
"""

import collections
import collections.abc
import dataclasses
import threading
import typing

from orch import clock
from orch.metrics import catalogue
from orch.search.sources import port

_MAX_STACKS: typing.Final = 10_000
_MAX_RETRIED: typing.Final = 1_000
"""The check of the index finds others."""
_CHANGING_PAUSE_S: typing.Final = 5.0
_MAX_HOLD_S: typing.Final = 10.0
"""A stack that waits for longer holds no position."""
_MAX_NEEDED_HOLD_S: typing.Final = 60.0
"""Nor does one that cannot be read, and whose change the source needs."""
_FIRST_PAUSE_S: typing.Final = 0.2
_MAX_PAUSE_S: typing.Final = 60.0
_MAX_LAGGING_READS: typing.Final = 6
"""After these the announced version is not waited for any more."""


@dataclasses.dataclass(slots=True)
class _Entry:
    since: float
    due_at: float
    version: int = 0
    times: int = 0
    is_needed: bool = False


class ChangeQueue:
    """Stacks, and when to read them; safe for threads.

    :ivar position: of the last changes that were added
    """

    def __init__(self, clock_: clock.Clock) -> None:
        """Hold nothing yet."""
        self._clock = clock_
        self._lock = threading.Lock()
        # Stacks that were read a moment ago, and until when they rest.
        self._resting: dict[str, float] = {}
        self.restart("", ())

    def restart(
        self, position: str, retried: collections.abc.Iterable[str]
    ) -> None:
        """Forget all, and continue at a stored position.

        :param retried: stacks that were retried then
        """
        now = self._clock.monotonic()
        with self._lock:
            self.position = position
            self._stored_position = position
            self._entries = {each: _Entry(now, now) for each in retried}
            self._retried = set(self._entries)
            # Stacks that hold a position, and the position, in order.
            self._held: collections.deque[tuple[set[str], str]] = (
                collections.deque()
            )

    def add(self, changes: port.Changes) -> None:
        """Add the changes between :attr:`position` and the next one."""
        with self._lock:
            held = {
                stack_id
                for pause_s, some in (
                    (0.0, changes.changed),
                    (_CHANGING_PAUSE_S, changes.changing),
                )
                for stack_id, version in some.items()
                if self._add(stack_id, version, pause_s, changes.is_needed)
            }
            self._held.append((held, changes.position))
            self.position = changes.position
            self._advance()

    def _add(
        self, stack_id: str, version: int, pause_s: float, is_needed: bool
    ) -> bool:
        """Add a stack; answer whether it holds the position."""
        now = self._clock.monotonic()
        since = now + pause_s
        due_at = max(since, self._resting.get(stack_id, 0.0))
        if is_needed:
            # Rest no longer than the position may be held.
            due_at = min(due_at, now + _MAX_HOLD_S)
        known = self._entries.get(stack_id)
        if known is None or known.times:
            if known is not None and known.is_needed:
                # It has been holding the position since then.
                since = known.since
            known = _Entry(since, due_at, version, is_needed=is_needed)
            self._entries[stack_id] = known
        else:
            known.since = min(known.since, since)
            known.due_at = min(known.due_at, due_at)
            known.version = max(known.version, version)
            known.is_needed |= is_needed
        if known.due_at > now + _MAX_HOLD_S:
            self._retried.add(stack_id)
            return False
        self._retried.discard(stack_id)
        return True

    def is_full(self) -> bool:
        """Whether more changes had better remain in the source for now."""
        return self.count() >= _MAX_STACKS

    def take(self, limit: int) -> dict[str, int]:
        """Return stacks that are due, with the version that each must have.

        They remain until :meth:`finish` or :meth:`retry`.
        """
        now = self._clock.monotonic()
        found: dict[str, int] = {}
        with self._lock:
            for stack_id, each in self._entries.items():
                if len(found) == limit:
                    break
                if each.due_at <= now:
                    found[stack_id] = each.version
        return found

    def finish(
        self, stack_ids: collections.abc.Iterable[str], rest_s: float = 0.0
    ) -> None:
        """Remove stacks that are in the index now.

        :param rest_s: how long they are not read again
        """
        now = self._clock.monotonic()
        with self._lock:
            self._resting = {
                stack_id: until
                for stack_id, until in self._resting.items()
                if until > now
            }
            for each in stack_ids:
                self._resting[each] = now + rest_s
                known = self._entries.pop(each, None)
                if known is not None:
                    catalogue.SEARCH_LAG_S.observe(max(now - known.since, 0.0))
                self._release(each)
                self._retried.discard(each)
            self._advance()

    def retry(self, stack_ids: collections.abc.Iterable[str]) -> None:
        """Read stacks again later, each time after a longer pause."""
        now = self._clock.monotonic()
        with self._lock:
            for each in stack_ids:
                known = self._entries.setdefault(each, _Entry(now, now))
                known.due_at = now + clock.growing_pause_s(
                    known.times, _FIRST_PAUSE_S, _MAX_PAUSE_S
                )
                known.times += 1
                if known.times > _MAX_LAGGING_READS:
                    known.version = 0
                if known.is_needed:
                    known.is_needed = now < known.since + _MAX_NEEDED_HOLD_S
                if not known.is_needed:
                    self._retried.add(each)
                    self._release(each)
            self._advance()

    def _release(self, stack_id: str) -> None:
        for held, _ in self._held:
            held.discard(stack_id)

    def _advance(self) -> None:
        while self._held and not self._held[0][0]:
            _, self._stored_position = self._held.popleft()

    def stored_position(self) -> tuple[str, list[str]]:
        """Return a position, and the stacks before it that are retried.

        All other changes before it are in the index.
        """
        with self._lock:
            return (
                self._stored_position,
                sorted(self._retried)[:_MAX_RETRIED],
            )

    def behind_s(self) -> float:
        """Return for how many seconds the oldest change has been waiting."""
        now = self._clock.monotonic()
        with self._lock:
            oldest = min(
                (each.since for each in self._entries.values()), default=now
            )
        return max(now - oldest, 0.0)

    def count(self) -> int:
        """Count the stacks."""
        with self._lock:
            return len(self._entries)

    def due_in(self) -> float | None:
        """Return seconds until the next one is due; ``None`` without any."""
        with self._lock:
            first = min(
                (each.due_at for each in self._entries.values()), default=None
            )
        if first is None:
            return None
        return max(first - self._clock.monotonic(), 0.0)
