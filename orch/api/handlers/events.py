"""The events of a stack and of its resources."""

import typing

from orch import errors
from orch.api import caller_renewal
from orch.api import errors as api_errors
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.views import events as views
from orch.rpc import contract

_FILTERS = {
    "resource_status": "status",
    "resource_action": "action",
    "resource_name": "resource_name",
    "resource_type": "resource_type",
}
"""What a filter of the query string looks at, of the facts of an event."""
_IDLE = "idle"
_SORT_KEYS = {"event_time": "event_time", "resource_type": "resource_type"}


def index(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    resource: str | None = None,
) -> web.Answer:
    """List the events of a stack, or send them as they happen."""
    if query.get_boolean(req, "follow") or _is_stream_requested(req):
        return _follow(backend, req, stack_id, resource)
    asked = typing.cast(
        contract.EventQuery,
        {
            **query.paging(req, backend.limits.page_limit, _SORT_KEYS),
            "nested_depth": query.find_integer(req, "nested_depth") or 0,
            "filters": _filters(req),
        },
    )
    found = backend.events.list(
        req.caller, stack_id, resource_name=resource, query=asked
    )
    if resource is not None and not found:
        _check_end(backend, req, stack_id, resource, asked)
    with_root = asked["nested_depth"] > 0
    return web.Answer(
        {"events": views.many(req.base_url, found, with_root=with_root)}
    )


def _follow(
    backend: backends.Backend,
    req: web.Request,
    stack_id: str,
    resource: str | None,
) -> web.Answer:
    """Send all events, or those after one, until there is an end.

    :param resource: only those of resources of this name
    :raises orch.api.errors.TooManyEventStreams: too many are served
    """
    depth = query.find_integer(req, "nested_depth") or 0
    after = req.get_header("Last-Event-ID") or query.find_parameter(
        req, "marker"
    )
    until = query.find_parameter(req, "until")
    if until not in (None, _IDLE):
        raise errors.Invalid(f"until must be {_IDLE}, not {until[:80]!r}.")

    def read(position: str | None) -> contract.FollowedFacts:
        return backend.events.follow(
            req.caller, stack_id, after=position, nested_depth=depth
        )

    filters = _filters(req)
    if resource is not None:
        filters["resource_name"] = [resource]
    base_url = req.base_url

    def show(one: contract.EventFacts) -> dict[str, object] | None:
        if _fits(one, filters):
            return views.followed(base_url, one)
        return None

    stream = backend.streams.open(
        req,
        read,
        caller_renewal.CallerRenewal(req, backend.clock).renew,
        show,
        after or None,
        ends_idle=until == _IDLE,
    )
    return web.Answer(stream=stream)


def of_resource(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    resource: str,
) -> web.Answer:
    """List the events of a resource, or send them as they happen.

    :raises orch.api.errors.EmptyList: there is none
    """
    return index(backend, req, name, stack_id, resource)


def _check_end(
    backend: backends.Backend,
    req: web.Request,
    stack_id: str,
    resource: str,
    asked: contract.EventQuery,
) -> None:
    """Return only if there are events, and the marker is the last.

    openstacksdk reads page by page until one is empty.

    :raises orch.api.errors.EmptyList: there is none at all
    """
    whole: contract.EventQuery = {**asked, "marker": None}
    if asked["marker"] is None or not backend.events.list(
        req.caller, stack_id, resource_name=resource, query=whole
    ):
        raise api_errors.EmptyList(f"No events found for resource {resource}.")


def show(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    resource: str,
    event_id: str,
) -> web.Answer:
    """Show an event with the properties of its resource."""
    found = backend.events.show(req.caller, stack_id, resource, event_id)
    return web.Answer({"event": views.full(req.base_url, found)})


def _is_stream_requested(req: web.Request) -> bool:
    return req.accept.startswith(web.EVENT_STREAM)


def _filters(req: web.Request) -> dict[str, list[str]]:
    return {
        key: query.find_all(req, key) for key in _FILTERS if key in req.params
    }


def _fits(told: contract.EventFacts, filters: dict[str, list[str]]) -> bool:
    """Answer whether the filters let an event through."""
    facts: dict[str, object] = {**told}
    return all(
        facts[_FILTERS[key]] in allowed for key, allowed in filters.items()
    )
