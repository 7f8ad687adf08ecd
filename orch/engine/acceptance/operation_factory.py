"""Build the operation that a mutating request is accepted as."""

import dataclasses
import typing

from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.flow.state import submit as flow_submit
from orch.model import converge
from orch.model import operation
from orch.model import states
from orch.rpc import contract
from orch.template import template

SAVED_OPTIONS: typing.Final = ("keep_going", converge.OPTION)
"""Options of the request that the run of the operation depends on."""


def new_operation(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: ids.StackId,
    action: states.Action,
    options: contract.StackOptions,
    parsed_template: template.Template | None = None,
) -> operation.Operation:
    """Return a new operation that waits for a worker.

    Call it outside of transactions: it may call Keystone.

    :param parsed_template: the validated template that the stack is to have;
        ``None``: the one that it has
    :raises orch.errors.Forbidden: resources need a credential, and the caller
        may not leave one
    """
    return dataclasses.replace(
        dry_run_operation(deps, ctxt, stack_id, action, options),
        context=context_of_caller(
            deps, ctxt, stack_id, action, parsed_template
        ),
    )


def context_of_caller(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: ids.StackId,
    action: states.Action | None,
    parsed_template: template.Template | None = None,
) -> dict[str, object]:
    """Return the stored request context of an operation, with its credential.

    The credential is what the caller leaves to the stack, to log in to the
    cloud with. Call it outside of transactions: it may call Keystone.

    :param action: ``None`` for an operation that is retried
    :param parsed_template: the validated template that the stack is to have
    """
    stored = ctxt.to_stored()
    acting = () if parsed_template is None else parsed_template.acting_types()
    given = deps.credential_store.provide(ctxt, stack_id, action, acting)
    return {**stored, flow_submit.CREDENTIAL: given} if given else stored


def dry_run_operation(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: ids.StackId,
    action: states.Action,
    options: contract.StackOptions,
) -> operation.Operation:
    """Return an operation for a dry run, which is never accepted."""
    return operation.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=stack_id,
        project_id=ctxt.project_id or "",
        action=action,
        state=states.OperationState.WAITING,
        options=_with_default(deps, action, saved_options(options)),
        context=ctxt.to_stored(),
        created_at=deps.clock.now(),
    )


def saved_options(options: contract.StackOptions) -> dict[str, object]:
    """Return those options of a request that its run depends on."""
    return {
        key: value for key, value in options.items() if key in SAVED_OPTIONS
    }


def _with_default(
    deps: dependencies.Dependencies,
    action: states.Action,
    options: dict[str, object],
) -> dict[str, object]:
    """Return the options with the operator's default for updates."""
    if action is states.Action.UPDATE and deps.settings.observes_on_update:
        options.setdefault(converge.OPTION, True)
    return options


def timeout_of(
    deps: dependencies.Dependencies, options: contract.StackOptions
) -> int:
    """Return the timeout of an operation, in seconds."""
    minutes = options.get("timeout_mins")
    return 60 * minutes if minutes else deps.settings.stack_action_timeout


def accepted_facts(
    operation_: operation.Operation, stack_name: str
) -> contract.Accepted:
    """Return the answer to a request that was accepted."""
    return contract.Accepted(
        identity=contract.StackIdentity(
            project_id=operation_.project_id,
            stack_name=stack_name,
            stack_id=operation_.stack_id,
        ),
        operation_id=operation_.id,
    )
