"""Actions on a stack: retry now, Heat's others later."""

from orch import errors
from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.handlers import accepted
from orch.api.handlers import identity
from orch.api.schemas import actions as schema
from orch.policies import enforcer
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
        self._rules.check(req.caller, f"actions:{action}")
        if action != "retry":
            raise errors.NotSupported(f"{action} is not supported yet.")
        options = schema.retry_options_of(asked)
        found = self._stacks.identify(req.caller, stack_id)
        identity.check_name(found["stack_name"], name, stack_id)
        done = self._stacks.retry(req.caller, found["stack_id"], options)
        self._starter.start(req.caller, done)
        return web.Answer(None)
