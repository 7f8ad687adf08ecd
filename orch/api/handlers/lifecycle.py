"""Lifecycle plug-ins; no such address exists in Heat."""

from orch.api import query
from orch.api import web
from orch.api.views import facts
from orch.api.views import lifecycle as views
from orch.policies import enforcer
from orch.rpc import contract


class Lifecycle:
    """Addresses ``/lifecycle/plugins`` and ``/lifecycle/holds``."""

    def __init__(
        self, client: contract.Lifecycle, rules: enforcer.Enforcer
    ) -> None:
        self._lifecycle = client
        self._rules = rules

    def plugins(self, req: web.Request) -> web.Answer:
        """List the plug-ins of a worker, in the order of their calls."""
        found = self._lifecycle.list(req.caller)
        shown = facts.views(found, contract.LifecyclePluginFacts)
        return web.Answer({"plugins": shown})

    def holds(self, req: web.Request) -> web.Answer:
        """List what waits in the project, or in all, for an answer."""
        if query.get_boolean(req, "all_projects"):
            self._rules.check(req.caller, "lifecycle:all_holds")
            found = self._lifecycle.all_holds(req.caller)
        else:
            found = self._lifecycle.holds(req.caller)
        return web.Answer({"holds": views.open_holds(req.base_url, found)})
