"""The limits of repairs by the observer, from the options."""

import collections.abc
import dataclasses

from oslo_config import cfg

from orch import clock


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RepairPolicy:
    """How often, how many and how much is repaired, of one project.

    :ivar first_pause_s: after a repair that does not last; doubled each time
    :ivar max_concurrent: updates that may be in progress, of one worker
    :ivar max_repairs: of one resource in a row; 0 for any number
    :ivar window_s: maximum of seconds from the first of them to the drift
        after the last; where they took longer it is repaired again
    :ivar max_vanished: so many physical resources are always created again
    :ivar max_vanished_percent: so many of those that are observed, too
    :ivar vanished_window_s: what vanished so long before the first that is due
        counts as vanished at once with it
    """

    first_pause_s: float = 0.0
    max_pause_s: float = 0.0
    max_concurrent: int = 1
    max_repairs: int = 0
    window_s: float = 0.0
    max_vanished: int = 0
    max_vanished_percent: float = 100.0
    vanished_window_s: float = 0.0

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> "RepairPolicy":
        """Return the policy that the options give."""
        group = conf.observer
        return cls(
            first_pause_s=group.repair_first_pause,
            max_pause_s=group.repair_max_pause,
            max_concurrent=group.max_concurrent_repairs,
            max_repairs=group.max_consecutive_repairs,
            window_s=group.repairs_window,
            max_vanished=group.vanished_limit,
            max_vanished_percent=group.vanished_limit_percent,
            vanished_window_s=max(group.period, group.max_period),
        )

    def pause_s(self, tries: int) -> float:
        """Return the seconds to wait after a number of tries in a row."""
        return clock.growing_pause_s(
            tries - 1, self.first_pause_s, self.max_pause_s
        )

    @property
    def reason(self) -> str:
        """Return why a resource is not repaired, for users."""
        return (
            f"It was repaired {self.max_repairs} times within"
            f" {self.window_s:g} s and has drifted again: it is not repaired"
            " any more until a user updates the stack"
        )

    def is_reached(
        self,
        repaired_at: collections.abc.Sequence[clock.Timestamp],
        drifted_at: clock.Timestamp,
    ) -> bool:
        """Whether a resource that has drifted is not to be repaired.

        :param repaired_at: when its repairs in a row began, in order
        """
        if not self.max_repairs or len(repaired_at) < self.max_repairs:
            return False
        return drifted_at - repaired_at[-self.max_repairs] <= self.window_s

    def is_exceeded(self, vanished: int, observed: int) -> bool:
        """Whether too many have vanished at once to be created again."""
        return (
            vanished > self.max_vanished
            and vanished * 100.0 > observed * self.max_vanished_percent
        )
