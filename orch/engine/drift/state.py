"""What was seen of a stack and of those in it, as it counts now."""

import collections.abc
import dataclasses

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import observations
from orch.db.repositories import resources
from orch.db.repositories import watches
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.queries import tree as query_tree
from orch.model import drift_policy
from orch.model import observation
from orch.model import resource
from orch.model import stack
from orch.planner import drift

_ALL_LEVELS = 1_000_000
_State = observation.State

NOT_SEEN = "It was not looked at yet"
CHANGED_SINCE = "It was changed by the stack since it was looked at"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One resource.

    :ivar path: from the root
    :ivar seen: as it counts: of what was changed since, it is unknown
    """

    row: resource.Resource
    path: str
    seen: observation.Observation
    is_seen: bool

    @property
    def is_drifted(self) -> bool:
        """Answer whether it differs in some properties."""
        return self.seen.state is _State.DRIFTED and not self.seen.is_vanished


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One stack of the tree; the things by name."""

    subject: stack.Stack
    path: str
    things: tuple[Thing, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A stack, and those in it, outer ones first.

    :ivar now: by the database's clock
    """

    watch: observation.Watch
    members: tuple[Member, ...]
    now: clock.Timestamp

    @property
    def policies(self) -> drift_policy.Policies:
        """What is to be done about drift."""
        return drift_policy.Policies(self.watch.policy)


def load(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    subject: stack.Stack,
) -> Seen:
    """Return what was seen of a stack and of those in it."""
    tree = [
        each
        for each in query_tree.below(connection, subject, _ALL_LEVELS)
        if each.deleted_at is None or each.id == subject.id
    ]
    rows: dict[ids.StackId, list[resource.Resource]] = {}
    for row in resources.list_of_stacks(
        connection, [each.id for each in tree]
    ):
        if row.is_current:
            rows.setdefault(row.stack_id, []).append(row)
    known = {
        each.resource_id: each
        for each in observations.list_tree(connection, subject.root_id)
    }
    holders = {str(each.id) for each in tree}
    path_of = {subject.id: tree_paths.path_of(connection, subject)}
    members = []
    for each in tree:
        if each.id not in path_of:
            assert each.parent_id is not None
            path_of[each.id] = tree_paths.below(
                path_of[each.parent_id], each.parent_resource or ""
            )
        path = path_of[each.id]
        members.append(
            Member(
                subject=each,
                path=path,
                things=tuple(
                    Thing(
                        row=row,
                        path=tree_paths.below(path, row.name),
                        seen=_counted(
                            deps,
                            subject,
                            row,
                            known.get(row.id),
                            holds=row.id in holders,
                        ),
                        is_seen=row.id in known,
                    )
                    for row in rows.get(each.id, ())
                ),
            )
        )
    watch = watches.find(connection, subject.root_id)
    return Seen(
        watch=watch
        or observation.Watch(
            root_id=subject.root_id, project_id=subject.project_id
        ),
        members=tuple(members),
        now=functions.read_clock(connection),
    )


def as_it_counts(
    row: resource.Resource, seen: observation.Observation
) -> observation.Observation:
    """Return what was seen; unknown where it was changed since."""
    if seen.observed_at >= row.updated_at or seen.state is _State.NOTHING:
        return seen
    return dataclasses.replace(
        seen,
        state=_State.UNKNOWN,
        is_vanished=False,
        differences=(),
        covered=0,
        reason=CHANGED_SINCE,
    )


def counts_of(
    things: collections.abc.Iterable[Thing],
) -> dict[str, int]:
    """Return how many are in which state."""
    counts = dict.fromkeys((each.value for each in _State), 0)
    for each in things:
        counts[each.seen.state] += 1
    return counts


def coverage_of(things: collections.abc.Sequence[Thing]) -> int:
    """Return how much of what was given could be compared, in percent.

    0 where nothing was looked at yet.
    """
    if things and not any(each.is_seen for each in things):
        return 0
    return observation.coverage(
        sum(each.seen.covered for each in things),
        sum(each.seen.given for each in things),
    )


def _counted(
    deps: dependencies.Dependencies,
    subject: stack.Stack,
    row: resource.Resource,
    seen: observation.Observation | None,
    *,
    holds: bool,
) -> observation.Observation:
    if seen is not None:
        return as_it_counts(row, seen)
    plugin = deps.types.find(row.plugin_type)
    is_nothing = holds or (plugin is not None and drift.is_nothing(plugin))
    return observation.Observation(
        root_id=subject.root_id,
        stack_id=row.stack_id,
        resource_id=row.id,
        state=_State.NOTHING if is_nothing else _State.UNKNOWN,
        reason="" if is_nothing else NOT_SEEN,
        observed_at=clock.Timestamp(0.0),
    )
