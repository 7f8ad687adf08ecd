"""Accept deletions, cancellations, rollbacks and actions of stacks."""

import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import stack_lock
from orch.engine.execution import rollback as rollbacks
from orch.engine.queries import lookup
from orch.engine.stacks import retry
from orch.flow.state import restoration
from orch.flow.state import submit as flow_submit
from orch.model import adoption
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.rpc import contract

_STAYING = frozenset({states.Action.SUSPEND, states.Action.RESUME})
"""Actions that change nothing where they have been completed already."""

_ACTIONS = _STAYING | {states.Action.CHECK}


def submit_action(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    action: str,
    options: contract.StackOptions,
) -> contract.Accepted | None:
    """Accept that a stack is suspended, resumed or checked.

    It never interrupts an operation. The same action that is in progress
    already is the answer to a second request.

    :param options: with ``retry``, the failed one is retried instead
    :returns: ``None`` when the stack is suspended, or resumed, already
    :raises orch.engine.acceptance.stack_lock.InProgress: another action is in
        progress
    :raises orch.errors.NotSupported: the action is none of these
    :raises orch.errors.NotFound: this caller has no such stack
    """
    wanted = states.Action(action)
    if wanted not in _ACTIONS:
        raise errors.NotSupported(f"{wanted} has a request of its own.")
    if options.get("retry"):
        return retry.submit_retry(deps, ctxt, stack_id, options, wanted)
    lookup.check_exists(deps.database, ctxt, stack_id)
    operation = operation_factory.new_operation(
        deps, ctxt, ids.StackId(stack_id), wanted, options
    )

    def begin(connection: db_engine.Connection) -> contract.Accepted | None:
        stack = stacks.lock(connection, operation.stack_id)
        lookup.check_live(ctxt, stack)
        in_force = restoration.stack_in_force(connection, stack)
        if wanted in _STAYING and _is_done(in_force, wanted):
            return None
        same = _find_same(connection, stack, wanted)
        if same is not None:
            return operation_factory.accepted_facts(same, stack.name)
        if options.get("timeout_mins"):
            stack = dataclasses.replace(
                stack, timeout_s=operation_factory.timeout_of(deps, options)
            )
        begun = flow_submit.stack_operation(operation, stack)
        flow_submit.accept_operation(connection, stack, begun)
        return operation_factory.accepted_facts(begun, stack.name)

    return deps.database.run(
        lambda connection: idempotency.save_answer(
            connection, ctxt, begin(connection)
        )
    )


def _is_done(stack: stack.Stack, action: states.Action) -> bool:
    return stack.action is action and stack.status is states.Status.COMPLETE


def _find_same(
    connection: db_engine.Connection,
    stack: stack.Stack,
    action: states.Action,
) -> operation.Operation | None:
    """Return the same action that is in progress; ``None`` for none.

    :raises orch.engine.acceptance.stack_lock.InProgress: another one is
    """
    for other in operations.find_open(connection, stack.id):
        if other.action is action and other.stop_reason is None:
            return other
    stack_lock.check_idle(connection, stack)
    return None


def submit_delete(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    options: contract.StackOptions | None,
) -> contract.Accepted | None:
    """Accept a deletion; it supersedes an operation in progress.

    A deletion that is in progress already is the answer to a second request.

    :param options: with ``retry``, the failed one is retried instead
    :returns: ``None`` when the stack is deleted already
    :raises orch.errors.NotFound: this caller has no such stack
    """
    action = states.Action.DELETE
    options = options or {}
    if options.get("retry"):
        return retry.submit_retry(deps, ctxt, stack_id, options, action)
    lookup.check_exists(deps.database, ctxt, stack_id)
    operation = operation_factory.new_operation(
        deps, ctxt, ids.StackId(stack_id), action, options
    )

    def begin(connection: db_engine.Connection) -> contract.Accepted | None:
        stack = stacks.lock(connection, operation.stack_id)
        lookup.check_visible(ctxt, stack)
        lookup.check_unchanged(ctxt, stack)
        if stack.deleted_at is not None:
            return None
        for other in operations.find_open(connection, stack.id):
            if other.action is action and other.stop_reason is None:
                return operation_factory.accepted_facts(other, stack.name)
        begun = _as_before(connection, stack, operation)
        flow_submit.accept_operation(connection, stack, begun)
        return operation_factory.accepted_facts(begun, stack.name)

    return deps.database.run(
        lambda connection: idempotency.save_answer(
            connection, ctxt, begin(connection)
        )
    )


def _as_before(
    connection: db_engine.Connection,
    stack: stack.Stack,
    operation: operation.Operation,
) -> operation.Operation:
    """Return the deletion; for an abandoned stack it removes no resource.

    A user has the document, and may have adopted the physical resources
    already.
    """
    if stack.operation_id is None:
        return operation
    last = operations.get(connection, stack.operation_id)
    if not last.options.get(adoption.ABANDONS):
        return operation
    options = {**operation.options, adoption.ABANDONS: True}
    return dataclasses.replace(operation, options=options)


