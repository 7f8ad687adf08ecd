"""List the open holds, which wait for approval or rejection."""

from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import lifecycle as stored_lifecycle
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.lifecycle import query
from orch.engine.queries import lookup
from orch.rpc import contract


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
    return deps.database.query(
        lambda connection: _read_holds(connection, project_id)
    )


def _read_holds(
    connection: db_engine.Connection, project_id: str | None
) -> list[contract.OpenHoldFacts]:
    runs = stored_lifecycle.list_held_of_project(connection, project_id)
    roots = {
        stacks.get(connection, each).root_id
        for each in sorted({run.stack_id for run in runs})
    }
    trees = {each.id: each for each in stacks.list_trees(connection, roots)}
    found = []
    for run in runs:
        stack = trees[run.stack_id]
        root = trees.get(stack.root_id)
        if root is None or run.hold is None:
            continue
        operation = operations.get(connection, run.operation_id)
        found.append(
            contract.OpenHoldFacts(
                path=query.path_of(trees.get, stack, root.id),
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
        )
    return found
