"""Lifecycle plug-ins; no such address exists in Heat."""

from orch.api import web
from orch.api.views import facts
from orch.api.views import lifecycle as views
from orch.rpc import contract


class Lifecycle:
    """Addresses ``/lifecycle/plugins`` and ``/lifecycle/holds``."""

    def __init__(self, client: contract.Lifecycle) -> None:
        self._lifecycle = client

    def plugins(self, req: web.Request) -> web.Answer:
        """List the plug-ins of a worker, in the order of their calls."""
        found = self._lifecycle.list(req.caller)
        shown = facts.views(found, contract.LifecyclePluginFacts)
        return web.Answer({"plugins": shown})

    def holds(self, req: web.Request) -> web.Answer:
        """List what waits in the project until somebody answers."""
        found = self._lifecycle.holds(req.caller)
        return web.Answer({"holds": views.open_holds(req.base_url, found)})
