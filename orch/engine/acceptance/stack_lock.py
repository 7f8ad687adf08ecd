"""Lock a stack so that no operation on it starts or finishes."""

import dataclasses

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.model import operation
from orch.model import stack as stack_model
from orch.model import states


class InProgress(errors.Conflict):
    """An operation of the stack is in progress, and its worker is alive."""

    code = "orch.stack.action_in_progress"


def check_idle(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> None:
    """Raise InProgress if an operation of the stack has not ended.

    :param stack: locked
    :raises InProgress: an operation is open
    """
    is_busy = stack.status is states.Status.IN_PROGRESS
    if is_busy or operations.find_open(connection, stack.id):
        raise InProgress(
            f"Stack {stack.name} already has an action"
            f" ({stack.action}) in progress."
        )


@dataclasses.dataclass(frozen=True, slots=True)
class LockedStack:
    """A stack that is locked until the transaction ends.

    :ivar newest: its newest operation if that is open
    :ivar is_running: a worker runs an operation, and numbers the events of the
        stack
    """

    stack: stack_model.Stack
    newest: operation.Operation | None
    is_running: bool


def lock_stack(
    connection: db_engine.Connection, stack_id: ids.StackId
) -> LockedStack:
    """Lock the open operation of a stack, or the stack where none is open.

    The operation is locked first, in the same order as the worker that runs
    it. While it is locked no other is accepted: that would supersede it.

    :raises orch.errors.NotFound: there is no such stack
    """
    stack = stacks.get(connection, stack_id)
    found = lock_open(connection, stack.operation_id)
    if found is None:
        stack = stacks.lock(connection, stack_id)
        # One may have been accepted a moment ago.
        found = lock_open(connection, stack.operation_id)
    is_running = found is not None and any(
        each.state is states.OperationState.RUNNING
        for each in operations.find_open(connection, stack_id)
    )
    return LockedStack(stack, found, is_running)


def lock_open(
    connection: db_engine.Connection, operation_id: ids.OperationId | None
) -> operation.Operation | None:
    """Lock an operation; ``None`` if it has ended, or there is none."""
    if operation_id is None:
        return None
    found = operations.lock(connection, operation_id)
    return found if found.state in states.OPEN_STATES else None
