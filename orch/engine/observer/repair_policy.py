"""What the observer repairs, how often, and how much of one project at once.

A process that dies whenever it was started would be started at each scan. The
count comes from the operations of the stack: each repair names the resources
that it was of. So it outlives workers, and a user's own change of the stack
begins the count anew.
"""

import collections.abc
import dataclasses

from oslo_config import cfg

from orch import clock
from orch import ids
from orch.engine.observer import tree as observer_tree
from orch.flow.state import drift_records
from orch.model import drift_policy
from orch.model import observation
from orch.model import operation
from orch.model import repair
from orch.model import resource
from orch.model import states
from orch.planner import survey

_Policy = observation.Policy
TreeObservations = collections.abc.Iterable[drift_records.StackObservations]
Repairs = collections.abc.Mapping[ids.ResourceId, repair.Names | None]
"""Names of properties by resource; ``None`` for a physical resource that is to
be created anew."""
AbandonedRepairs = collections.abc.Mapping[ids.ResourceId, clock.Timestamp]
"""Resources that are not repaired, with the drift after the last repair."""
ListSince = collections.abc.Callable[
    [clock.Timestamp], collections.abc.Iterable[operation.Operation]
]


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
        return (
            0 < self.max_repairs <= len(repaired_at)
            and drifted_at - repaired_at[-self.max_repairs] <= self.window_s
        )

    def is_exceeded(self, vanished: int, observed: int) -> bool:
        """Whether too many have vanished at once to be created again."""
        return (
            vanished > self.max_vanished
            and vanished * 100.0 > observed * self.max_vanished_percent
        )

    def find_abandoned(
        self,
        list_since: ListSince,
        observed: TreeObservations,
        due: collections.abc.Collection[ids.ResourceId],
    ) -> AbandonedRepairs:
        """Return the due resources that are not repaired any more.

        :param list_since: lists the operations of the root from a time on, the
            oldest first
        """
        drifted = [
            one
            for each in observed
            for one in each.resources
            if one.row.id in due
        ]
        if not drifted or not self.max_repairs:
            return {}
        first = min(
            one.after.drifted_at or one.after.observed_at for one in drifted
        )
        times = repair_times(
            list_since(clock.Timestamp(first - self.window_s))
        )
        found: dict[ids.ResourceId, clock.Timestamp] = {}
        for one in drifted:
            repaired_at = times.get(one.path, [])
            drifted_at = _behind(repaired_at, one.after)
            if self.is_reached(repaired_at, drifted_at):
                found[one.row.id] = drifted_at
        return found

    def with_reasons(
        self,
        observed: drift_records.StackObservations,
        left: AbandonedRepairs,
    ) -> drift_records.StackObservations:
        """Return observations with the reasons why resources are not repaired.

        The time of that drift is stored from now on, so that later scans count
        to the same.
        """
        return observed.give_up(
            self.reason,
            {row_id: {"drifted_at": at} for row_id, at in left.items()},
            self.reason,
        )


def repairs_of(
    observed: TreeObservations, policy: observation.Values
) -> Repairs:
    """Return the repairs that policies demand.

    A physical resource that exists and in which a check has found fault is
    left to users: an update would replace it.

    :param policy: the policy of the tree, as its watch has it
    """
    policies = drift_policy.Policies(policy)
    found: dict[ids.ResourceId, repair.Names | None] = {}
    for one in (one for each in observed for one in each.resources):
        due = tuple(
            each.property
            for each in one.after.differences
            if each.policy is _Policy.REPAIR
        )
        is_drifted = one.after.state is observation.State.DRIFTED
        if one.after.is_vanished:
            if policies.of_resource(one.path) is _Policy.REPAIR:
                found[one.row.id] = None
        elif is_drifted and due and survey.is_readable(one.row):
            found[one.row.id] = due
    return found


def find_unfinished(
    tree: observer_tree.Tree, policy: observation.Values
) -> Repairs:
    """Return what the last operation, a failed repair, was to repair.

    A resource that vanished and could not be created is known by its row, and
    by that of the vanished one, which is not current any more: without it the
    update would return to a physical resource that does not exist. What
    policies do not say to repair any more is omitted.

    :param policy: the policy of the tree, as its watch has it
    :returns: empty where the last operation is no repair that failed
    """
    last = tree.members[0].operation
    if last is None or last.state is not states.OperationState.FAILED:
        return {}
    only = repair.Repair.of(last.options)
    if only is None:
        return {}
    policies = drift_policy.Policies(policy)
    paths = tree.paths
    found: dict[ids.ResourceId, repair.Names | None] = {}
    for row in (row for each in tree.members for row in each.rows):
        path = paths[row.id]
        names = only.only.get(row.id) or ()
        due = tuple(name for name in names if policies.repairs(path, name))
        # One that exists is read: its observed state says what to repair.
        is_anew = not names and _never_existed(row)
        if is_anew and policies.of_resource(path) is _Policy.REPAIR:
            found[row.id] = None
        elif due:
            found[row.id] = due
    if None in found.values():
        found.update(dict.fromkeys(only.only.keys() - paths.keys()))
    return found


def _never_existed(row: resource.Resource) -> bool:
    """Whether the creation of a resource has failed."""
    return (
        row.status is states.Status.FAILED
        and row.action is not states.Action.CHECK
        and not row.is_in_place
    )


def repair_times(
    history: collections.abc.Iterable[operation.Operation],
) -> dict[str, list[clock.Timestamp]]:
    """Return when each resource was repaired in a row, by path from the root.

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


def _behind(
    repaired_at: collections.abc.Sequence[clock.Timestamp],
    observed: observation.Observation,
) -> clock.Timestamp:
    """Return when the drift after the last repair was observed.

    Where no scan has found the resource as desired in between, only the time
    of its earlier drift is known.
    """
    known = observed.drifted_at
    if known is None or (repaired_at and known < repaired_at[-1]):
        return observed.observed_at
    return known
