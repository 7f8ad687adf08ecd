"""Load the observed state of a stack and of its child stacks."""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import observations
from orch.db.repositories import resources as repository_resources
from orch.db.repositories import watches
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.queries import lookup
from orch.model import drift_policy
from orch.model import observation
from orch.model import resource
from orch.model import stack as stack_model
from orch.planner import drift

_State = observation.State

NOT_OBSERVED: typing.Final = "It was not observed yet"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ObservedResource:
    """One resource with its observation.

    :ivar path: from the root
    :ivar observed: the observation; its state is unknown where the resource
        changed since
    """

    row: resource.Resource
    path: str
    observed: observation.Observation
    is_observed: bool

    @property
    def is_current(self) -> bool:
        """Whether the stack has not changed it since its observation."""
        return self.is_observed and self.observed.reason != drift.CHANGED_SINCE

    @property
    def is_drifted(self) -> bool:
        """Whether the resource exists and differs from its baseline."""
        return (
            self.observed.state is _State.DRIFTED
            and not self.observed.is_vanished
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ObservedStack:
    """One stack of the tree, with its observed resources."""

    stack: stack_model.Stack
    path: str
    resources: tuple[ObservedResource, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ObservedTree:
    """A stack and its child stacks with their observations, parents first.

    :ivar now: by the database's clock
    """

    watch: observation.Watch
    members: tuple[ObservedStack, ...]
    now: clock.Timestamp

    @property
    def policies(self) -> drift_policy.Policies:
        """Return the drift policies of the tree."""
        return drift_policy.Policies(self.watch.policy)


def load_members(
    connection: db_engine.Connection,
    tree: collections.abc.Iterable[stack_model.Stack],
    path: str = "",
) -> collections.abc.Iterator[
    tuple[stack_model.Stack, str, tuple[resource.Resource, ...]]
]:
    """Yield stacks, each with its path and its current resources.

    :param tree: a stack and its child stacks, or whole trees; parents first
    :param path: of the stacks whose parent is none of them
    """
    rows: dict[ids.StackId, list[resource.Resource]] = {}
    paths: dict[ids.StackId | None, str] = {}
    found = list(tree)
    for row in repository_resources.list_of_stacks(
        connection, [each.id for each in found]
    ):
        if row.is_current:
            rows.setdefault(row.stack_id, []).append(row)
    for each in found:
        paths[each.id] = path
        if each.parent_id in paths:
            paths[each.id] = tree_paths.below(
                paths[each.parent_id], each.parent_resource or ""
            )
        yield each, paths[each.id], tuple(rows.get(each.id, ()))


def load_observed(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack_model.Stack,
) -> ObservedTree:
    """Return the observed state of a stack and of its child stacks."""
    tree = [
        each
        for each in lookup.stacks_below(connection, stack)
        if each.deleted_at is None or each.id == stack.id
    ]
    known = {
        each.resource_id: each
        for each in observations.list_tree(connection, stack.root_id)
    }
    holders = {str(each.id) for each in tree}
    top = tree_paths.path_of(connection, stack)
    return ObservedTree(
        watch=watches.find(connection, stack.root_id)
        or observation.Watch(
            root_id=stack.root_id, project_id=stack.project_id
        ),
        members=tuple(
            ObservedStack(
                stack=member,
                path=path,
                resources=tuple(
                    _observed_resource(
                        deps,
                        stack,
                        row,
                        tree_paths.below(path, row.name),
                        known.get(row.id),
                        holds=row.id in holders,
                    )
                    for row in rows
                ),
            )
            for member, path, rows in load_members(connection, tree, top)
        ),
        now=functions.read_clock(connection),
    )


def load_resource(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack_model.Stack,
    row: resource.Resource,
) -> ObservedResource:
    """Return the observed state of one resource of a stack."""
    known = observations.find(connection, stack.id, row.id)
    path = tree_paths.below(tree_paths.path_of(connection, stack), row.name)
    return _observed_resource(
        deps,
        stack,
        row,
        path,
        known,
        holds=known is None and bool(lookup.find_child(connection, row)),
    )


def counts_of(
    resources: collections.abc.Iterable[ObservedResource],
) -> dict[str, int]:
    """Return the number of resources in each state."""
    counts = dict.fromkeys((each.value for each in _State), 0)
    for each in resources:
        counts[each.observed.state] += 1
    return counts


def coverage_of(resources: collections.abc.Sequence[ObservedResource]) -> int:
    """Return the share of given properties that were compared, in percent.

    0 where no resource was observed yet.
    """
    if resources and not any(each.is_observed for each in resources):
        return 0
    return observation.coverage_percent(
        sum(each.observed.compared for each in resources),
        sum(each.observed.given for each in resources),
    )


def _observed_resource(
    deps: dependencies.Dependencies,
    stack: stack_model.Stack,
    row: resource.Resource,
    path: str,
    known: observation.Observation | None,
    *,
    holds: bool,
) -> ObservedResource:
    """Return a resource with its observation.

    :param holds: it has a child stack
    """
    plugin = deps.types.find(row.plugin_type)
    is_nothing = holds or (
        plugin is not None and drift.has_no_physical_resource(plugin)
    )
    return ObservedResource(
        row=row,
        path=path,
        observed=observation.Observation(
            root_id=stack.root_id,
            stack_id=row.stack_id,
            resource_id=row.id,
            state=_State.NOTHING if is_nothing else _State.UNKNOWN,
            reason="" if is_nothing else NOT_OBSERVED,
            observed_at=clock.Timestamp(0.0),
        )
        if known is None
        else drift.current_observation(row, known),
        is_observed=known is not None,
    )
