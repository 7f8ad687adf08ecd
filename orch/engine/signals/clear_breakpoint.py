"""Clear the breakpoint that a resource waits at."""

import collections.abc
import dataclasses

from orch import errors as base_errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import breakpoints as stored_breakpoints
from orch.db.repositories import leases
from orch.db.repositories import stacks
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import stack_lock
from orch.engine.judged_requests import judged_request
from orch.flow.state import submit as flow_submit
from orch.model import breakpoints
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.rpc import contract

FindAll = collections.abc.Callable[
    [], collections.abc.Sequence[resource.Resource]
]
"""Reads all incarnations of a resource."""

CLEARS = "unset_hook"
"""Key of a signal that clears a breakpoint; the plug-in does not get it."""


class NotWaiting(base_errors.Invalid):
    """The resource does not wait at the breakpoint that is to be cleared."""

    code = "orch.resource.not_waiting"


def clear_breakpoint(
    connection: db_engine.Connection,
    stack: stack.Stack,
    find_all: FindAll,
    given: object,
    judged: judged_request.JudgedRequest,
) -> contract.Accepted:
    """Release the resources that wait at a breakpoint.

    It does not matter whether a worker has the operation. The lock of the
    operation comes first: its conductor looks for cleared breakpoints under
    the same lock before it parks the operation.

    Lifecycle plug-ins judge it: the operation changes resources at a later
    time than it was allowed.

    :param given: the breakpoint, as the caller names it
    :returns: the operation that may go on
    :raises NotWaiting: the resource does not wait there
    """
    rows = find_all()
    hook = _hook_of(given)
    found = stack_lock.lock_open(connection, stack.operation_id)
    if found is not None:
        rows = find_all()
    waiting = _waiting(rows, found, hook)
    if found is None or not waiting:
        raise NotWaiting(
            f"The resource {rows[0].name} of stack {stack.name} does not"
            f" wait at the breakpoint {hook}."
        )
    judged.check(stack, waiting[0].name)
    judged.allow(connection)
    stored_breakpoints.save_many(
        connection,
        [_released(row, found.id, hook) for row in waiting],
    )
    unblock_operation(connection, stack, found)
    return operation_factory.accepted_facts(found, stack.name)


def unblock_operation(
    connection: db_engine.Connection,
    stack: stack.Stack,
    found: operation.Operation,
) -> bool:
    """Unpark a blocked operation, so that any worker may claim it.

    :returns: false where it is not blocked, or another caller was first
    """
    is_unparked = leases.unpark(connection, found.id)
    if is_unparked:
        usual = flow_submit.started_stack(stack, found).status_reason
        stacks.update(connection, stack.id, status_reason=usual, blocked=None)
    return is_unparked


def _hook_of(given: object) -> str:
    if given in breakpoints.NAMES:
        return str(given)
    raise NotWaiting(
        f'"{str(given)[:100]}" is no breakpoint; they are:'
        f" {', '.join(breakpoints.NAMES)}."
    )


def _waiting(
    rows: collections.abc.Iterable[resource.Resource],
    found: operation.Operation | None,
    hook: str,
) -> list[resource.Resource]:
    if found is None:
        return []
    return [
        row
        for row in rows
        if breakpoints.states_of(row, found.id).get(hook)
        == breakpoints.WAITING
    ]


def _released(
    row: resource.Resource, operation_id: ids.OperationId, hook: str
) -> resource.Resource:
    return dataclasses.replace(
        row,
        hooks=breakpoints.with_state(
            row, operation_id, hook, breakpoints.RELEASED
        ),
    )
