"""Operations of stacks, and their lifecycle plug-ins; not in Heat."""

import collections.abc
import typing

from orch.api import links
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.views import facts as facts_
from orch.api.views import operations as views
from orch.rpc import contract


def index(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """List the operations of a stack."""
    stack_url = query.stack_url(req)
    found = backend.operations.list(req.caller, stack_id)
    return web.Answer(
        {
            "operations": [
                views.operation(req.base_url, stack_url, one) for one in found
            ]
        }
    )


def show(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    operation_id: str,
) -> web.Answer:
    """Show an operation: how far it is, and what failed."""
    found = backend.operations.show(req.caller, stack_id, operation_id)
    return web.Answer(
        {
            "operation": views.operation(
                req.base_url, query.stack_url(req), found
            )
        }
    )


def list_plugins(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the plug-ins of a worker, in the order of their calls."""
    found = backend.lifecycle.list(req.caller)
    shown = facts_.views(found, contract.LifecyclePluginFacts)
    return web.Answer({"plugins": shown})


def list_holds(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List what waits in the project, or in all, for an answer."""
    if query.get_boolean(req, "all_projects"):
        backend.rules.check(req.caller, "lifecycle:all_holds")
        found = backend.lifecycle.all_holds(req.caller)
    else:
        found = backend.lifecycle.holds(req.caller)
    return web.Answer({"holds": _hold_views(req.base_url, found)})


def _hold_views(
    base_url: str, facts: collections.abc.Iterable[contract.OpenHoldFacts]
) -> list[dict[str, object]]:
    """Return the holds of a project that have no answer."""
    found: list[dict[str, object]] = []
    for each in facts:
        view = facts_.view(each, contract.OpenHoldFacts, base_url)
        stack = links.stack(base_url, each["stack"])
        typing.cast("list[links.Link]", view["links"]).append(
            links.link(
                "operation", f"{stack}/operations/{each['operation_id']}"
            )
        )
        found.append(view)
    return found
