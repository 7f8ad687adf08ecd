"""Stacks that are handed over between projects; Heat has none of this."""

from orch.api import query
from orch.api import settings
from orch.api import web
from orch.api.views import facts
from orch.rpc import contract


class HandOvers:
    """Addresses ``/hand_overs`` and below."""

    def __init__(
        self, client: contract.HandOvers, limits: settings.Settings
    ) -> None:
        self._hand_overs = client
        self._limits = limits

    def index(self, req: web.Request) -> web.Answer:
        """List what the project hands over or is offered."""
        found = self._hand_overs.list(
            req.caller,
            limit=query.page_limit(req, self._limits.page_limit),
            marker=query.find_parameter(req, "marker"),
        )
        shown = facts.views(found, contract.HandOverFacts, req.base_url)
        return web.Answer({"hand_overs": shown})

    def withdraw(self, req: web.Request, hand_over_id: str) -> web.Answer:
        """Offer a stack to no project any more."""
        self._hand_overs.withdraw(req.caller, hand_over_id)
        return web.Answer(status=204)
