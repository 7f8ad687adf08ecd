"""Build the operation that a mutating request is accepted as."""

import typing

from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.flow.state import submit as flow_submit
from orch.model import converge
from orch.model import operation
from orch.model import stack_tags
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
    *,
    has_credential: bool = True,
) -> operation.Operation:
    """Return a new operation that waits for a worker.

    Call it outside of transactions: it may call Keystone.

    :param parsed_template: the validated template that the stack is to have;
        ``None``: the one that it has
    :param has_credential: the caller leaves one to it; not for a dry run
    :raises orch.errors.Forbidden: resources need a credential, and the caller
        may not leave one
    :raises orch.errors.LimitExceeded: the stack would have too many tags
    :raises orch.errors.Invalid: one of them is no tag
    """
    stack_tags.check_tags(list(options.get("tags") or ()))
    context = ctxt.to_stored()
    if has_credential:
        context = context_of_caller(
            deps, ctxt, stack_id, action, parsed_template
        )
    saved: dict[str, object] = {
        key: value for key, value in options.items() if key in SAVED_OPTIONS
    }
    if action is states.Action.UPDATE and deps.settings.observes_on_update:
        saved.setdefault(converge.OPTION, True)
    return operation.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=stack_id,
        project_id=ctxt.project_id or "",
        action=action,
        state=states.OperationState.WAITING,
        options=saved,
        context=context,
        created_at=deps.clock.now(),
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
