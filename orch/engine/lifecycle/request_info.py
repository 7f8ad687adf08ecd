"""What plug-ins learn of a request: its verb, cause and caller."""

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
    origin = operation.origin
    request_id = operation.context.get("request_id")
    return lifecycle_operation.OperationRequest(
        operation_id=operation.id,
        action=operation.action.value,
        verb=verb,
        attempt=operation.attempt,
        project_id=operation.project_id,
        cause=origin.cause,
        user_id=origin.requester.user_id or "",
        user_name=origin.requester.user_name or "",
        roles=origin.requester.roles,
        policy_user_id=origin.policy_setter.user_id or "",
        policy_user_name=origin.policy_setter.user_name or "",
        request_id=str(request_id) if request_id else "",
    )
