"""Which snapshots of a stack are deleted with it.

One that a snapshot of the parent includes is deleted with that one: the
parent may be restored from it after the child stack is gone.
"""

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.model import operation
from orch.model import snapshot
from orch.model import stack


def list_own(
    connection: db_engine.Connection, stack_id: ids.StackId
) -> list[snapshot.Snapshot]:
    """Return the snapshots of a stack that no snapshot of its parent has."""
    return [
        each
        for each in snapshots.list_(connection, stack_id)
        if not _is_included(connection, each)
    ]


def delete_own(connection: db_engine.Connection, stack: stack.Stack) -> None:
    """Delete the rows of snapshots that are deleted with a stack.

    With a root all rows of its tree are.
    """
    if stack.parent_id is None:
        snapshots.delete_tree(connection, stack.id)
        return
    for each in list_own(connection, stack.id):
        snapshots.delete(connection, each.id)


def _is_included(
    connection: db_engine.Connection, found: snapshot.Snapshot
) -> bool:
    taken_by = operations.get(connection, found.operation_id)
    within = taken_by.options.get(operation.WITHIN)
    # A snapshot has the id of the operation that takes it.
    return isinstance(within, list) and (
        snapshots.find(connection, str(within[0])) is not None
    )
