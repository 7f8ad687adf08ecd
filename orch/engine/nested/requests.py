"""Asks for operations of inner stacks, in the transaction of the caller."""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine import ownership
from orch.engine import stored
from orch.flow import fence
from orch.flow import parking
from orch.flow import submit
from orch.model import adoption
from orch.model import operation
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.plugin import resource
from orch.template import errors as template_errors
from orch.template import inputs as template_inputs
from orch.template import limits as template_limits
from orch.template import template

Values = collections.abc.Mapping[str, object]

_WITHIN: typing.Final = "within"
"""Option of an operation that another one asked for: its id and attempt."""

DATA: typing.Final = "holder_data"
"""Option beside: what the holder of the stack wants to remember."""

SNAPSHOT: typing.Final = "inner_snapshot_id"
"""Key of what is kept of a snapshot: that of the inner stack."""

_PASSED_ON: typing.Final = ("keep_going", *adoption.PASSED_ON)
"""Options of the outer operation that hold for the inner ones."""

_LONGEST_NAME: typing.Final = 255


def name_of(context: resource.Context) -> str:
    """Return the name of an inner stack, its end kept where it is long."""
    name = context.physical_name
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:2]}-{name[3 - _LONGEST_NAME :]}"


def operation_of(
    outer: operation.Operation,
    around: stack.Stack,
    context: resource.Context,
    action: states.Action,
    clock_: clock.Clock,
    more: Values | None = None,
) -> operation.Operation:
    """Return the operation that an outer one asks for.

    :param around: the stack that holds the inner one
    :param more: further options
    """
    options: dict[str, object] = {
        key: outer.options[key] for key in _PASSED_ON if key in outer.options
    }
    options[_WITHIN] = [outer.id, outer.attempt]
    options.update(more or {})
    return operation.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=ids.StackId(context.token),
        project_id=outer.project_id,
        action=action,
        state=states.OperationState.WAITING,
        depth=around.depth + 1,
        options=options,
        context=outer.context,
        created_at=clock_.now(),
    )


def free_operation(
    around: stack.Stack,
    context: resource.Context,
    asked_by: request.RequestContext,
    clock_: clock.Clock,
) -> operation.Operation:
    """Return an update of an inner stack that no outer operation asks for."""
    return operation.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=ids.StackId(context.token),
        project_id=around.project_id,
        action=states.Action.UPDATE,
        state=states.OperationState.WAITING,
        depth=around.depth + 1,
        context=asked_by.to_stored(),
        created_at=clock_.now(),
    )


def is_of(asked: operation.Operation, outer: operation.Operation) -> bool:
    """Answer whether this attempt of an outer operation asked for one."""
    return asked.options.get(_WITHIN) == [outer.id, outer.attempt]


def data_of(asked: operation.Operation) -> Values:
    """Return what the holder wanted to remember."""
    found = asked.options.get(DATA)
    return found if isinstance(found, dict) else {}


def hold(
    connection: db_engine.Connection, held: fence.Fence, ttl_s: float
) -> None:
    """Return only if the outer operation is still ours to run.

    :raises orch.db.errors.LeaseLost: it is another worker's
    """
    leases.touch(connection, held.operation_id, held.number, ttl_s)


def act(
    connection: db_engine.Connection, asked: operation.Operation
) -> ids.OperationId | None:
    """Accept an operation that needs no template.

    :returns: the one that waits now; ``None`` when the stack is gone
    """
    found = stacks.find(connection, asked.stack_id)
    if found is None or found.deleted_at is not None:
        return None
    subject = stacks.lock(connection, asked.stack_id)
    if asked.action is not states.Action.DELETE:
        asked = submit.of_stack(asked, subject)
    else:
        stacks.count(connection, subject.root_id, -subject.resource_count)
        submit.accept(connection, subject, asked, resource_count=0)
        return asked.id
    again = _again(connection, subject, asked)
    if again is None and asked.action is states.Action.SNAPSHOT:
        snapshots.insert(connection, snapshot.begun(asked, subject, None))
    return again or _accept(connection, subject, asked)


