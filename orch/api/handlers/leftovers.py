"""Left-over physical resources; no such address exists in Heat."""

import typing

from orch import errors
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.schemas import search
from orch.api.views import facts
from orch.rpc import contract

_NAMES: typing.Final = ("limit", "marker", "since", "stack", "type")


def index(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List those that the query string asks for, the newest first."""
    unknown = sorted(set(req.params) - set(_NAMES))
    if unknown:
        raise errors.Invalid(
            f"Unknown query parameters: {', '.join(unknown)}."
        )
    query.check_single(req, _NAMES)
    since = query.find_parameter(req, "since")
    found = backend.leftovers.list(
        req.caller,
        {
            "limit": query.page_limit(req, backend.limits.page_limit),
            "marker": query.find_parameter(req, "marker"),
            "since": _moment(since),
            "stack": query.find_parameter(req, "stack"),
            "type": query.find_parameter(req, "type"),
        },
    )
    shown = facts.views(found, contract.LeftoverFacts, req.base_url)
    return web.Answer({"leftovers": shown})


def show(
    backend: backends.Backend, req: web.Request, leftover_id: str
) -> web.Answer:
    """Show one of them."""
    found = backend.leftovers.show(req.caller, leftover_id)
    return web.Answer({"leftover": _view(req, found)})


def sweep(
    backend: backends.Backend, req: web.Request, leftover_id: str
) -> web.Answer:
    """Accept that it is removed."""
    done = backend.leftovers.sweep(req.caller, leftover_id)
    backend.start(req.caller, done["accepted"])
    return web.Answer({"leftover": _view(req, done["leftover"])}, 202)


def forget(
    backend: backends.Backend, req: web.Request, leftover_id: str
) -> None:
    """Forget it; nothing is removed."""
    backend.start(
        req.caller, backend.leftovers.forget(req.caller, leftover_id)
    )


def _moment(since: str | None) -> float | None:
    return None if since is None else search.moment_of(since, "since")


def _view(
    req: web.Request, found: contract.LeftoverFacts
) -> dict[str, object]:
    return facts.view(found, contract.LeftoverFacts, req.base_url)
