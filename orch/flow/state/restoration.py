"""Restore the inputs of a stack whose operation ends before it did anything.

The stack has its new inputs from the moment that an operation is accepted.
The operation has those before: they return in the transaction that ends it.
"""

import collections.abc
import dataclasses
import typing

from orch.db import engine as db_engine
from orch.db.repositories import lifecycle
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.flow.state import conclusion
from orch.model import operation as operation_model
from orch.model import repair
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states

BEFORE: typing.Final = "before"
"""Option of an operation: columns of the stack before it was accepted."""

SUPERSEDED: typing.Final = "superseded"
"""Option of an operation: the id of the one that it has superseded, and the
columns of the stack that this one had brought."""

SET_ASIDE: typing.Final = "set_aside"
"""Option of an operation that did nothing: the columns it had brought."""

UNCREATED: typing.Final = "uncreated"
"""Option of an operation: nothing of its stack was created before it."""

Columns = dict[str, typing.Any]
Rows = collections.abc.Iterable[resource.Resource]

_INPUTS: typing.Final = (
    "template_hash",
    "environment_hash",
    "good_template_hash",
    "good_environment_hash",
    "description",
    "disable_rollback",
    "resource_count",
    "tags",
    "timeout_s",
    "updated_at",
    "has_diverged",
)
_STATE: typing.Final = ("action", "status", "status_reason")
_CUT_SHORT: typing.Final = (
    "It was cut short by a request that then did nothing; update the stack"
)


def inputs_of(stack: stack_model.Stack) -> Columns:
    """Return the columns that an operation may change when it is accepted."""
    return {name: getattr(stack, name) for name in _INPUTS}


def state_of(stack: stack_model.Stack) -> Columns:
    """Return the columns of the state of a stack."""
    return {name: getattr(stack, name) for name in _STATE}


def columns_of(
    stored: object, *, has_state: bool = False
) -> dict[str, typing.Any]:
    """Return stored columns as a stack has them.

    :param has_state: with those of its state
    """
    found = typing.cast(Columns, stored)
    columns: dict[str, typing.Any] = {name: found[name] for name in _INPUTS}
    columns["tags"] = tuple(columns["tags"])
    if has_state:
        columns["action"] = states.Action(found["action"])
        columns["status"] = states.Status(found["status"])
        columns["status_reason"] = found["status_reason"]
    return columns


def ended_columns(stored: object) -> dict[str, typing.Any]:
    """Return stored columns, with the state, as no operation is in progress.

    An operation that was in progress then has been superseded since, by one
    that did nothing: it will not end any more, so it has failed.
    """
    columns = columns_of(stored, has_state=True)
    if columns["status"] is states.Status.IN_PROGRESS:
        columns["status"] = states.Status.FAILED
        columns["status_reason"] = _CUT_SHORT
    return columns


