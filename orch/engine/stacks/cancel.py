"""Accept the cancellation of a stack's operation."""

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
from orch.engine.execution import rollback as rollbacks
from orch.engine.queries import lookup
from orch.engine.queries import visibility
from orch.flow.state import submit as flow_submit
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.rpc import contract

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
        visibility.check_live(ctxt, stack)
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
