"""Restore the size of a group when its resize operation fails.

A signal gives the group its new size at once, and an operation of the group's
stack follows. Where that is denied, the group goes back to its old size; where
it completes after all, in a retry, to the new one.
"""

import dataclasses

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.events import scaling
from orch.model import operation
from orch.model import stack


def is_resize(operation: operation.Operation) -> bool:
    """Whether a scaling signal requested the operation."""
    return scaling.find_data(operation) is not None


def undo_resize(
    connection: db_engine.Connection,
    stack: stack.Stack,
    operation: operation.Operation,
) -> None:
    """Set the group back to the size before the operation.

    :param stack: the group's own stack
    """
    found = scaling.find_data(operation)
    if found is not None:
        before, since = found
        _change(connection, stack, since, before)


def redo_resize(
    connection: db_engine.Connection,
    stack: stack.Stack,
    operation: operation.Operation,
) -> None:
    """Set the group to the size that the signal requested.

    :param stack: the group's own stack
    """
    found = scaling.find_data(operation)
    if found is not None:
        before, since = found
        _change(connection, stack, before, since)


def _change(
    connection: db_engine.Connection,
    stack: stack.Stack,
    old: scaling.Data,
    new: scaling.Data,
) -> None:
    """Change the data of the group, unless they have changed otherwise."""
    if stack.parent_id is None:
        return
    row = resources.find(connection, ids.ResourceId(stack.id), stack.parent_id)
    if row is not None and dict(row.data) == dict(old):
        resources.save_many(connection, [dataclasses.replace(row, data=new)])
