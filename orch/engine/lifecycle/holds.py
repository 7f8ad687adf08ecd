"""List the open holds, which wait for approval or rejection."""

import dataclasses

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import lifecycle as stored_lifecycle
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.lifecycle import query
from orch.engine.queries import lookup
from orch.model import lifecycle
from orch.model import operation as operation_model
from orch.model import stack
from orch.rpc import contract


@dataclasses.dataclass(frozen=True, slots=True)
class _Found:
    """The rows that the list is built from.

    :ivar trees: all stacks of the trees that have an open hold, by id
    """

    runs: list[lifecycle.Run]
    operation: dict[ids.OperationId, operation_model.Operation]
    trees: dict[ids.StackId, stack.Stack]


def list_holds(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> list[contract.OpenHoldFacts]:
    """Return the open holds of the caller's project, the oldest first.

    Operations of child stacks are among them.
    """
    return _list_holds(deps, ctxt.project_id or "")


def list_all_holds(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> list[contract.OpenHoldFacts]:
    """Return the open holds of all projects, the oldest first."""
    return _list_holds(deps, None)


def _list_holds(
    deps: dependencies.Dependencies, project_id: str | None
) -> list[contract.OpenHoldFacts]:
    found = deps.database.query(
        lambda connection: _read(connection, project_id)
    )
    shown = (_facts(run, found) for run in found.runs)
    return [each for each in shown if each is not None]


def _read(connection: db_engine.Connection, project_id: str | None) -> _Found:
    runs = stored_lifecycle.list_held_of_project(connection, project_id)
    if not runs:
        return _Found([], {}, {})
    held = {each.stack_id for each in runs}
    roots = {stacks.get(connection, each).root_id for each in sorted(held)}
    return _Found(
        runs,
        {
            each.operation_id: operations.get(connection, each.operation_id)
            for each in runs
        },
        {each.id: each for each in stacks.list_trees(connection, roots)},
    )


def _facts(run: lifecycle.Run, found: _Found) -> contract.OpenHoldFacts | None:
    stack = found.trees[run.stack_id]
    root = found.trees.get(stack.root_id)
    if root is None or run.hold is None:
        return None
    operation = found.operation[run.operation_id]
    return contract.OpenHoldFacts(
        path=query.path_of(found.trees.get, stack, root.id),
        stack=lookup.identity_of(stack),
        root=lookup.identity_of(root),
        project_id=stack.project_id,
        operation_id=operation.id,
        action=operation.action.value,
        cause=operation.origin.cause,
        requested_by=operation.requested_by,
        policy_set_by=operation.origin.policy_setter.label,
        hold=query.hold_facts(run.hold),
    )
