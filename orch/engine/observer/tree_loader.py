"""Load trees of stacks from their rows, to be scanned."""

import collections.abc
import dataclasses

from orch import clock
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import tree_paths
from orch.flow.state import contexts
from orch.model import observation
from orch.model import operation as operation_model
from orch.model import resource
from orch.model import stack as stack_model
from orch.plugin import call_context
from orch.plugin import registry

Rows = tuple[resource.Resource, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """One stack of a tree.

    :ivar path: names of resources from the root to it; empty for the root
    :ivar rows: the current resources, one for each name
    :ivar operation: its newest operation
    :ivar is_busy: an operation on it is in progress
    """

    stack: stack_model.Stack
    path: str
    rows: Rows
    operation: operation_model.Operation | None
    is_busy: bool


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A tree of stacks, with its last observations.

    :ivar read_at: the moment, by the database's clock
    :ivar observed: the last observations, by resource
    """

    root: stack_model.Stack
    stacks: tuple[Loaded, ...]
    read_at: clock.Timestamp
    observed: dict[ids.ResourceId, observation.Observation]

    @property
    def holders(self) -> frozenset[str]:
        """The ids of the resources that have a child stack."""
        return frozenset(each.stack.id for each in self.stacks)


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
    stack_ids = [each.id for each in found]
    rows: dict[str, list[resource.Resource]] = {}
    for row in resources.list_of_stacks(connection, stack_ids):
        if row.is_current:
            rows.setdefault(row.stack_id, []).append(row)
    newest = {
        each.id: each
        for each in operations.list_some(
            connection,
            {each.operation_id for each in found if each.operation_id},
        )
    }
    busy = operations.list_busy(connection, stack_ids)
    by_id = {each.id: each for each in found}
    paths: dict[str | None, str] = {None: ""}
    by_root: dict[ids.StackId, list[Loaded]] = {}
    for each in sorted(found, key=lambda one: (one.depth, one.created_at)):
        above = paths.get(each.parent_id, "")
        paths[each.id] = tree_paths.below(above, each.parent_resource or "")
        by_root.setdefault(each.root_id, []).append(
            Loaded(
                stack=each,
                path=paths[each.id],
                rows=tuple(rows.get(each.id, ())),
                operation=newest.get(each.operation_id or ids.OperationId("")),
                is_busy=each.id in busy,
            )
        )
    return [
        Tree(
            root=by_id[root_id],
            stacks=tuple(members),
            read_at=now,
            observed={
                each.resource_id: each
                for each in observations.list_tree(connection, root_id)
            },
        )
        for root_id, members in by_root.items()
        if root_id in by_id
    ]


class Contexts:
    """The contexts in which the rows of some trees are read."""

    def __init__(
        self,
        trees: collections.abc.Iterable[Tree],
        types: registry.Types,
    ) -> None:
        self._types = types
        self._stacks = {
            each.stack.id: each for tree in trees for each in tree.stacks
        }
        self._requests = {
            key: request.RequestContext.from_stored(
                {} if each.operation is None else each.operation.context
            )
            for key, each in self._stacks.items()
        }

    def of(self, row: resource.Resource) -> call_context.Context:
        """Return a row's context, with the newest operation's requester."""
        loaded = self._stacks[row.stack_id]
        plugin = self._types.find(row.plugin_type)
        referred = None
        if plugin is not None and plugin.refers_to is not None:
            referred = contexts.find_resource(
                loaded.stack,
                row.properties.get(plugin.refers_to),
                loaded.rows,
                self._types,
            )
        return contexts.build_context(
            loaded.stack,
            row,
            self._requests[row.stack_id],
            referred=referred,
        )
