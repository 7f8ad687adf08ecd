"""Accept operations of child stacks, in the transaction of the caller."""

import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine import external_ids
from orch.engine import ownership
from orch.engine import verification
from orch.engine.nested import child_requests
from orch.engine.nested import new_types
from orch.engine.stack_inputs import store
from orch.flow.state import fence
from orch.flow.state import parking
from orch.flow.state import restoration
from orch.flow.state import submit
from orch.model import converge
from orch.model import lease
from orch.model import operation as operation_model
from orch.model import retry_exclusions
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.plugin import call_context
from orch.plugin import registry
from orch.template import errors as template_errors
from orch.template import inputs as template_inputs
from orch.template import resource_count
from orch.template import template
from orch.template.resources import declaration

Values = collections.abc.Mapping[str, object]


def check_parent_lease(
    connection: db_engine.Connection, held: fence.Fence, ttl_s: float
) -> None:
    """Raise LeaseLost if another worker runs the parent's operation.

    :raises orch.db.errors.LeaseLost: it is another worker's
    """
    leases.touch(connection, held.operation_id, held.number, ttl_s)


def accept_action(
    connection: db_engine.Connection, operation: operation_model.Operation
) -> ids.OperationId | None:
    """Accept an operation that needs no template.

    :returns: the one that waits now; ``None`` when the stack is gone
    """
    found = stacks.find(connection, operation.stack_id)
    if found is None or found.deleted_at is not None:
        return None
    stack = stacks.lock(connection, operation.stack_id)
    if operation.action is not states.Action.DELETE:
        operation = submit.stack_operation(operation, stack)
    else:
        stacks.add_to_count(connection, stack.root_id, -stack.resource_count)
        submit.accept_operation(connection, stack, operation, resource_count=0)
        return operation.id
    again = _retry_failed(connection, stack, operation)
    if again is None and operation.action is states.Action.SNAPSHOT:
        snapshots.insert(
            connection, snapshot.new_snapshot(operation, stack, None)
        )
    return again or _accept_operation(connection, stack, operation)


def accept_change(
    connection: db_engine.Connection,
    operation: operation_model.Operation,
    around: stack.Stack,
    context: call_context.Context,
    inputs: template_inputs.Inputs,
    parsed_template: template.Template,
    limits: template_inputs.Limits,
    types: registry.Types,
    check_type: declaration.CheckType,
    document: Values | None = None,
    timeout_s: int | None = None,
) -> tuple[stack.Stack, ids.OperationId]:
    """Accept the creation or update of a child stack to a template.

    :param around: the parent stack
    :param types: the installed ones
    :param check_type: checks types for who asked for the operation
    :param document: the document from which a new stack is adopted; the ids
        that correct those of one that exists
    :param timeout_s: how long its operations may take from now on; ``None`` to
        leave it, or to take that of the parent
    :returns: the stack, and the operation that waits now
    :raises orch.template.errors.TooLarge: nothing was written
    :raises orch.errors.NotSupported: it is suspended; nothing was written
    :raises orch.errors.Forbidden: who asks may not have the type of a new
        resource; nothing was written
    """
    new_types.check_new_types(
        connection, operation.stack_id, parsed_template, check_type
    )
    hashes = store.store_inputs(connection, inputs, parsed_template)
    count = len(parsed_template.resources)
    operation = dataclasses.replace(
        operation, template_hash=hashes[0], environment_hash=hashes[1]
    )
    found = stacks.find(connection, operation.stack_id)
    if found is None:
        _check_tree_size(connection, around, count, limits)
        if document is not None:
            operation = ownership.store_child(
                connection,
                operation,
                around,
                parsed_template,
                document,
                types,
                check_type,
            )
        stack = _new_child(operation, around, context, parsed_template, count)
        if timeout_s is not None:
            stack = dataclasses.replace(stack, timeout_s=timeout_s)
        submit.accept_new_stack(connection, stack, operation)
        return stack, operation.id
    found = stacks.lock(connection, operation.stack_id)
    operation = verification.remember(connection, operation)
    if document is not None:
        operation = external_ids.correct_child(
            connection,
            operation,
            parsed_template,
            document,
            types,
            check_type,
        )
    # Counted last: a signal that is refused commits what it wrote so far.
    _check_awake(restoration.stack_in_force(connection, found), operation)
    _check_tree_size(connection, around, count - found.resource_count, limits)
    columns: dict[str, object] = {
        "template_hash": hashes[0],
        "environment_hash": hashes[1],
        "description": str(parsed_template.description),
        "resource_count": count,
        # A user may have deleted it by its own URL: then it exists again.
        "deleted_at": None,
    }
    if timeout_s is not None:
        columns["timeout_s"] = timeout_s
    # Columns by name; each has the type of its field.
    stack = dataclasses.replace(found, **columns)  # type: ignore[arg-type]
    again = _retry_failed(connection, found, operation)
    if again is None:
        columns["updated_at"] = operation.created_at
        again = _accept_operation(connection, found, operation, **columns)
    return stack, again


