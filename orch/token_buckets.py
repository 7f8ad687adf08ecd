"""Token buckets: how often something may be done, by key.

A bucket starts with ``burst`` tokens, of which each use takes some, and is
filled at a rate until it has as many again.
"""

import collections.abc
import dataclasses
import threading
import typing

import cachetools

from orch import clock

Key = typing.TypeVar("Key", bound=collections.abc.Hashable)

_MAX_KNOWN: typing.Final = 10_000


@dataclasses.dataclass(slots=True)
class _Bucket:
    """One bucket.

    :ivar filled_at_s: when it had these tokens, by the monotonic clock
    """

    tokens: float
    filled_at_s: float


class TokenBuckets(typing.Generic[Key]):
    """Buckets of one process; threads may share them."""

    def __init__(self, burst: float, time: clock.Clock) -> None:
        """Start with full buckets.

        :param burst: tokens of a full bucket
        """
        self._burst = burst
        self._clock = time
        self._lock = threading.Lock()
        # The bucket that was used least recently has filled up since.
        self._known: cachetools.LRUCache[Key, _Bucket] = cachetools.LRUCache(
            _MAX_KNOWN
        )

    def take(
        self,
        key: Key,
        rate: float,
        within_s: float = 0.0,
        count: float = 1.0,
    ) -> float:
        """Take tokens, if need be ones that are still to come.

        :param rate: tokens a second
        :param within_s: how long they may still be to come
        :param count: of tokens; with 0 it only tells how long a bucket is
            overdrawn
        :returns: seconds until they are there; none was taken if they are
            more than ``within_s``
        """
        with self._lock:
            now_s = self._clock.monotonic()
            found = self._known.setdefault(key, _Bucket(self._burst, now_s))
            gone_s = max(0.0, now_s - found.filled_at_s)
            found.filled_at_s = now_s
            found.tokens = min(self._burst, found.tokens + gone_s * rate)
            pause_s = max(0.0, (count - found.tokens) / rate)
            if pause_s <= within_s:
                found.tokens -= count
            return pause_s
