"""What every accepting use case makes of a request: an operation."""

import typing

from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.model import operation
from orch.model import states
from orch.rpc import contract

KEPT_OPTIONS: typing.Final = ("keep_going",)
"""Options of the request that the run of the operation depends on."""


def new(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: ids.StackId,
    action: states.Action,
    options: contract.StackOptions,
) -> operation.Operation:
    """Return a fresh operation that waits for a worker."""
    return operation.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=stack_id,
        project_id=ctxt.project_id or "",
        action=action,
        state=states.OperationState.WAITING,
        options=kept(options),
        context=ctxt.to_stored(),
        created_at=deps.clock.now(),
    )


def kept(options: contract.StackOptions) -> dict[str, object]:
    """Return the options that the run of the operation depends on."""
    return {
        key: value for key, value in options.items() if key in KEPT_OPTIONS
    }


def timeout_s(
    deps: dependencies.Dependencies, options: contract.StackOptions
) -> int:
    """Return how long an operation may take, in seconds."""
    minutes = options.get("timeout_mins")
    return 60 * minutes if minutes else deps.settings.stack_action_timeout


def accepted(
    operation_: operation.Operation, stack_name: str
) -> contract.Accepted:
    """Return the answer to whoever asked."""
    return contract.Accepted(
        identity=contract.StackIdentity(
            project_id=operation_.project_id,
            stack_name=stack_name,
            stack_id=operation_.stack_id,
        ),
        operation_id=operation_.id,
    )