def accept_creations(
    connection: db_engine.Connection,
    child_requests: collections.abc.Sequence[child_requests.ChildRequest],
    around: stack.Stack,
    limits: template_inputs.Limits,
    taken: lease.Taken | None,
    max_taken: int,
) -> list[submit.Accepted]:
    """Accept the creation of child stacks; all of them or none.

    The cost is that of a few, however many they are.

    :param around: the parent stack
    :param taken: the lease of the worker that runs the first of them at once
    :param max_taken: how many it runs
    :returns: empty when one of them exists
    :raises orch.template.errors.TooLarge: not all fit into the limit; nothing
        was written
    """
    stack_ids = [each.operation.stack_id for each in child_requests]
    if stacks.find_known(connection, stack_ids):
        return []
    count = sum(len(each.parsed_template.resources) for each in child_requests)
    _check_tree_size(connection, around, count, limits)
    hashes = store.store_many(
        connection,
        [(each.inputs, each.parsed_template) for each in child_requests],
    )
    wanted = []
    for each, (template_hash, environment_hash) in zip(
        child_requests, hashes, strict=True
    ):
        operation = dataclasses.replace(
            each.operation,
            template_hash=template_hash,
            environment_hash=environment_hash,
        )
        size = len(each.parsed_template.resources)
        stack = _new_child(
            operation, around, each.context, each.parsed_template, size
        )
        if each.timeout_s is not None:
            stack = dataclasses.replace(stack, timeout_s=each.timeout_s)
        wanted.append((stack, operation))
    return submit.accept_child_stacks(connection, wanted, taken, max_taken)


def _check_awake(
    found: stack.Stack, operation: operation_model.Operation
) -> None:
    """Raise NotSupported if the stack is suspended.

    :raises orch.errors.NotSupported: a user has suspended it alone
    """
    if (
        operation.action is states.Action.UPDATE
        and found.action is states.Action.SUSPEND
    ):
        raise errors.NotSupported(
            "Updating a stack when it is suspended is not supported: resume"
            f" the stack {found.name} first."
        )


def _check_tree_size(
    connection: db_engine.Connection,
    around: stack.Stack,
    more: int,
    limits: template_inputs.Limits,
) -> None:
    if not stacks.add_to_count(
        connection, around.root_id, more, limits.resources
    ):
        raise template_errors.TooLarge(resource_count.TOO_MANY)


def _new_child(
    operation: operation_model.Operation,
    around: stack.Stack,
    context: call_context.Context,
    parsed_template: template.Template,
    count: int,
) -> stack.Stack:
    """Return a new child stack."""
    assert operation.template_hash and operation.environment_hash
    return stack.Stack(
        id=operation.stack_id,
        project_id=around.project_id,
        name=context.bounded_name(child_requests.MAX_NAME_CHARACTERS),
        action=operation.action,
        status=states.Status.IN_PROGRESS,
        status_reason="",
        template_hash=operation.template_hash,
        environment_hash=operation.environment_hash,
        description=str(parsed_template.description),
        disable_rollback=True,
        timeout_s=around.timeout_s,
        user_id=around.user_id,
        username=around.username,
        parent_id=around.id,
        parent_resource=context.name,
        root_id=around.root_id,
        depth=around.depth + 1,
        resource_count=count,
        operation_id=operation.id,
        created_at=operation.created_at,
    )


def _retry_failed(
    connection: db_engine.Connection,
    stack: stack.Stack,
    operation: operation_model.Operation,
) -> ids.OperationId | None:
    """Retry the stack's failed operation, if the requested one is the same."""
    if stack.operation_id is None:
        return None
    last = operations.get(connection, stack.operation_id)
    is_same = (last.action, last.template_hash, last.environment_hash) == (
        operation.action,
        operation.template_hash,
        operation.environment_hash,
    )
    if not is_same or last.state is not states.OperationState.FAILED:
        return None
    if not _is_whole(last, operation):
        return None
    left_out = retry_exclusions.RetryExclusions.of(last.options).extended(
        retry_exclusions.RetryExclusions.of(operation.options)
    )
    again = dataclasses.replace(
        last,
        context=operation.context,
        options=left_out.put_into({**_going_on(last), **operation.options}),
    )
    if not submit.accept_retry(connection, stack, again, operation.created_at):
        return None
    if stack.has_diverged:
        stacks.update(connection, stack.id, has_diverged=False)
    return last.id


def _going_on(last: operation_model.Operation) -> dict[str, object]:
    """Return the options that a new attempt has by itself."""
    known = parking.reset_blocked_count(last.options)
    # Whether to survey physical resources is decided anew.
    anew = (converge.OPTION, operation_model.ALONE)
    return {key: value for key, value in known.items() if key not in anew}


def _is_whole(
    last: operation_model.Operation, operation: operation_model.Operation
) -> bool:
    """Whether a retry of an operation does all that is requested.

    Exclusions that a user made by the stack's own URL apply only while the
    same outermost operation goes on.
    """
    return not child_requests.is_shortened(last) or child_requests.origin_of(
        last
    ) == child_requests.origin_of(operation)


def _accept_operation(
    connection: db_engine.Connection,
    stack: stack.Stack,
    operation: operation_model.Operation,
    **columns: object,
) -> ids.OperationId:
    columns.setdefault("has_diverged", False)
    submit.accept_operation(connection, stack, operation, **columns)
    return operation.id