def bring(
    connection: db_engine.Connection,
    asked: operation.Operation,
    around: stack.Stack,
    context: resource.Context,
    inputs: template_inputs.Inputs,
    bound: template.Template,
    limits: template_limits.Limits,
    document: Values | None = None,
    timeout_s: int | None = None,
) -> tuple[stack.Stack, ids.OperationId]:
    """Accept that an inner stack becomes what a template says.

    :param around: the stack that holds it
    :param document: what a stack that does not exist is adopted from
    :param timeout_s: how long its operations may take from now on; ``None``
        for as long as they may, or those of the outer one
    :returns: the stack, and the operation that waits now
    :raises orch.template.errors.TooLarge: nothing was written
    :raises orch.errors.NotSupported: it is suspended; nothing was written
    """
    hashes = stored.store_inputs(connection, inputs, bound)
    count = len(bound.resources)
    asked = dataclasses.replace(
        asked, template_hash=hashes[0], environment_hash=hashes[1]
    )
    found = stacks.find(connection, asked.stack_id)
    if found is None:
        _check_room(connection, around, count, limits)
        if document is not None:
            asked = ownership.begin_inner(
                connection, asked, bound.resources, document
            )
        subject = _made(asked, around, context, bound, count)
        if timeout_s is not None:
            subject = dataclasses.replace(subject, timeout_s=timeout_s)
        submit.accept_new(connection, subject, asked)
        return subject, asked.id
    found = stacks.lock(connection, asked.stack_id)
    # Counted last: a signal that is refused commits what it wrote so far.
    _check_awake(found, asked)
    _check_room(connection, around, count - found.resource_count, limits)
    columns: dict[str, object] = {
        "template_hash": hashes[0],
        "environment_hash": hashes[1],
        "description": str(bound.description),
        "resource_count": count,
        # Somebody may have deleted it by its own URL: then it is back.
        "deleted_at": None,
    }
    if timeout_s is not None:
        columns["timeout_s"] = timeout_s
    subject = dataclasses.replace(found, **columns)  # type: ignore[arg-type]
    again = _again(connection, found, asked)
    if again is None:
        columns["updated_at"] = asked.created_at
        again = _accept(connection, found, asked, **columns)
    return subject, again


def _check_awake(found: stack.Stack, asked: operation.Operation) -> None:
    """Return only if the stack may be updated.

    :raises orch.errors.NotSupported: somebody has suspended it alone
    """
    if (
        asked.action is states.Action.UPDATE
        and found.action is states.Action.SUSPEND
    ):
        raise errors.NotSupported(
            "Updating a stack when it is suspended is not supported: resume"
            f" the stack {found.name} first."
        )


def _check_room(
    connection: db_engine.Connection,
    around: stack.Stack,
    more: int,
    limits: template_limits.Limits,
) -> None:
    if not stacks.count(connection, around.root_id, more, limits.resources):
        raise template_errors.TooLarge(
            "Request limit exceeded: Maximum resources per stack exceeded."
        )


def _made(
    asked: operation.Operation,
    around: stack.Stack,
    context: resource.Context,
    bound: template.Template,
    count: int,
) -> stack.Stack:
    """Return an inner stack that did not exist."""
    assert asked.template_hash and asked.environment_hash
    return stack.Stack(
        id=asked.stack_id,
        project_id=around.project_id,
        name=name_of(context),
        action=asked.action,
        status=states.Status.IN_PROGRESS,
        status_reason="",
        template_hash=asked.template_hash,
        environment_hash=asked.environment_hash,
        description=str(bound.description),
        disable_rollback=True,
        timeout_s=around.timeout_s,
        user_id=around.user_id,
        username=around.username,
        parent_id=around.id,
        parent_resource=context.name,
        root_id=around.root_id,
        depth=around.depth + 1,
        resource_count=count,
        operation_id=asked.id,
        created_at=asked.created_at,
    )


def _again(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
) -> ids.OperationId | None:
    """Go on with the stack's own operation, if it is the same that failed."""
    if subject.operation_id is None:
        return None
    last = operations.get(connection, subject.operation_id)
    is_same = (last.action, last.template_hash, last.environment_hash) == (
        asked.action,
        asked.template_hash,
        asked.environment_hash,
    )
    if not is_same or last.state is not states.OperationState.FAILED:
        return None
    again = dataclasses.replace(
        last,
        context=asked.context,
        options={**parking.uncounted(last.options), **asked.options},
    )
    if submit.accept_retry(connection, subject, again, asked.created_at):
        return last.id
    return None


def _accept(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
    **columns: object,
) -> ids.OperationId:
    submit.accept(connection, subject, asked, **columns)
    return asked.id
