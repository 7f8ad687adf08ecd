"""What plug-ins know of a request: its verb, and who asks."""

from orch.context import request
from orch.model import adoption
from orch.model import operation
from orch.plugin import lifecycle_operation


def verb_of(asked: operation.Operation) -> str:
    """Return the request that an operation comes from."""
    if asked.options.get(adoption.ABANDONS):
        return "abandon"
    return asked.action.value.lower()


def asked_of(
    asked: operation.Operation, verb: str
) -> lifecycle_operation.Asked:
    """Return what plug-ins know of a request."""
    who = request.RequestContext.from_stored(asked.context)
    return lifecycle_operation.Asked(
        operation_id=asked.id,
        action=asked.action.value,
        verb=verb,
        attempt=asked.attempt,
        project_id=asked.project_id,
        user_id=who.user_id or "",
        user_name=who.user_name or "",
        roles=tuple(who.roles),
        request_id=who.request_id or "",
    )
