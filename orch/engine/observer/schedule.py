"""The times of scans of trees, and the rate limit of their calls.

All trees of a project are scanned at the same moments, a period apart, so that
a service lists its objects once for all of them. Each project has moments of
its own.

A bucket of tokens limits the calls of each project and service, so that a
large project slows down only itself.
"""

import collections.abc
import dataclasses
import math
import time
import typing
import zlib

from oslo_config import cfg

from orch import clock
from orch import token_buckets
from orch.model import observation

Wait = collections.abc.Callable[[float], object]
"""Returns after so many seconds, or when the observer stops."""


class RateLimit:
    """Rate limit of one worker's calls; several threads may share it.

    :ivar wait: returns after so many seconds, or earlier to end
    """

    def __init__(
        self,
        rate: float,
        burst: int,
        clock_: clock.Clock,
        wait: Wait = time.sleep,
    ) -> None:
        """Let ``burst`` calls through at once, then ``rate`` a second.

        :param rate: tokens a second of one project and service, on all workers
            together
        """
        self._rate = rate
        self.wait = wait
        self._workers = 1
        self._buckets: token_buckets.TokenBuckets[tuple[str, str]] = (
            token_buckets.TokenBuckets(burst, clock_)
        )

    def share(self, workers: int) -> None:
        """Use an equal share of the rate.

        :param workers: how many there are, this one included
        """
        self._workers = max(1, workers)

    def __call__(self, project_id: str, type_name: str) -> None:
        """Block until a call may be made.

        :param type_name: the type of the resources that the call is about
        """
        self.within(project_id, type_name, math.inf)

    def within(self, project_id: str, type_name: str, within_s: float) -> bool:
        """Block until a call may be made, or return false at once if too late.

        :param within_s: seconds in which its turn has to come
        """
        key = project_id, service_of(type_name)
        rate = self._rate / self._workers
        pause_s = self._buckets.take(key, rate, within_s)
        if pause_s > within_s:
            return False
        if pause_s > 0:
            self.wait(pause_s)
        return True


def service_of(type_name: str) -> str:
    """Return the service of a type: all of its name but the last part."""
    return type_name.rpartition("::")[0] or type_name


_NEW_DRIFT: typing.Final = 0.5
_UNCHANGED: typing.Final = 1.5
_LATE: typing.Final = 0.25
_EARLY: typing.Final = 0.05
_MAX_BUSY_S: typing.Final = 30.0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The schedule of scans of group ``[observer]``, and their load.

    :ivar scan_interval_s: seconds between two questions which trees are due
    :ivar calls_per_second: of one project and service, on all workers
    :ivar call_burst: calls at once
    :ivar threads: turns of projects at the same time
    :ivar batch_size: trees of one turn
    """

    period_s: float
    max_s: float
    scan_interval_s: float = 1.0
    calls_per_second: float = 1.0
    call_burst: int = 1
    threads: int = 1
    batch_size: int = 1

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> "Schedule":
        """Return the schedule that the options give."""
        group = conf.observer
        return cls(
            period_s=group.period,
            max_s=max(group.period, group.max_period),
            scan_interval_s=group.scan_interval,
            calls_per_second=group.calls_per_second,
            call_burst=group.call_burst,
            threads=group.threads,
            batch_size=group.batch_size,
        )

    @property
    def ahead_s(self) -> float:
        """Seconds that a scan may come early, with others of its project."""
        return self.period_s * _EARLY

    @property
    def busy_s(self) -> float:
        """Seconds until a tree that could not be scanned is due again."""
        return min(self.period_s / 2, _MAX_BUSY_S)

    def moment_of(
        self, project_id: str, earliest: clock.Timestamp
    ) -> clock.Timestamp:
        """Return the first moment of a project that is not before a time."""
        share = zlib.crc32(project_id.encode()) / 2**32
        phase_s = share * self.period_s
        count = math.ceil((earliest - phase_s) / self.period_s)
        return clock.Timestamp(phase_s + count * self.period_s)

    def next_at(
        self,
        watch: observation.Watch,
        *,
        is_changed: bool,
        is_drifted: bool,
        now: clock.Timestamp,
    ) -> clock.Timestamp:
        """Return the moment of the next scan, by the database's clock.

        Half a period after drift that was not there before; else at a moment
        of the project: the next one, and ever later while nothing changes. A
        scan that comes a little late does not shift later moments.

        :param watch: as it was claimed
        :param is_changed: a resource is not as it was at the last scan
        """
        if is_changed and is_drifted:
            return clock.Timestamp(now + self.period_s * _NEW_DRIFT)
        pause_s = self.period_s
        if not is_changed and not is_drifted and watch.observed_at is not None:
            last_s = (watch.due_at or 0.0) - watch.observed_at
            pause_s = min(max(pause_s, last_s * _UNCHANGED), self.max_s)
        earliest = now + pause_s - self.period_s * _LATE
        return self.moment_of(watch.project_id, clock.Timestamp(earliest))
