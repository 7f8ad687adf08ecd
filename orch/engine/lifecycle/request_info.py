"""What plug-ins learn of a request: its verb and its caller."""

from orch.context import request
from orch.model import adoption
from orch.model import operation
from orch.plugin import lifecycle_operation


def verb_of(operation: operation.Operation) -> str:
    """Return the verb of the request that an operation was accepted from."""
    if operation.options.get(adoption.ABANDONS):
        return "abandon"
    return operation.action.value.lower()


def request_info(
    operation: operation.Operation, verb: str
) -> lifecycle_operation.OperationRequest:
    """Return a request as plug-ins see it."""
    who = request.RequestContext.from_stored(operation.context)
    return lifecycle_operation.OperationRequest(
        operation_id=operation.id,
        action=operation.action.value,
        verb=verb,
        attempt=operation.attempt,
        project_id=operation.project_id,
        user_id=who.user_id or "",
        user_name=who.user_name or "",
        roles=tuple(who.roles),
        request_id=who.request_id or "",
    )
