"""Accept the retry of a failed operation, from where it stopped."""

import collections
import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import idle
from orch.engine.acceptance import operation_factory
from orch.engine.execution import saved_plan
from orch.engine.queries import lookup
from orch.engine.queries import visibility
from orch.flow.state import parking
from orch.flow.state import submit as flow_submit
from orch.model import operation
from orch.model import resource
from orch.model import retry_exclusions
from orch.model import stack
from orch.model import states
from orch.planner.steps import act
from orch.rpc import contract

_NOT_FOUND = "the stack has no such resource"
_COMPLETE = "it is complete"
_BOTH = "it can have only one of skip, orphan and replace"
_NOT_OURS = "the stack has not created it"


def extend_exclusions(
    connection: db_engine.Connection,
    failed: operation.Operation,
    options: contract.StackOptions,
) -> retry_exclusions.RetryExclusions:
    """Return the retry exclusions of an operation from now on.

    Exclusions of an earlier attempt stay. Where no resource of the stack is to
    remain, a skipped resource is left in place as an orphan is.

    :raises orch.errors.Invalid: names that cannot be excluded, all of them
    """
    before = retry_exclusions.RetryExclusions.of(failed.options)
    skip = frozenset(options.get("skip") or ())
    orphan = frozenset(options.get("orphan") or ())
    replace = frozenset(options.get("replace") or ())
    if not skip and not orphan and not replace:
        return before
    if replace:
        _check_creating(failed)
    unfinished = _unfinished(resources.list_(connection, failed.stack_id))
    _check_exclusions(
        {"skip": skip, "orphan": orphan, "replace": replace}, unfinished
    )
    left = orphan if failed.template_hash is not None else orphan | skip
    return retry_exclusions.RetryExclusions(
        skip=(before.skip | skip) - orphan - replace,
        orphan=before.orphan | orphan,
        orphaned=before.orphaned | _ids(left, unfinished),
        replace=(before.replace | replace) - orphan - skip,
        replaced=(before.replaced - _ids(skip, unfinished))
        | _ids(replace, unfinished),
    )


def _ids(
    names: collections.abc.Iterable[str],
    unfinished: collections.abc.Mapping[str, list[resource.Resource]],
) -> frozenset[ids.ResourceId]:
    return frozenset(row.id for name in names for row in unfinished[name])


def _check_creating(failed: operation.Operation) -> None:
    """Raise Invalid if an operation creates no resources.

    :raises orch.errors.Invalid: it does not
    """
    if failed.template_hash is None or failed.action in act.ACTIONS:
        raise errors.Invalid(
            f"Nothing can be replaced in the retry of this {failed.action}:"
            " leave out replace.",
            [errors.Problem("this action creates nothing", "replace")],
        )


def _unfinished(
    rows: collections.abc.Iterable[resource.Resource],
) -> dict[str, list[resource.Resource]]:
    """Return the incarnations that are not complete, by name.

    A name whose incarnations are all complete has an empty list.
    """
    found: dict[str, list[resource.Resource]] = {}
    for row in rows:
        if not row.is_gone:
            incarnations = found.setdefault(row.name, [])
            incarnations.extend([] if row.is_complete else [row])
    return found


def _check_exclusions(
    named: collections.abc.Mapping[str, frozenset[str]],
    unfinished: collections.abc.Mapping[str, list[resource.Resource]],
) -> None:
    """Raise Invalid if an option cannot apply to a resource that it names.

    :param named: names of resources, by option
    :raises orch.errors.Invalid: names that cannot be excluded, all of them
    """
    counted = collections.Counter(
        name for names in named.values() for name in names
    )
    problems = [
        errors.Problem(f"{name[:255]}: {why}", f"{key}.{name[:255]}")
        for key, names in named.items()
        for name in sorted(names)
        if (
            why := _BOTH
            if counted[name] > 1
            else _why_not(key, unfinished.get(name))
        )
    ]
    if problems:
        listed = "; ".join(dict.fromkeys(each.message for each in problems))
        raise errors.Invalid(
            f"Only resources that are not complete can be left out: {listed}.",
            problems,
        )


def _why_not(key: str, rows: list[resource.Resource] | None) -> str:
    if rows is None:
        return _NOT_FOUND
    if not rows:
        return _COMPLETE
    is_ours = all(
        not each.is_unadopted and each.external_id is None for each in rows
    )
    return "" if is_ours or key != "replace" else _NOT_OURS


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
    it over, once it has observed the lease.

    :param options: what this attempt does differently: ``keep_going``,
        ``timeout_mins``, ``skip``, ``orphan``, ``replace``
    :param action: the action that must have failed; ``None`` for any
    :param inputs: must be empty, as the stored ones are used
    :raises NotFailed: the stack's last operation has not failed
    :raises OtherFailed: another action has failed
    :raises orch.engine.acceptance.idle.InProgress: it is in progress, or
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

    def work(connection: db_engine.Connection) -> contract.Accepted:
        stack = stacks.lock(connection, ids.StackId(stack_id))
        visibility.check_visible(ctxt, stack)
        visibility.check_unchanged(ctxt, stack)
        last = _last_operation(connection, stack)
        _check_failed(connection, stack, last, action)
        _check_targets(connection, last)
        saved_plan.check_retry(last)
        left_out = extend_exclusions(connection, last, options)
        again = dataclasses.replace(
            last,
            context=context,
            options={
                **parking.reset_blocked_count(last.options),
                **{
                    key: value
                    for key, value in options.items()
                    if key in operation_factory.SAVED_OPTIONS
                },
                **left_out.to_options(),
            },
        )
        if options.get("timeout_mins"):
            stack = dataclasses.replace(
                stack, timeout_s=operation_factory.timeout_of(deps, options)
            )
        if not flow_submit.accept_retry(
            connection, stack, again, deps.clock.now()
        ):
            raise _in_progress(stack)
        is_child = stack.parent_id is not None
        if is_child and left_out != retry_exclusions.NOTHING:
            stacks.update(connection, stack.id, has_diverged=True)
        answer = operation_factory.accepted_facts(last, stack.name)
        return idempotency.save_answer(connection, ctxt, answer)

    return deps.database.run(work)


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
    elif stack.status is not states.Status.FAILED:
        raise NotFailed(
            f"Stack {stack.name} is {stack.action}_{stack.status};"
            " only a FAILED action can be retried."
        )
    if action is not None and last.action not in _SAME_REQUEST.get(
        action, {action}
    ):
        raise OtherFailed(
            f"What failed with stack {stack.name} is {last.action}, not"
            f" {action}; retry that one."
        )


def _in_progress(stack: stack.Stack) -> idle.InProgress:
    return idle.InProgress(
        f"Stack {stack.name} already has an action"
        f" ({stack.action}) in progress."
    )


def _last_operation(
    connection: db_engine.Connection, stack: stack.Stack
) -> operation.Operation:
    if stack.operation_id is None:
        raise NotFailed(f"Stack {stack.name} has no operation to retry.")
    return operations.get(connection, stack.operation_id)
