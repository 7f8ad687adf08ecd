"""How fast the observer may call services: a bucket for each.

A bucket fills by so many tokens a second, up to a burst, and each call takes
one. Each project has one for each service, so that a large project slows
nobody down but itself.
"""

import collections
import collections.abc
import math
import threading
import typing

from orch import clock

_MAX_BUCKETS: typing.Final = 10_000

Wait = collections.abc.Callable[[float], object]
"""Returns after so many seconds, or when the observer stops."""


class Bucket:
    """Tokens of one project and service."""

    def __init__(self, burst: float, now: float) -> None:
        """Be full.

        :param now: by the clock that never jumps
        """
        self._tokens = burst
        self._burst = burst
        self._filled_at = now

    def take(
        self, rate: float, now: float, within_s: float = math.inf
    ) -> float | None:
        """Take a token, one that is still to come if need be.

        :param rate: tokens a second
        :param within_s: how long one may still be to come
        :returns: seconds until it is there; ``None`` where that is too long
            and none was taken
        """
        gone_s = max(0.0, now - self._filled_at)
        self._filled_at = now
        self._tokens = min(self._burst, self._tokens + gone_s * rate)
        pause_s = max(0.0, (1 - self._tokens) / rate)
        if pause_s > within_s:
            return None
        self._tokens -= 1
        return pause_s


class RateLimit:
    """Lets calls through, one after the other; from several threads."""

    def __init__(
        self, rate: float, burst: int, clock_: clock.Clock, wait: Wait
    ) -> None:
        """Let ``burst`` calls through at once, then ``rate`` a second.

        :param rate: of one project and service, on all workers together
        """
        self._rate = rate
        self._burst = burst
        self._clock = clock_
        self._wait = wait
        self._workers = 1
        self._lock = threading.Lock()
        self._buckets: collections.OrderedDict[tuple[str, str], Bucket] = (
            collections.OrderedDict()
        )

    def share(self, workers: int) -> None:
        """Keep to an equal part of the rate.

        :param workers: how many there are, this one included
        """
        self._workers = max(1, workers)

    def __call__(self, project_id: str, type_name: str) -> None:
        """Return when a call may be made.

        :param type_name: of the resources that it is about
        """
        self.within(project_id, type_name, math.inf)

    def within(self, project_id: str, type_name: str, within_s: float) -> bool:
        """Return when a call may be made, or at once that it must not be.

        :param within_s: seconds in which its turn has to come
        """
        key = project_id, service_of(type_name)
        now = self._clock.monotonic()
        with self._lock:
            bucket = self._buckets.pop(key, None)
            if bucket is None:
                bucket = Bucket(self._burst, now)
            rate = self._rate / self._workers
            pause_s = bucket.take(rate, now, within_s)
            self._buckets[key] = bucket
            # The one that was used least recently has filled up since.
            while len(self._buckets) > _MAX_BUCKETS:
                self._buckets.popitem(last=False)
        if pause_s is None:
            return False
        if pause_s > 0:
            self._wait(pause_s)
        return True


def service_of(type_name: str) -> str:
    """Return the service of a type: all of its name but the last part."""
    return type_name.rpartition("::")[0] or type_name
