"""Accept the deletion of a stack."""

import dataclasses

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import operation_factory
from orch.engine.queries import lookup
from orch.engine.queries import visibility
from orch.engine.stacks import retry
from orch.flow.state import submit as flow_submit
from orch.model import adoption
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.rpc import contract


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
        visibility.check_visible(ctxt, stack)
        visibility.check_unchanged(ctxt, stack)
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
