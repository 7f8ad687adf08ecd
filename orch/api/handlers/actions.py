"""Actions on a stack: suspend, check, cancel, retry, approve, observe."""

from orch.api import body
from orch.api import web
from orch.api.handlers import backends
from orch.api.handlers import drift
from orch.api.schemas import actions as schema
from orch.api.schemas import drift as drift_schema
from orch.api.schemas import holds
from orch.context import request
from orch.rpc import contract


def act(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Accept the one action that the body names."""
    asked = body.read(req, backend.limits.max_json_body_size, schema.rule_of)
    ((action, value),) = asked.items()
    if action in drift_schema.ACTIONS:
        return drift.act(backend, req, stack_id, action, value or {})
    ask = _answer if action in holds.ANSWERS else _ask
    backend.start(
        req.caller, ask(backend, req.caller, stack_id, action, value)
    )
    return web.Answer(None)


def _answer(
    backend: backends.Backend,
    caller: request.RequestContext,
    stack_id: str,
    action: str,
    value: web.Body | None,
) -> contract.Accepted:
    """Pass on the answer to a held operation."""
    answer = value or {}
    told = backend.lifecycle.reject
    if holds.ANSWERS[action]:
        told = backend.lifecycle.approve
    return told(
        caller,
        stack_id,
        answer.get("text") or "",
        answer.get("operation_id") or None,
    )


def _ask(
    backend: backends.Backend,
    caller: request.RequestContext,
    stack_id: str,
    action: str,
    value: object,
) -> contract.Accepted | None:
    """Pass the action on; ``None`` when there is nothing to do."""
    options = schema.options_of(action, value)
    if action == schema.RETRY:
        return backend.stacks.retry(caller, stack_id, options)
    if action in schema.CANCELS:
        rolls_back = schema.CANCELS[action]
        return backend.stacks.cancel(caller, stack_id, rolls_back)
    return backend.stacks.act(caller, stack_id, action.upper(), options)
