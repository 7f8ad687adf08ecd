"""Trees of stacks that are scanned: loaded, and compared with reality."""

import collections.abc
import dataclasses
import functools

from orch import clock
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import tree_paths
from orch.engine.drift import state as drift_state
from orch.engine.observer import reality_reader
from orch.flow.state import contexts
from orch.flow.state import drift_records
from orch.model import observation
from orch.model import operation as operation_model
from orch.model import resource
from orch.model import stack as stack_model
from orch.planner import drift
from orch.planner import survey
from orch.plugin import call_context
from orch.plugin import registry


@dataclasses.dataclass(frozen=True, kw_only=True)
class Member:
    """One stack of a tree.

    :ivar path: names of resources from the root to it; empty for the root
    :ivar rows: the current resources, one for each name
    :ivar operation: its newest operation
    :ivar is_busy: an operation on it is in progress
    """

    stack: stack_model.Stack
    path: str
    rows: tuple[resource.Resource, ...]
    operation: operation_model.Operation | None
    is_busy: bool

    @functools.cached_property
    def _request(self) -> request.RequestContext:
        return request.RequestContext.from_stored(
            {} if self.operation is None else self.operation.context
        )

    def context_of(
        self, row: resource.Resource, types: registry.Types
    ) -> call_context.Context:
        """Return a row's context, with the newest operation's requester."""
        plugin = types.find(row.plugin_type)
        reference = None
        if plugin is not None and plugin.refers_to:
            reference = row.properties.get(plugin.refers_to)
        return contexts.build_context(
            self.stack,
            row,
            self._request,
            referred=contexts.find_resource(
                self.stack, reference, self.rows, types
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A tree of stacks, with its last observations.

    :ivar members: the stacks that still exist; the root first
    :ivar read_at: the moment, by the database's clock
    :ivar observed: the last observations, by resource
    """

    members: tuple[Member, ...]
    read_at: clock.Timestamp
    observed: dict[ids.ResourceId, observation.Observation]

    @property
    def root_id(self) -> ids.StackId:
        """The id of the root."""
        return self.members[0].stack.id

    @property
    def holders(self) -> frozenset[str]:
        """The ids of the resources that have a child stack."""
        return frozenset(each.stack.id for each in self.members)

    @property
    def paths(self) -> dict[ids.ResourceId, str]:
        """The paths of the current resources from the root."""
        return {
            row.id: tree_paths.below(each.path, row.name)
            for each in self.members
            for row in each.rows
        }

    def readable_rows(self) -> list[resource.Resource]:
        """Return the rows whose physical resources are to be read."""
        holders = self.holders
        return [
            row
            for each in self.members
            if not each.is_busy
            for row in each.rows
            if survey.is_reportable(row) and row.id not in holders
        ]

    def compare(
        self,
        answers: reality_reader.Answers,
        types: registry.Types,
        policy: observation.Values,
        *,
        accepts: bool = True,
    ) -> list[drift_records.StackObservations]:
        """Return the observations of stacks with no operation in progress.

        :param answers: what was read of the physical resources
        :param policy: the policy of the tree, as its watch has it
        :param accepts: policies may accept drift; else it counts
        """
        paths = self.paths
        comparison = drift.Comparison(
            self.root_id,
            types,
            policy,
            self.read_at,
            self.holders,
            accepts=accepts,
        )
        return [
            drift_records.StackObservations(
                stack=each.stack,
                resources=tuple(
                    comparison.compare(
                        row,
                        paths[row.id],
                        answers.get(row.id),
                        self.observed.get(row.id),
                    )
                    for row in each.rows
                ),
            )
            for each in self.members
            if not each.is_busy
        ]


def load_trees(
    connection: db_engine.Connection,
    root_ids: collections.abc.Collection[ids.StackId],
) -> list[Tree]:
    """Return the trees that still exist, in no order."""
    now = functions.read_clock(connection)
    found = [
        each
        for each in stacks.list_trees(connection, root_ids)
        if each.deleted_at is None
    ]
    found.sort(key=lambda each: (each.depth, each.created_at))
    newest = {
        each.id: each
        for each in operations.list_some(
            connection,
            {each.operation_id for each in found if each.operation_id},
        )
    }
    busy = operations.list_busy(connection, [each.id for each in found])
    by_root: dict[ids.StackId, list[Member]] = {}
    for stack, path, rows in drift_state.load_members(connection, found):
        by_root.setdefault(stack.root_id, []).append(
            Member(
                stack=stack,
                path=path,
                rows=rows,
                operation=newest.get(
                    stack.operation_id or ids.OperationId("")
                ),
                is_busy=stack.id in busy,
            )
        )
    return [
        Tree(
            members=tuple(members),
            read_at=now,
            observed={
                each.resource_id: each
                for each in observations.list_tree(connection, root_id)
            },
        )
        for root_id, members in by_root.items()
        if members[0].stack.id == root_id
    ]
