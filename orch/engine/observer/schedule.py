"""When a tree of stacks is looked at again.

All trees of a project are looked at in the same moments, a period apart, so
that what a service lists is listed once for all of them. Each project has
moments of its own.
"""

import dataclasses
import math
import typing
import zlib

from oslo_config import cfg

from orch import clock
from orch.model import observation

_NEW_DRIFT: typing.Final = 0.5
_UNCHANGED: typing.Final = 1.5
_LATE: typing.Final = 0.25
_EARLY: typing.Final = 0.05
_MAX_BUSY_S: typing.Final = 30.0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The times of group ``[observer]``, in seconds."""

    period_s: float
    max_s: float

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> "Schedule":
        """Return what the options say."""
        group = conf.observer
        return cls(
            period_s=group.period,
            max_s=max(group.period, group.max_period),
        )

    @property
    def ahead_s(self) -> float:
        """For how long a look may come early, with others of its project."""
        return self.period_s * _EARLY

    @property
    def busy_s(self) -> float:
        """After which what could not be looked at is looked at again."""
        return min(self.period_s / 2, _MAX_BUSY_S)

    def moment_of(
        self, project_id: str, earliest: clock.Timestamp
    ) -> clock.Timestamp:
        """Return the first moment of a project that is not before another."""
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
        """Return the moment of the next look, by the database's clock.

        Half a period after drift that was not there before; else at a moment
        of the project: the next one, and ever later while nothing changes.
        One that comes a little late keeps to its moments all the same.

        :param watch: as it was claimed
        :param is_changed: something is not as it was when looked at last
        """
        if is_changed and is_drifted:
            return clock.Timestamp(now + self.period_s * _NEW_DRIFT)
        pause_s = self.period_s
        if not is_changed and not is_drifted and watch.observed_at is not None:
            last_s = (watch.due_at or 0.0) - watch.observed_at
            pause_s = min(max(pause_s, last_s * _UNCHANGED), self.max_s)
        earliest = now + pause_s - self.period_s * _LATE
        return self.moment_of(watch.project_id, clock.Timestamp(earliest))
