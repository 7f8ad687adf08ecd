"""Actions on a stack: suspend, resume, check, cancel, retry."""

from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.handlers import accepted
from orch.api.handlers import identity
from orch.api.handlers import retrying
from orch.api.schemas import actions as schema
from orch.context import request
from orch.policies import enforcer
from orch.rpc import contract
from orch.rpc.clients import stacks


class Actions:
    """Address ``/stacks/{name}/{stack_id}/actions``."""

    def __init__(
        self,
        client: stacks.Stacks,
        starter: accepted.Starter,
        rules: enforcer.Enforcer,
        limits: settings.Settings,
    ) -> None:
        self._stacks = client
        self._starter = starter
        self._rules = rules
        self._limits = limits

    def act(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Accept the one action that the body names."""
        asked = body.read(req, self._limits.max_json_body_size)
        action = schema.action_of(asked)
        again = schema.retry_of(asked, action)
        retrying.check(self._rules, req, again, f"actions:{action}")
        options = again or schema.options_of(asked, action)
        found = self._stacks.identify(req.caller, stack_id)
        identity.check_name(found["stack_name"], name, stack_id)
        done = self._ask(req.caller, found["stack_id"], action, options)
        if done is not None:
            self._starter.start(req.caller, done)
        return web.Answer(None)

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
