"""The right to maintain an index, which one process has at a time.

The process that started last takes it, once it can search the index: without
searches nothing can be maintained. It renews a text in the index; others
compare only whether that text changes, so their clocks need not agree. Two
processes may believe for a moment that they have it: all that they write is
refused by the index where it is older, so they only do the same work twice.
"""

import collections.abc
import contextlib
import threading
import typing

from orch import clock
from orch import errors
from orch.search.index import port

TTL_S: typing.Final = 15.0
"""After so long without a renewal another process takes the lease."""

_LEASE: typing.Final = "lease"
_RENEW_S: typing.Final = 4.0


class Lease:
    """The lease of this process; safe for threads."""

    def __init__(
        self,
        index: port.Index,
        owner: str,
        clock_: clock.Clock,
        *,
        is_alone: bool = False,
    ) -> None:
        """Take nothing yet.

        :param owner: name of this process, which no other has
        :param is_alone: no other process maintains the index
        """
        self._index = index
        self._owner = owner
        self._clock = clock_
        self._is_alone = is_alone
        self._lock = threading.Lock()
        self._is_usable = is_alone
        self._count = 0
        self._seen = ""
        self._seen_at = 0.0

    def hold(self) -> bool:
        """Take or renew the lease if it is free or of this process.

        :returns: whether this process has it now
        :raises orch.errors.Unavailable: the index cannot be reached, or not
            be searched by this process, which then leaves the lease
        """
        if self._is_alone:
            return True
        with self._lock:
            if not self._is_usable:
                self._check()
            now = self._clock.monotonic()
            found = self._index.load(_LEASE) or ""
            if found != self._seen:
                self._seen, self._seen_at = found, now
            age_s = now - self._seen_at
            if self._is_own(found):
                if age_s < _RENEW_S:
                    return True
            elif found and self._count and age_s < TTL_S:
                return False
            self._count += 1
            self._seen, self._seen_at = f"{self._owner} {self._count}", now
            self._index.save(_LEASE, self._seen)
            return True

    def _check(self) -> None:
        try:
            port.check_searchable(self._index)
        except errors.Unavailable:
            self.release()
            raise
        self._is_usable = True

    def checked(
        self, step: collections.abc.Callable[[], float]
    ) -> collections.abc.Callable[[], float]:
        """Return a step that checks the index after it has failed.

        The index is prepared again, should it be lost, and the next
        :meth:`hold` checks first whether it can be searched.
        """

        def run() -> float:
            try:
                return step()
            except Exception:
                self._is_usable = self._is_alone
                with contextlib.suppress(errors.OrchError):
                    self._index.prepare()
                raise

        return run

    def release(self) -> None:
        """Leave the lease to another process, if this one has it.

        :raises orch.errors.Unavailable: the index cannot be reached
        """
        if not self._is_alone and self._is_own(self._index.load(_LEASE) or ""):
            self._index.save(_LEASE, None)

    def _is_own(self, found: str) -> bool:
        return found.partition(" ")[0] == self._owner
