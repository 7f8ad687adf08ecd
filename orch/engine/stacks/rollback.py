"""Accept the rollback of a stack's last change."""

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
from orch.engine.queries import visibility
from orch.flow.state import submit as flow_submit
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.rpc import contract

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
        visibility.check_live(ctxt, stack)
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
