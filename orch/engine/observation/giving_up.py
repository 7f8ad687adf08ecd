"""Things that drift again as often as they are repaired are left alone.

A process that dies whenever it was started would be started at each look.
What is known of that stands in the operations of the stack: each repair names
the things that it was of. So it outlives workers, and somebody's own change
of the stack begins the count anew.
"""

import collections.abc
import dataclasses

from oslo_config import cfg

from orch import clock
from orch import ids
from orch.engine.lifecycle import paths
from orch.engine.observation import comparing
from orch.events import drifts
from orch.model import observation
from orch.model import operation
from orch.model import repair
from orch.model import states

Left = collections.abc.Mapping[ids.ResourceId, clock.Timestamp]
"""Things that are left alone, with the drift behind the last repair."""


@dataclasses.dataclass(frozen=True, slots=True)
class Limit:
    """How often a thing is repaired before it is left alone.

    :ivar most: repairs in a row; 0 for any number
    :ivar window_s: seconds from the first of them to the drift behind the
        last, at most; where they took longer it is repaired again
    """

    most: int
    window_s: float

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> "Limit":
        """Return what the options say."""
        group = conf.observer
        return cls(group.repairs_in_a_row, group.repairs_window)

    @property
    def reason(self) -> str:
        """Return why a thing is left alone, for people."""
        return (
            f"It was repaired {self.most} times within {self.window_s:g} s and"
            " has drifted again: it is not repaired any more until somebody"
            " updates the stack"
        )

    def is_reached(
        self,
        repaired_at: collections.abc.Sequence[clock.Timestamp],
        drifted_at: clock.Timestamp,
    ) -> bool:
        """Answer whether a thing that has drifted is to be left alone.

        :param repaired_at: when its repairs in a row began, the first first
        """
        if not self.most or len(repaired_at) < self.most:
            return False
        return drifted_at - repaired_at[-self.most] <= self.window_s


def repaired(
    history: collections.abc.Iterable[operation.Operation],
) -> dict[str, list[clock.Timestamp]]:
    """Return when each thing was repaired in a row, by path from the root.

    Those that failed put nothing back, and do not count.

    :param history: the operations of a root, the oldest first
    """
    found: dict[str, list[clock.Timestamp]] = {}
    for each in history:
        if repair.TRIES not in each.options:
            if each.action in states.BRINGING_ABOUT:
                found.clear()
            continue
        if (
            each.action is states.Action.UPDATE
            and each.state is states.OperationState.COMPLETE
        ):
            for path in repair.paths_of(each.options):
                found.setdefault(path, []).append(each.created_at)
    return found


def since(
    limit: Limit,
    seen: collections.abc.Iterable[comparing.Seen],
    wanted: collections.abc.Collection[ids.ResourceId],
) -> clock.Timestamp:
    """Return from when on operations count for what :func:`find` finds.

    :param wanted: as there, not empty
    """
    first = min(
        one.observed_at if one.drifted_at is None else one.drifted_at
        for each in seen
        for one in each.observations
        if one.resource_id in wanted
    )
    return clock.Timestamp(first - limit.window_s)


def find(
    limit: Limit,
    history: collections.abc.Iterable[operation.Operation],
    seen: collections.abc.Iterable[comparing.Seen],
    wanted: collections.abc.Collection[ids.ResourceId],
) -> dict[ids.ResourceId, clock.Timestamp]:
    """Return which of the things that are to be repaired are left alone.

    :param history: operations of the root from :func:`since` on, the oldest
        first
    :returns: :data:`Left`
    """
    times = repaired(history)
    found: dict[ids.ResourceId, clock.Timestamp] = {}
    for each in seen:
        for one, path in _with_paths(each):
            repaired_at = times.get(path, [])
            drifted_at = _behind(repaired_at, one)
            if one.resource_id in wanted and limit.is_reached(
                repaired_at, drifted_at
            ):
                found[one.resource_id] = drifted_at
    return found


def _behind(
    repaired_at: collections.abc.Sequence[clock.Timestamp],
    seen: observation.Observation,
) -> clock.Timestamp:
    """Return when the drift behind the last repair was seen.

    Where no look has found the thing as wanted in between, what is known is
    when it had drifted before.
    """
    known = seen.drifted_at
    if known is None or (repaired_at and known < repaired_at[-1]):
        return seen.observed_at
    return known


def told(
    limit: Limit,
    seen: comparing.Seen,
    left: Left,
    before: collections.abc.Mapping[ids.ResourceId, observation.Observation],
) -> comparing.Seen:
    """Return what was seen, with the reason why things are left alone.

    The drift for which they are stands from now on, so that later looks
    count to the same.

    :param before: what was seen last, by resource
    """
    reason = limit.reason
    rows = {row.id: row for row in seen.loaded.rows}
    changes = [
        drifts.Change(
            kind=drifts.Kind.GIVEN_UP,
            row=rows[one.resource_id],
            path=path,
            reason=reason,
        )
        for one, path in _with_paths(seen)
        if one.resource_id in left
        and _reason_of(before.get(one.resource_id)) != reason
    ]
    known = seen.changes
    if changes:
        known = tuple(
            each for each in known if each.kind is not drifts.Kind.OBSERVED
        )
    return dataclasses.replace(
        seen,
        observations=tuple(
            dataclasses.replace(
                one, reason=reason, drifted_at=left[one.resource_id]
            )
            if one.resource_id in left
            else one
            for one in seen.observations
        ),
        changes=(*known, *changes),
    )


def _with_paths(
    seen: comparing.Seen,
) -> collections.abc.Iterator[tuple[observation.Observation, str]]:
    names = {row.id: row.name for row in seen.loaded.rows}
    for one in seen.observations:
        name = names[one.resource_id]
        yield one, paths.below(seen.loaded.path, name)


def _reason_of(seen: observation.Observation | None) -> str:
    return "" if seen is None else seen.reason
