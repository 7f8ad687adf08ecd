"""Accept an answer to a held operation: approve or reject it."""

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import lifecycle as stored_lifecycle
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import operation_factory
from orch.engine.lifecycle import tree_approval
from orch.engine.queries import lookup
from orch.engine.secrets import tree_secrets
from orch.flow.state import submit as flow_submit
from orch.model import lifecycle
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.rpc import contract


class NotHeld(errors.Conflict):
    """No plug-in holds the operation, or the hold is answered already."""

    code = "orch.operation.not_held"


class OwnRequest(errors.Forbidden):
    """Who requested an operation may not approve it."""

    code = "orch.operation.own_request"


def approve_hold(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    text: str,
    operation_id: str | None,
) -> contract.Accepted:
    """Approve the held operation of a stack; only the first answer counts.

    Any worker may claim the operation then: it calls the plug-ins after the
    one that held it.

    :param text: why, for people
    :param operation_id: the operation that is meant; ``None`` for any held one
    :returns: the operation
    :raises NotHeld: it is not held, not held any more, or another operation is
    :raises OwnRequest: it is this caller's, and another user has to approve
    :raises orch.errors.NotFound: this caller has no such stack
    """
    return _answer(
        deps, ctxt, stack_id, lifecycle.APPROVED, text, operation_id
    )


def reject_hold(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    text: str,
    operation_id: str | None,
) -> contract.Accepted:
    """Reject the held operation of a stack; any worker may end it then.

    Parameters and errors are those of :func:`approve_hold`.
    """
    return _answer(
        deps, ctxt, stack_id, lifecycle.REJECTED, text, operation_id
    )


def _answer(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    answer: str,
    text: str,
    operation_id: str | None,
) -> contract.Accepted:
    """Store the answer to a stack's held operation.

    :raises NotHeld: it is not held, not held any more, or another operation is
    :raises OwnRequest: it is approved by who requested it, and may not be
    :raises orch.errors.NotFound: this caller has no such stack
    """
    lookup.check_exists(deps.database, ctxt, stack_id)

    def work(connection: db_engine.Connection) -> contract.Accepted:
        stack = stacks.lock(connection, ids.StackId(stack_id))
        lookup.check_live(ctxt, stack)
        found = _lock_operation(connection, stack, operation_id)
        run = stored_lifecycle.find(connection, found.id, found.attempt)
        hold = None if run is None else run.hold
        if hold is None or found.state not in states.OPEN_STATES:
            raise _not_held(stack, hold)
        is_approval = answer == lifecycle.APPROVED
        if hold.is_open and is_approval:
            _check_other(ctxt, stack, found, hold)
        by = ctxt.user_name or ctxt.user_id
        said = tree_secrets.redact_said(
            connection, deps.templates.find, stack, text
        )
        if not stored_lifecycle.answer_hold(
            connection, found.id, answer, by, said
        ):
            raise _not_held(stack, hold)
        _show_running(connection, stack, found)
        if is_approval:
            _approve_others(connection, stack, found, hold, by, said)
        facts = operation_factory.accepted_facts(found, stack.name)
        return idempotency.save_answer(connection, ctxt, facts)

    return deps.database.run(work)


def _check_other(
    ctxt: request.RequestContext,
    stack: stack.Stack,
    held: operation.Operation,
    hold: lifecycle.Hold,
) -> None:
    """Raise OwnRequest if the caller may not approve a hold.

    :raises OwnRequest: the caller has requested the operation
    """
    responsible = held.origin.responsible_ids
    if not hold.needs_other or (
        ctxt.user_id and ctxt.user_id not in responsible
    ):
        return
    raise OwnRequest(
        f"{hold.plugin} holds stack {stack.name} until another user than the"
        " one who requested the operation approves it: ask another user to"
        " approve it, or reject it."
    )


def _approve_others(
    connection: db_engine.Connection,
    stack: stack.Stack,
    held: operation.Operation,
    hold: lifecycle.Hold,
    by: str | None,
    text: str,
) -> None:
    """Approve the open holds that the approval of one counts for."""
    for run in tree_approval.list_others(connection, stack, held, hold):
        child = stacks.lock(connection, run.stack_id)
        if stored_lifecycle.answer_hold(
            connection, run.operation_id, lifecycle.APPROVED, by, text
        ):
            released = operations.get(connection, run.operation_id)
            _show_running(connection, child, released)


def _show_running(
    connection: db_engine.Connection,
    stack: stack.Stack,
    released: operation.Operation,
) -> None:
    """Let the status reason of a stack no longer name the hold."""
    reason = flow_submit.started_stack(stack, released).status_reason
    stacks.update(connection, stack.id, status_reason=reason)


def _lock_operation(
    connection: db_engine.Connection,
    stack: stack.Stack,
    operation_id: str | None,
) -> operation.Operation:
    """Return the stack's operation, if it is the one that is meant.

    :raises NotHeld: it is another one, or there is none
    """
    if stack.operation_id is None:
        raise _not_held(stack, None)
    found = operations.lock(connection, stack.operation_id)
    if operation_id not in (None, found.id):
        raise NotHeld(
            f"The operation {str(operation_id)[:255]} is not the one"
            f" that stack {stack.name} waits with: that is {found.id}. Read"
            " it before you answer."
        )
    return found


def _not_held(stack: stack.Stack, hold: lifecycle.Hold | None) -> NotHeld:
    """Return the error, with the state that the stack is in instead.

    :param hold: the newest hold of its operation
    """
    if hold is None:
        return NotHeld(
            f"No lifecycle plug-in holds stack {stack.name}, it is"
            f" {stack.action}_{stack.status}: there is nothing to"
            " approve or reject."
        )
    answered = "rejected because its time was over"
    if hold.answer in (lifecycle.APPROVED, lifecycle.REJECTED):
        answered = f"{hold.answer} by {hold.answered_by or 'an unknown user'}"
    return NotHeld(
        f"The hold of stack {stack.name} by {hold.plugin} was"
        f" {answered}: there is nothing left to approve or reject."
    )
