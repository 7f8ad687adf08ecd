"""Accept the suspension, resumption or check of a stack."""

import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import idle
from orch.engine.acceptance import operation_factory
from orch.engine.queries import lookup
from orch.engine.queries import visibility
from orch.engine.stacks import retry
from orch.flow.state import restoration
from orch.flow.state import submit as flow_submit
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
    :raises orch.engine.acceptance.idle.InProgress: another action is in
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
        visibility.check_live(ctxt, stack)
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

    :raises orch.engine.acceptance.idle.InProgress: another one is
    """
    for other in operations.find_open(connection, stack.id):
        if other.action is action and other.stop_reason is None:
            return other
    idle.check_idle(connection, stack)
    return None
