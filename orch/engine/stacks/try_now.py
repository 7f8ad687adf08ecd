"""Let blocked operations of a tree make their calls at once."""

import collections.abc

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import blocked as stored_blocked
from orch.db.repositories import operations
from orch.engine.acceptance import stack_lock
from orch.engine.signals import clear_breakpoint
from orch.model import blocked
from orch.model import stack
from orch.rpc import contract


class CancelFirst(stack_lock.InProgress):
    """What waits is tried as it is; nothing else can be asked of it."""

    code = "orch.stack.cancel_first"


def try_now(
    connection: db_engine.Connection,
    around: stack.Stack,
    options: contract.StackOptions,
) -> list[ids.OperationId]:
    """Let the operations that are blocked continue, before their time.

    Those of the stack and of the stacks in it. The rows alone say so: any
    worker may take them.

    :param around: locked, and in progress
    :returns: those operations; none where nothing waits for another try
    :raises CancelFirst: the retry has options
    """
    waiting = [
        each
        for each in _within(
            connection,
            around,
            stored_blocked.list_stacks(connection, around.root_id),
        )
        if blocked.Blocked.of(each.blocked).has_retries
    ]
    given = sorted(options.keys() - {"retry"})
    if waiting and given:
        raise CancelFirst(
            f"Stack {around.name} waits for another try, which a retry makes"
            " at once, but without options: cancel the action before"
            f" (cancel_without_rollback), then retry with"
            f" {', '.join(given)}."
        )
    return [
        operation_id
        for each in waiting
        if (operation_id := _unpark(connection, each)) is not None
    ]


def _unpark(
    connection: db_engine.Connection, waiting: stack.Stack
) -> ids.OperationId | None:
    """Return the operation, unless another caller or a worker was first."""
    assert waiting.operation_id is not None
    found = operations.get(connection, waiting.operation_id)
    if clear_breakpoint.unblock_operation(connection, waiting, found):
        return found.id
    return None


def _within(
    connection: db_engine.Connection,
    around: stack.Stack,
    found: collections.abc.Sequence[stack.Stack],
) -> list[stack.Stack]:
    """Return those that are a stack, or below it."""
    if around.parent_id is None or not found:
        return list(found)
    parents = stored_blocked.list_parents(connection, around.root_id)

    def is_below(stack_id: ids.StackId | None) -> bool:
        while stack_id is not None and stack_id != around.id:
            stack_id = parents.get(stack_id)
        return stack_id is not None

    return [each for each in found if is_below(each.id)]
