"""Accepts that a failed operation goes on where it stopped."""

import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import visibility
from orch.engine.operations import asked
from orch.flow import submit as flow_submit
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.rpc import contract


class NotFailed(errors.Conflict):
    """Only what has failed can be retried."""

    code = "orch.stack.not_failed"


class InProgress(errors.Conflict):
    """An operation of the stack is under way, and its worker is alive."""

    code = "orch.stack.action_in_progress"


def submit(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    options: contract.StackOptions,
) -> contract.Accepted:
    """Let the stack's failed operation go on; same action, same inputs.

    An operation whose worker is dead counts as failed: it is taken over.

    :param options: what this attempt does differently: ``keep_going``,
        ``timeout_mins``
    :raises NotFailed: the stack's last operation has not failed
    :raises InProgress: it is under way, or another caller was first
    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(connection: db_engine.Connection) -> contract.Accepted:
        subject = stacks.lock(connection, ids.StackId(stack_id))
        visibility.check(ctxt, subject)
        last = _last_operation(connection, subject)
        if subject.status is states.Status.IN_PROGRESS:
            if last.state is not states.OperationState.RUNNING or (
                leases.is_held(connection, last.id)
            ):
                raise InProgress(
                    f"Stack {subject.name} already has an action"
                    f" ({subject.action}) in progress."
                )
            return asked.accepted(last, subject.name)
        if subject.status is not states.Status.FAILED:
            raise NotFailed(
                f"Stack {subject.name} is {subject.action}_{subject.status};"
                " only a FAILED action can be retried."
            )
        last = dataclasses.replace(
            last, options={**last.options, **asked.kept(options)}
        )
        if options.get("timeout_mins"):
            subject = dataclasses.replace(
                subject, timeout_s=asked.timeout_s(deps, options)
            )
        if not flow_submit.accept_retry(
            connection, subject, last, deps.clock.now()
        ):
            raise InProgress(
                f"Stack {subject.name} is being retried by somebody else."
            )
        return asked.accepted(last, subject.name)

    return deps.database.run(work)


def _last_operation(
    connection: db_engine.Connection, subject: stack.Stack
) -> operation.Operation:
    if subject.operation_id is None:
        raise NotFailed(f"Stack {subject.name} has no operation to retry.")
    return operations.get(connection, subject.operation_id)
