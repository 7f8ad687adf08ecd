"""Take hints that an operation waits; a lost one costs time only."""

import collections.abc

from orch import ids
from orch.context import request
from orch.engine import dependencies


def wake_operation(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    operation_id: str,
) -> None:
    """Wake the conductor of this worker for an operation."""
    deps.conductor.wake(ids.OperationId(operation_id))


def wake_operations(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    operation_ids: collections.abc.Sequence[str],
) -> None:
    """Wake the conductor of this worker for several operations."""
    for each in operation_ids:
        deps.conductor.wake(ids.OperationId(each))


def wake_parent(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    child_id: str,
) -> None:
    """Wake a parent's operation that waits for a child stack."""
    deps.conductor.look_at_child(ids.StackId(stack_id), ids.StackId(child_id))
