"""Actions on a stack: suspend, check, cancel, retry, approve, observe."""

from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.handlers import dispatch
from orch.api.handlers import drift
from orch.api.schemas import actions as schema
from orch.api.schemas import drift as drift_schema
from orch.api.schemas import holds
from orch.api.schemas import retry
from orch.context import request
from orch.policies import enforcer
from orch.rpc import contract


class Actions:
    """Address ``/stacks/{name}/{stack_id}/actions``."""

    def __init__(
        self,
        client: contract.Stacks,
        lifecycle_client: contract.Lifecycle,
        drifts: drift.Drift,
        starter: dispatch.Starter,
        rules: enforcer.Enforcer,
        limits: settings.Settings,
    ) -> None:
        self._stacks = client
        self._lifecycle = lifecycle_client
        self._drifts = drifts
        self._starter = starter
        self._rules = rules
        self._limits = limits

    def act(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Accept the one action that the body names."""
        asked = body.read(req, self._limits.max_json_body_size)
        action = schema.action_of(asked)
        if action in drift_schema.ACTIONS:
            return self._drifts.act(req, stack_id, action, asked)
        if action in holds.ANSWERS:
            self._rules.check(req.caller, f"actions:{action}")
            answer = holds.answer_of(asked, action)
            held = self._answer(req.caller, stack_id, action, answer)
            self._starter.start(req.caller, held)
            return web.Answer(None)
        again = schema.retry_of(asked, action)
        rule = f"actions:{action}" if again is None else retry.RULE
        self._rules.check(req.caller, rule)
        options = again or schema.options_of(asked, action)
        done = self._ask(req.caller, stack_id, action, options)
        if done is not None:
            self._starter.start(req.caller, done)
        return web.Answer(None)

    def _answer(
        self,
        caller: request.RequestContext,
        stack_id: str,
        action: str,
        answer: holds.Answer,
    ) -> contract.Accepted:
        """Pass on the answer to a held operation."""
        told = self._lifecycle.reject
        if holds.ANSWERS[action]:
            told = self._lifecycle.approve
        return told(caller, stack_id, answer.text, answer.operation_id)

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
