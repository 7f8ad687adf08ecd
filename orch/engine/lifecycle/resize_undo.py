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


def set_size(
    connection: db_engine.Connection,
    stack: stack.Stack,
    operation: operation.Operation,
    *,
    is_undone: bool,
) -> None:
    """Set a group to the size that a signal requested, or back.

    Nothing changes where no signal requested the operation, and where the
    size has changed otherwise.

    :param stack: the group's own stack
    :param is_undone: set it back to the size before the operation
    """
    found = scaling.find_data(operation)
    if found is None or stack.parent_id is None:
        return
    old, new = reversed(found) if is_undone else found
    row = resources.find(connection, ids.ResourceId(stack.id), stack.parent_id)
    if row is not None and dict(row.data) == dict(old):
        resources.save_many(connection, [dataclasses.replace(row, data=new)])
