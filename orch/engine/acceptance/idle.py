"""Check that no operation of a stack is in progress."""

from orch import errors
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.model import stack
from orch.model import states


class InProgress(errors.Conflict):
    """An operation of the stack is in progress, and its worker is alive."""

    code = "orch.stack.action_in_progress"


def check_idle(connection: db_engine.Connection, stack: stack.Stack) -> None:
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
