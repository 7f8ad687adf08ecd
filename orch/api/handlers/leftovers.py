"""Left-over physical resources; no such address exists in Heat."""

import typing

from orch import errors
from orch.api import query
from orch.api import settings
from orch.api import web
from orch.api.handlers import dispatch
from orch.api.schemas import search
from orch.api.views import facts
from orch.rpc import contract

_NAMES: typing.Final = ("limit", "marker", "since", "stack", "type")


class Leftovers:
    """Addresses ``/leftovers`` and below."""

    def __init__(
        self,
        client: contract.Leftovers,
        starter: dispatch.Starter,
        limits: settings.Settings,
    ) -> None:
        self._leftovers = client
        self._starter = starter
        self._limits = limits

    def index(self, req: web.Request) -> web.Answer:
        """List those that the query string asks for, the newest first."""
        unknown = sorted(set(req.params) - set(_NAMES))
        if unknown:
            raise errors.Invalid(
                f"Unknown query parameters: {', '.join(unknown)}."
            )
        query.check_single(req, _NAMES)
        since = query.find_parameter(req, "since")
        found = self._leftovers.list(
            req.caller,
            {
                "limit": query.page_limit(req, self._limits.page_limit),
                "marker": query.find_parameter(req, "marker"),
                "since": _moment(since),
                "stack": query.find_parameter(req, "stack"),
                "type": query.find_parameter(req, "type"),
            },
        )
        shown = facts.views(found, contract.LeftoverFacts, req.base_url)
        return web.Answer({"leftovers": shown})

    def show(self, req: web.Request, leftover_id: str) -> web.Answer:
        """Show one of them."""
        found = self._leftovers.show(req.caller, leftover_id)
        return web.Answer({"leftover": _view(req, found)})

    def sweep(self, req: web.Request, leftover_id: str) -> web.Answer:
        """Accept that it is removed."""
        done = self._leftovers.sweep(req.caller, leftover_id)
        self._starter.start(req.caller, done["accepted"])
        return web.Answer({"leftover": _view(req, done["leftover"])}, 202)

    def forget(self, req: web.Request, leftover_id: str) -> web.Answer:
        """Forget it; nothing is removed."""
        accepted = self._leftovers.forget(req.caller, leftover_id)
        if accepted is not None:
            self._starter.start(req.caller, accepted)
        return web.Answer(status=204)


def _moment(since: str | None) -> float | None:
    return None if since is None else search.moment_of(since, "since")


def _view(
    req: web.Request, found: contract.LeftoverFacts
) -> dict[str, object]:
    return facts.view(found, contract.LeftoverFacts, req.base_url)
