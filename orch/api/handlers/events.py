"""The events of a stack and of its resources."""

from orch.api import errors as api_errors
from orch.api import query
from orch.api import settings
from orch.api import web
from orch.api.views import events as views
from orch.rpc import contract
from orch.rpc.clients import events

_FILTERS = (
    "resource_status",
    "resource_action",
    "resource_name",
    "resource_type",
)
_SORT_KEYS = ("event_time", "resource_type")


class Events:
    """Addresses ``events`` of a stack and of a resource."""

    def __init__(
        self, client: events.Events, limits: settings.Settings
    ) -> None:
        self._events = client
        self._limits = limits

    def index(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """List the events of a stack."""
        return self._list(req, stack_id, None)

    def of_resource(
        self, req: web.Request, name: str, stack_id: str, resource: str
    ) -> web.Answer:
        """List the events of a resource.

        :raises orch.api.errors.NothingHere: there is none
        """
        return self._list(req, stack_id, resource)

    def _list(
        self, req: web.Request, stack_id: str, resource: str | None
    ) -> web.Answer:
        asked = _query(req, self._limits.page_limit)
        found = self._events.list(
            req.caller, stack_id, resource_name=resource, query=asked
        )
        if resource is not None and not found:
            raise api_errors.NothingHere(
                f"No events found for resource {resource}."
            )
        with_root = asked["nested_depth"] > 0
        return web.Answer(
            {
                "events": [
                    views.summary(req.base_url, one, with_root=with_root)
                    for one in found
                ]
            }
        )

    def show(
        self,
        req: web.Request,
        name: str,
        stack_id: str,
        resource: str,
        event_id: str,
    ) -> web.Answer:
        """Show an event with the properties of its resource."""
        found = self._events.show(req.caller, stack_id, resource, event_id)
        return web.Answer({"event": views.full(req.base_url, found)})


def _query(req: web.Request, page_limit: int) -> contract.EventQuery:
    asked = query.find_all(req, "sort_keys")
    found: contract.EventQuery = {
        "limit": query.limit(req, page_limit),
        "marker": query.find(req, "marker"),
        "sort_keys": [key for key in asked if key in _SORT_KEYS],
        "nested_depth": query.integer(req, "nested_depth") or 0,
        "filters": {
            key: query.find_all(req, key)
            for key in _FILTERS
            if key in req.params
        },
    }
    direction = query.sort_direction(req)
    if direction is not None:
        found["sort_dir"] = direction
    return found
