"""Accept the retry of a failed operation, from where it stopped."""

import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import releases
from orch.engine import sources
from orch.engine import verification
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import quota
from orch.engine.acceptance import stack_lock
from orch.engine.execution import saved_plan
from orch.engine.queries import lookup
from orch.engine.stacks import exclusions
from orch.engine.stacks import try_now
from orch.flow.state import forgotten_signals
from orch.flow.state import parking
from orch.flow.state import submit as flow_submit
from orch.model import adoption
from orch.model import converge
from orch.model import operation
from orch.model import retry_exclusions
from orch.model import stack
from orch.model import states
from orch.rpc import contract

_SAME_REQUEST = {
    states.Action.CREATE: {states.Action.CREATE, states.Action.ADOPT}
}
"""Actions that the same request may lead to."""


class NotFailed(errors.Conflict):
    """Only a failed operation can be retried."""

    code = "orch.stack.not_failed"


class OtherFailed(errors.Conflict):
    """Another action has failed than the one to be retried."""

    code = "orch.stack.other_action_failed"


def submit_retry(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    options: contract.StackOptions,
    action: states.Action | None = None,
    inputs: contract.StackInputs | None = None,
) -> contract.Accepted:
    """Accept a retry of a stack's failed operation, with the same inputs.

    An operation whose worker is dead counts as failed: another worker takes
    it over, once it has observed the lease. A creation or an update that was
    rolled back counts as failed, too. Of one that waits for another try, or
    whose child stacks do, no attempt begins: they try at once.

    :param options: what this attempt does differently: ``keep_going``,
        ``timeout_mins``, ``converge``, ``skip``, ``orphan``, ``replace``, and
        how strictly physical resources are verified
    :param action: the action that must have failed; ``None`` for any
    :param inputs: must be empty, as the stored ones are used
    :raises NotFailed: the stack's last operation has not failed
    :raises orch.engine.stacks.try_now.CancelFirst: it waits for another try,
        and options are given
    :raises OtherFailed: another action has failed
    :raises orch.engine.stacks.retry.RolledBack: it was rolled back, and
        cannot be retried
    :raises orch.engine.acceptance.stack_lock.InProgress: it is in progress, or
        another caller was first
    :raises orch.engine.execution.saved_plan.Stale: it did not fit its saved
        plan
    :raises orch.errors.NotFound: this caller has no such stack
    :raises orch.errors.Invalid: inputs are given, or a resource cannot be
        excluded
    """
    lookup.check_exists(deps.database, ctxt, stack_id)
    _check_inputs(inputs)
    context = operation_factory.context_of_caller(
        deps, ctxt, ids.StackId(stack_id), None
    )

    tried_now: list[ids.OperationId] = []

    def work(connection: db_engine.Connection) -> contract.Accepted:
        stack = stacks.lock(connection, ids.StackId(stack_id))
        lookup.check_visible(ctxt, stack)
        lookup.check_unchanged(ctxt, stack)
        last = _last_operation(connection, stack)
        tried_now[:] = _try_now(connection, stack, last, action, options)
        if tried_now:
            accepted = operation_factory.accepted_facts(last, stack.name)
            accepted["operation_id"] = tried_now[0]
            return idempotency.save_answer(connection, ctxt, accepted)
        undone = find_undone(connection, stack, last)
        last = undone or last
        _check_failed(connection, stack, last, action)
        _check_converges(last, options)
        _check_targets(connection, last)
        saved_plan.check_retry(last)
        left_out = exclusions.extend_exclusions(connection, last, options)
        again = dataclasses.replace(
            last,
            context=context,
            options=left_out.put_into(
                {
                    **parking.reset_blocked_count(last.options),
                    **{
                        key: value
                        for key, value in options.items()
                        if key in operation_factory.SAVED_OPTIONS
                    },
                    **verification.options_of(options.get("adoption", {})),
                    operation.ALONE: stack.parent_id is not None,
                }
            ),
        )
        if options.get("timeout_mins"):
            stack = dataclasses.replace(
                stack, timeout_s=operation_factory.timeout_of(deps, options)
            )
        again = sources.without_taken(connection, again, stack, deps.types)
        released.check(connection, again)
        if undone is not None:
            stack = bring_back(deps, connection, stack, undone)
        if not flow_submit.accept_retry(
            connection, stack, again, deps.clock.now()
        ):
            raise _in_progress(stack)
        if last.state is states.OperationState.FAILED:
            forgotten_signals.forget_failures(connection, stack.id, deps.types)
        is_child = stack.parent_id is not None
        if is_child and left_out != retry_exclusions.NOTHING:
            stacks.update(connection, stack.id, has_diverged=True)
        answer = operation_factory.accepted_facts(last, stack.name)
        return idempotency.save_answer(connection, ctxt, answer)

    with releases.JudgedReleases(
        deps, ctxt, options.get("adoption", {})
    ) as released:
        accepted = released.run(work)
    for each in tried_now[1:]:
        deps.conductor.wake(each)
    return accepted


def _try_now(
    connection: db_engine.Connection,
    stack: stack.Stack,
    last: operation.Operation,
    action: states.Action | None,
    options: contract.StackOptions,
) -> list[ids.OperationId]:
    """Return the operations that try at once, as they were blocked."""
    if stack.status is not states.Status.IN_PROGRESS:
        return []
    if action is not None and last.action not in _SAME_REQUEST.get(
        action, {action}
    ):
        return []
    return try_now.try_now(connection, stack, options)