def find_before(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> Columns:
    """Return the columns that a new operation of a stack returns to.

    An operation that no worker has taken up has done nothing: what was before
    it is what was before the new one.

    :param stack: locked, and as it was before the new operation
    """
    for each in operations.find_open(connection, stack.id):
        found = operations.lock(connection, each.id)
        is_new = found.state is states.OperationState.WAITING
        if is_new and not found.fence and BEFORE in found.options:
            return dict(typing.cast(Columns, found.options[BEFORE]))
    stack = stack_in_force(connection, stack)
    return {**inputs_of(stack), **state_of(stack)}


def stack_in_force(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> stack_model.Stack:
    """Return a stack with the state before an operation that did nothing.

    That state says what may be requested next.
    """
    if stack.status is not states.Status.FAILED or stack.operation_id is None:
        return stack
    last = operations.find(connection, stack.operation_id)
    if last is None or SET_ASIDE not in last.options:
        return stack
    before = last.options.get(BEFORE)
    if before is None:
        return stack
    found = ended_columns(before)
    return dataclasses.replace(stack, **{name: found[name] for name in _STATE})


def inputs_in_force(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> stack_model.Stack:
    """Return a stack with the inputs before an operation that is held.

    Those of the operation are not approved yet.
    """
    if stack.operation_id is None:
        return stack
    last = operations.find(connection, stack.operation_id)
    if (
        last is None
        or last.state is not states.OperationState.BLOCKED
        or BEFORE not in last.options
    ):
        return stack
    run = lifecycle.find(connection, last.id, last.attempt)
    if run is None or run.hold is None or not run.hold.is_open:
        return stack
    return dataclasses.replace(stack, **columns_of(last.options[BEFORE]))


def is_uncreated(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> bool:
    """Whether nothing of a stack was created yet: its creation has not begun.

    It waits, is held or was denied; so are updates that followed it.

    :param stack: as it was before a new operation
    """
    is_complete = stack.status is states.Status.COMPLETE
    if stack.operation_id is None or (
        is_complete and stack.action in states.BRINGING_ABOUT
    ):
        return False
    last = operations.find(connection, stack.operation_id)
    return (
        last is not None
        and (last.action in states.BEGINNING or UNCREATED in last.options)
        and all(
            row.action is states.Action.INIT or row.is_unadopted
            for row in resources.list_(connection, stack.id)
        )
    )


def begins_stack(operation: operation_model.Operation) -> bool:
    """Whether an operation creates its stack; some updates do."""
    is_update = operation.action is states.Action.UPDATE
    return operation.action in states.BEGINNING or (
        is_update and UNCREATED in operation.options
    )


def mark_uncreated(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
) -> operation_model.Operation:
    """Return a new operation, with an option where nothing was created yet.

    Lifecycle plug-ins judge an update with it as the creation.
    """
    if not is_uncreated(connection, stack):
        return operation
    return dataclasses.replace(
        operation, options={**operation.options, UNCREATED: True}
    )


def has_touched(operation: operation_model.Operation, rows: Rows) -> bool:
    """Whether an operation has started a change of any resource."""
    return any(
        row.operation_id == operation.id
        and row.action is not states.Action.INIT
        for row in rows
    )


def restored(
    found: conclusion.Conclusion,
    operation: operation_model.Operation,
    stack: stack_model.Stack,
    rows: Rows,
    *,
    is_cancelled: bool,
) -> conclusion.Conclusion:
    """Return the conclusion of an operation that did nothing.

    The stack is what it was before; a repair leaves its state, too. What the
    operation has superseded continues, unless it was cancelled: after a cancel
    nothing is in progress.
    """
    before = operation.options.get(BEFORE)
    if before is None:
        return found
    is_repair = repair.TRIES in operation.options
    columns = ended_columns(before) if is_repair else columns_of(before)
    options = {**operation.options, SET_ASIDE: inputs_of(stack)}
    new_rows = tuple(
        row.id
        for row in rows
        if row.operation_id == operation.id
        and row.action is states.Action.INIT
    )
    return dataclasses.replace(
        found,
        stack_columns={**found.stack_columns, **columns},
        operation_columns={**found.operation_columns, "options": options},
        tree_change=columns["resource_count"] - stack.resource_count,
        dropped=(*found.dropped, *new_rows),
        continued=None if is_cancelled else operation.options.get(SUPERSEDED),
    )


def hand_on(
    connection: db_engine.Connection, ended: operation_model.Operation
) -> None:
    """Store what was before a superseded operation with its successor.

    :param ended: the operation, which did nothing
    """
    if ended.superseded_by is None or BEFORE not in ended.options:
        return
    newer = operations.lock(connection, ended.superseded_by)
    if newer.state in states.OPEN_STATES and BEFORE in newer.options:
        options = {**newer.options, BEFORE: ended.options[BEFORE]}
        operations.set_options(connection, newer.id, options)


def bring_back(
    stack: stack_model.Stack, failed: operation_model.Operation
) -> tuple[Columns, operation_model.Operation]:
    """Return the inputs of an operation that did nothing, to retry it.

    :returns: the columns, and the operation that would return to those of now
    """
    options = dict(failed.options)
    aside = options.pop(SET_ASIDE, None)
    if aside is None:
        return {}, failed
    before = typing.cast(Columns, options[BEFORE])
    options[BEFORE] = {**before, **inputs_of(stack)}
    return columns_of(aside), dataclasses.replace(failed, options=options)
