"""One approval for a tree: it counts for the holds of child stacks, too.

A plug-in that is called for each stack may hold many operations that one
operation of the root consists of. The approval of one of them approves all
that the plug-in holds for child stacks there, unless it asks for each
separately.
"""

from orch.db import engine as db_engine
from orch.db.repositories import lifecycle as stored_lifecycle
from orch.db.repositories import operations
from orch.engine.nested import child_requests
from orch.model import lifecycle
from orch.model import operation as operation_model
from orch.model import stack as stack_model


def find_approval(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
    hold: lifecycle.Hold,
) -> lifecycle.Hold | None:
    """Return the approved hold that counts for a new one, if there is any.

    :param operation: that is to be held, of the stack
    """
    origin_id = child_requests.origin_of(operation)
    if hold.is_separate or origin_id == operation.id:
        return None
    outermost = operations.find(connection, origin_id)
    if outermost is None or outermost.started_at is None:
        return None
    approved = stored_lifecycle.list_approved(
        connection, stack.root_id, hold.plugin, outermost.started_at
    )
    for run in _in_operation(connection, approved, origin_id):
        if run.hold is not None and _counts_for(run.hold, hold):
            return run.hold
    return None


def list_others(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
    hold: lifecycle.Hold,
) -> list[lifecycle.Run]:
    """Return the open holds of child stacks that an approval counts for.

    :param hold: that is approved
    :param operation: that it held, of the stack
    """
    origin_id = child_requests.origin_of(operation)
    held = [
        run
        for run in stored_lifecycle.list_held(connection, stack.root_id)
        if run.operation_id not in (operation.id, origin_id)
        and run.hold is not None
        and run.hold.plugin == hold.plugin
        and _counts_for(hold, run.hold)
    ]
    return _in_operation(connection, held, origin_id)


def _in_operation(
    connection: db_engine.Connection,
    runs: list[lifecycle.Run],
    origin_id: str,
) -> list[lifecycle.Run]:
    """Return those of the runs that belong to an outermost operation."""
    found = operations.list_some(
        connection, {each.operation_id for each in runs}
    )
    within = {
        each.id
        for each in found
        if child_requests.origin_of(each) == origin_id
    }
    return [each for each in runs if each.operation_id in within]


def _counts_for(approved: lifecycle.Hold, other: lifecycle.Hold) -> bool:
    """Whether the approval of one hold is one of another, too."""
    if approved.is_separate or other.is_separate:
        return False
    return approved.needs_other or not other.needs_other
