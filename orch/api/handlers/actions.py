"""Actions on a stack: suspend, check, cancel, retry, approve, observe."""

from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.handlers import dispatch
from orch.api.handlers import drift
from orch.api.schemas import actions as schema
from orch.api.schemas import drift as drift_schema
from orch.api.schemas import holds
from orch.context import request
from orch.rpc import contract


class Actions:
    """Address ``/stacks/{name}/{stack_id}/actions``."""

    def __init__(
        self,
        client: contract.Stacks,
        lifecycle_client: contract.Lifecycle,
        drifts: drift.Drift,
        starter: dispatch.Starter,
        limits: settings.Settings,
    ) -> None:
        self._stacks = client
        self._lifecycle = lifecycle_client
        self._drifts = drifts
        self._starter = starter
        self._limits = limits

    def act(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Accept the one action that the body names."""
        asked = body.read(req, self._limits.max_json_body_size, schema.rule_of)
        ((action, value),) = asked.items()
        if action in drift_schema.ACTIONS:
            return self._drifts.act(req, stack_id, action, value or {})
        if action in holds.ANSWERS:
            held = self._answer(req.caller, stack_id, action, value or {})
            self._starter.start(req.caller, held)
            return web.Answer(None)
        options = schema.options_of(action, value)
        done = self._ask(req.caller, stack_id, action, options)
        if done is not None:
            self._starter.start(req.caller, done)
        return web.Answer(None)

    def _answer(
        self,
        caller: request.RequestContext,
        stack_id: str,
        action: str,
        answer: web.Body,
    ) -> contract.Accepted:
        """Pass on the answer to a held operation."""
        told = self._lifecycle.reject
        if holds.ANSWERS[action]:
            told = self._lifecycle.approve
        return told(
            caller,
            stack_id,
            answer.get("text") or "",
            answer.get("operation_id") or None,
        )

    def _ask(
        self,
        caller: request.RequestContext,
        stack_id: str,
        action: str,
        options: contract.StackOptions,
    ) -> contract.Accepted | None:
        """Pass the action on; ``None`` when there is nothing to do."""
        if action == schema.RETRY:
            return self._stacks.retry(caller, stack_id, options)
        if action in schema.CANCELS:
            rolls_back = schema.CANCELS[action]
            return self._stacks.cancel(caller, stack_id, rolls_back)
        return self._stacks.act(caller, stack_id, action.upper(), options)
