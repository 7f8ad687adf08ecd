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
from orch.engine.stack_inputs import store
from orch.flow.state import fence
from orch.flow.state import parking
from orch.flow.state import submit
from orch.model import adoption
from orch.model import converge
from orch.model import lease
from orch.model import operation
from orch.model import repair
from orch.model import retry_exclusions
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.plugin import call_context
from orch.template import errors as template_errors
from orch.template import inputs as template_inputs
from orch.template import limits as template_limits
from orch.template import template

Values = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class Wish:
    """What an inner stack is to become.

    :ivar asked: the operation that brings it about
    :ivar inputs: what its template is made of
    :ivar bound: its template
    :ivar timeout_s: how long its operations may take from now on; ``None``
        for as long as they may, or those of the outer one
    """

    context: call_context.Context
    asked: operation.Operation
    inputs: template_inputs.Inputs
    bound: template.Template
    timeout_s: int | None = None


_WITHIN: typing.Final = "within"
"""Option of an operation that another one asked for: its id and attempt."""

_ORIGIN: typing.Final = "origin"
"""Option beside: the id of the operation at the top of that chain."""

DATA: typing.Final = "holder_data"
"""Option beside: what the holder of the stack wants to remember."""

SNAPSHOT: typing.Final = "inner_snapshot_id"
"""Key of what is kept of a snapshot: that of the inner stack."""

_PASSED_ON: typing.Final = (
    "keep_going",
    converge.OPTION,
    repair.OPTION,
    *adoption.PASSED_ON,
)
"""Options of the outer operation that hold for the inner ones."""

_LONGEST_NAME: typing.Final = 255


def name_of(context: call_context.Context) -> str:
    """Return the name of an inner stack, its end kept where it is long."""
    name = context.physical_name
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:2]}-{name[3 - _LONGEST_NAME :]}"


def operation_of(
    outer: operation.Operation,
    around: stack.Stack,
    context: call_context.Context,
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
    options[_ORIGIN] = origin_of(outer)
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
    context: call_context.Context,
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
    """Answer whether this attempt of an outer operation asked for one.

    What an earlier attempt asked for, and somebody completed without a part
    of it, stands for all attempts of the outermost operation.
    """
    return asked.options.get(_WITHIN) == [outer.id, outer.attempt] or (
        asked.state is states.OperationState.COMPLETE
        and is_shortened(asked)
        and origin_of(asked) == origin_of(outer)
    )


def is_within(asked: operation.Operation, outer_id: ids.OperationId) -> bool:
    """Answer whether an attempt of an outer operation asked for one."""
    within = asked.options.get(_WITHIN)
    return isinstance(within, list) and within[0] == outer_id


def is_shortened(asked: operation.Operation) -> bool:
    """Answer whether an operation was told to leave something out."""
    return (
        retry_exclusions.Exemption.of(asked.options)
        != retry_exclusions.NOTHING
    )


def origin_of(asked: operation.Operation) -> str:
    """Return the id of the operation that all of this began with."""
    return str(asked.options.get(_ORIGIN, asked.id))


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
    context: call_context.Context,
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
    hashes = store.store_inputs(connection, inputs, bound)
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
    # Columns by name; each has the type of its field.
    subject = dataclasses.replace(found, **columns)  # type: ignore[arg-type]
    again = _again(connection, found, asked)
    if again is None:
        columns["updated_at"] = asked.created_at
        again = _accept(connection, found, asked, **columns)
    return subject, again


def make(
    connection: db_engine.Connection,
    wishes: collections.abc.Sequence[Wish],
    around: stack.Stack,
    limits: template_limits.Limits,
    taken: lease.Taken | None,
    most_taken: int,
) -> list[submit.Accepted]:
    """Accept inner stacks that do not exist; all of them or none.

    The cost is that of a few, however many they are.

    :param around: the stack that holds them
    :param taken: who runs the first of them at once
    :param most_taken: how many those are
    :returns: none, when one of them exists or there is no room for all
    """
    stack_ids = [each.asked.stack_id for each in wishes]
    if stacks.find_known(connection, stack_ids):
        return []
    count = sum(len(each.bound.resources) for each in wishes)
    if not stacks.count(connection, around.root_id, count, limits.resources):
        return []
    hashes = store.store_many(
        connection, [(each.inputs, each.bound) for each in wishes]
    )
    wanted = []
    for each, (template_hash, environment_hash) in zip(
        wishes, hashes, strict=True
    ):
        asked = dataclasses.replace(
            each.asked,
            template_hash=template_hash,
            environment_hash=environment_hash,
        )
        size = len(each.bound.resources)
        subject = _made(asked, around, each.context, each.bound, size)
        if each.timeout_s is not None:
            subject = dataclasses.replace(subject, timeout_s=each.timeout_s)
        wanted.append((subject, asked))
    return submit.accept_inner(connection, wanted, taken, most_taken)


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
    context: call_context.Context,
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
    if not _is_whole(last, asked):
        return None
    again = dataclasses.replace(
        last,
        context=asked.context,
        options={**_going_on(last), **asked.options},
    )
    if not submit.accept_retry(connection, subject, again, asked.created_at):
        return None
    if subject.is_astray:
        stacks.update(connection, subject.id, is_astray=False)
    return last.id


def _going_on(last: operation.Operation) -> dict[str, object]:
    """Return the options that a new attempt has by itself."""
    known = parking.uncounted(last.options)
    # Whether things are looked at is asked anew.
    return {
        key: value for key, value in known.items() if key != converge.OPTION
    }


def _is_whole(last: operation.Operation, asked: operation.Operation) -> bool:
    """Answer whether going on with an operation brings all that is asked.

    What somebody left out by the stack's own URL stays so only while the
    same outermost operation goes on.
    """
    return not is_shortened(last) or origin_of(last) == origin_of(asked)


def _accept(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
    **columns: object,
) -> ids.OperationId:
    columns.setdefault("is_astray", False)
    submit.accept(connection, subject, asked, **columns)
    return asked.id