_GOING_BACK = frozenset({states.Action.UPDATE, states.Action.RESTORE})


def submit_cancel(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    *,
    rolls_back: bool,
) -> contract.Accepted:
    """Cancel the operation in progress; calls of services may still answer.

    :param rolls_back: the stack returns to its state before the update or
        restore (which it must be); otherwise the operation fails where it is,
        and may be retried
    :returns: the rollback, or the operation that is cancelled
    :raises orch.errors.NotSupported: no operation that can be cancelled is in
        progress
    :raises orch.errors.NotFound: this caller has no such stack
    """
    lookup.check_exists(deps.database, ctxt, stack_id)
    context: dict[str, object] = {}
    if rolls_back:
        action = states.Action.ROLLBACK
        context = operation_factory.context_of_caller(
            deps, ctxt, ids.StackId(stack_id), action
        )

    def work(connection: db_engine.Connection) -> contract.Accepted:
        stack = stacks.lock(connection, ids.StackId(stack_id))
        lookup.check_live(ctxt, stack)
        running = _running(connection, stack)
        if rolls_back:
            running = _go_back(deps, context, connection, stack, running)
        else:
            operations.cancel(connection, running.id)
        answer = operation_factory.accepted_facts(running, stack.name)
        return idempotency.save_answer(connection, ctxt, answer)

    return deps.database.run(work)


def _running(
    connection: db_engine.Connection, stack: stack.Stack
) -> operation.Operation:
    """Return the operation in progress of a stack.

    :raises orch.errors.NotSupported: no operation is in progress
    """
    if stack.status is states.Status.IN_PROGRESS:
        for each in operations.find_open(connection, stack.id):
            if each.id == stack.operation_id:
                return each
    raise errors.NotSupported(
        f"No operation of stack {stack.name} is in progress, it is"
        f" {stack.action}_{stack.status}: there is nothing to cancel."
    )


def _go_back(
    deps: dependencies.Dependencies,
    context: dict[str, object],
    connection: db_engine.Connection,
    stack: stack.Stack,
    running: operation.Operation,
) -> operation.Operation:
    """Accept the rollback of an update or a restore in its place.

    :param context: the stored context of its caller
    :returns: the rollback
    :raises orch.errors.NotSupported: the operation is neither
    """
    if running.action not in _GOING_BACK:
        raise errors.NotSupported(
            "Only an update or a restore is cancelled by going back; stack"
            f" {stack.name} is {stack.action}_{stack.status}. Use"
            " cancel_without_rollback, or delete the stack."
        )
    rollback = dataclasses.replace(
        rollbacks.rollback_of(stack, running, deps.clock.now()),
        context=context,
    )
    columns = rollbacks.rollback_columns(rollback)
    flow_submit.accept_operation(connection, stack, rollback, **columns)
    return rollback


_CHANGES = frozenset(
    {
        states.Action.CREATE,
        states.Action.UPDATE,
        states.Action.RESTORE,
        states.Action.ADOPT,
    }
)


def submit_rollback(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> contract.Accepted:
    """Accept the rollback of a stack's last change.

    It supersedes the change, if that is in progress. After a creation no
    resource is left; after an adoption all adopted physical resources stay in
    place, without a stack.

    :raises orch.errors.NotSupported: no change is in progress or has failed
    :raises orch.errors.NotFound: this caller has no such stack
    """
    action = states.Action.ROLLBACK
    context = operation_factory.context_of_caller(
        deps, ctxt, ids.StackId(stack_id), action
    )

    def work(connection: db_engine.Connection) -> contract.Accepted:
        stack = stacks.lock(connection, ids.StackId(stack_id))
        lookup.check_live(ctxt, stack)
        rollback = dataclasses.replace(
            rollbacks.rollback_of(
                stack, _change(connection, stack), deps.clock.now()
            ),
            context=context,
        )
        columns = rollbacks.rollback_columns(rollback)
        flow_submit.accept_operation(connection, stack, rollback, **columns)
        answer = operation_factory.accepted_facts(rollback, stack.name)
        return idempotency.save_answer(connection, ctxt, answer)

    return deps.database.run(work)


def _change(
    connection: db_engine.Connection, stack: stack.Stack
) -> operation.Operation:
    """Return the operation to roll back."""
    is_unfinished = stack.status is not states.Status.COMPLETE
    if is_unfinished and stack.operation_id is not None:
        last = operations.get(connection, stack.operation_id)
        if last.action in _CHANGES:
            return last
    raise errors.NotSupported(
        f"Stack {stack.name} is {stack.action}_{stack.status}: only a"
        " creation, an update or a restore that is in progress or has failed"
        " can be rolled back."
    )