def submit_named_retry(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    options: contract.StackOptions,
    action: states.Action,
    inputs: contract.StackInputs,
) -> contract.Accepted:
    """Accept a retry of the failed operation of a stack, by its name.

    :raises orch.errors.OrchError: as :func:`submit_retry` does
    """
    stack = deps.database.query(
        lambda connection: lookup.get_named_stack(connection, ctxt, name)
    )
    return submit_retry(deps, ctxt, stack.id, options, action, inputs)


def _check_inputs(inputs: contract.StackInputs | None) -> None:
    if inputs:
        raise errors.Invalid(
            "A retry goes on with what is stored: leave out"
            f" {', '.join(sorted(inputs))}."
        )


def _check_targets(
    connection: db_engine.Connection, last: operation.Operation
) -> None:
    """Raise NotFailed if the snapshot of the failed operation was deleted.

    :raises NotFailed: its snapshot was deleted
    """
    if last.action is states.Action.SNAPSHOT and (
        snapshots.find(connection, last.id) is None
    ):
        raise NotFailed(
            "The snapshot of the failed action was deleted: take a new one."
        )


def _check_converges(
    last: operation.Operation, options: contract.StackOptions
) -> None:
    """Raise Invalid if an operation cannot converge, and is to do so.

    :raises orch.errors.Invalid: it cannot
    """
    if options.get("converge") and not converge.may_converge(last):
        message = (
            "converge is for the retry of a creation, an update or the"
            f" rollback of an update; what failed is {last.action}."
        )
        raise errors.Invalid(message, [errors.Problem(message, "converge")])


def _check_failed(
    connection: db_engine.Connection,
    stack: stack.Stack,
    last: operation.Operation,
    action: states.Action | None,
) -> None:
    """Raise an error if the stack's last operation cannot be retried."""
    if stack.status is states.Status.IN_PROGRESS:
        if last.state is not states.OperationState.RUNNING or (
            leases.is_held(connection, last.id)
        ):
            raise _in_progress(stack)
    elif stack.status is not states.Status.FAILED and (
        last.id == stack.operation_id
    ):
        raise NotFailed(
            f"Stack {stack.name} is {stack.action}_{stack.status};"
            " only a FAILED action can be retried."
        )
    elif last.state is states.OperationState.SUPERSEDED:
        raise NotFailed(
            f"The last {stack.action} of stack {stack.name} was cut short by a"
            " request that then did nothing: it cannot be retried, update the"
            " stack."
        )
    if action is not None and last.action not in _SAME_REQUEST.get(
        action, {action}
    ):
        raise OtherFailed(
            f"What failed with stack {stack.name} is {last.action}, not"
            f" {action}; retry that one."
        )


def _in_progress(stack: stack.Stack) -> stack_lock.InProgress:
    return stack_lock.InProgress(
        f"Stack {stack.name} already has an action"
        f" ({stack.action}) in progress."
    )


def _last_operation(
    connection: db_engine.Connection, stack: stack.Stack
) -> operation.Operation:
    if stack.operation_id is None:
        raise NotFailed(f"Stack {stack.name} has no operation to retry.")
    return operations.get(connection, stack.operation_id)


_RETRIED = (states.Action.CREATE, states.Action.UPDATE)
_ADOPTING = (adoption.CHILD_STACKS, adoption.VERIFY, adoption.NEEDS_IDS)


class RolledBack(errors.Conflict):
    """What was rolled back cannot be retried; it can be requested again."""

    code = "orch.stack.rolled_back"


def find_undone(
    connection: db_engine.Connection,
    stack: stack.Stack,
    last: operation.Operation,
) -> operation.Operation | None:
    """Return the change that a complete rollback of a stack has undone.

    :returns: ``None`` for a stack that is not rolled back
    :raises RolledBack: it cannot be retried
    """
    found = last.options.get(adoption.RELEASES)
    if (
        last.action is not states.Action.ROLLBACK
        or stack.status is not states.Status.COMPLETE
        or stack.action is not last.action
        or not found
    ):
        return None
    try:
        undone = operations.get(connection, ids.OperationId(str(found)))
    except errors.NotFound:
        undone = None
    if undone is None or not _may_be_retried(undone):
        raise RolledBack(
            f"What was rolled back of stack {stack.name} cannot be retried: it"
            " was cut short, or adopts or restores something, or is not stored"
            " any more. Request the change again, by an update."
        )
    # Its rollback has left nothing of what was done.
    return dataclasses.replace(undone, done=0)


def _may_be_retried(undone: operation.Operation) -> bool:
    """Whether all that a change needs is stored with its operation."""
    return (
        undone.action in _RETRIED
        and undone.state is states.OperationState.FAILED
        and undone.template_hash is not None
        and not any(key in undone.options for key in _ADOPTING)
    )


def bring_back(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    undone: operation.Operation,
) -> stack.Stack:
    """Give a stack the inputs of a change that was rolled back.

    :raises orch.template.errors.TooLarge: the tree would exceed its limit
    :raises orch.errors.Invalid: the current plug-ins refuse the template
    """
    assert undone.template_hash and undone.environment_hash
    stack = dataclasses.replace(
        stack,
        template_hash=undone.template_hash,
        environment_hash=undone.environment_hash,
    )
    declared = deps.templates.load(connection, stack)
    count = len(declared.resources)
    quota.count_tree(connection, deps, stack, count - stack.resource_count)
    stacks.update(
        connection,
        stack.id,
        template_hash=stack.template_hash,
        environment_hash=stack.environment_hash,
        description=str(declared.description),
        resource_count=count,
    )
    return dataclasses.replace(stack, resource_count=count)
