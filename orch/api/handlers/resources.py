"""The resources of a stack."""

from orch import errors
from orch.api import body
from orch.api import query
from orch.api import settings
from orch.api import web
from orch.api.handlers import dispatch
from orch.api.views import resources as views
from orch.rpc import contract

_FILTERS = (
    "type",
    "status",
    "name",
    "action",
    "id",
    "physical_resource_id",
)
_MARK = "mark_unhealthy"
_KEYS = {*_FILTERS, "nested_depth", "with_detail"}


class Resources:
    """Addresses ``/stacks/{name}/{stack_id}/resources`` and below."""

    def __init__(
        self,
        client: contract.Resources,
        starter: dispatch.Starter,
        limits: settings.Settings,
    ) -> None:
        self._resources = client
        self._starter = starter
        self._limits = limits

    def index(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """List the resources that the query string asks for."""
        unknown = sorted(set(req.params) - _KEYS)
        if unknown:
            raise errors.Invalid(
                f"Unknown query parameters: {', '.join(unknown)}."
            )
        found = self._resources.list(
            req.caller,
            stack_id,
            nested_depth=query.find_integer(req, "nested_depth") or 0,
            with_attributes=query.get_boolean(req, "with_detail"),
            filters={
                key: query.find_all(req, key)
                for key in _FILTERS
                if key in req.params
            },
        )
        return web.Answer({"resources": views.many(req.base_url, found)})

    def show(
        self, req: web.Request, name: str, stack_id: str, resource: str
    ) -> web.Answer:
        """Show a resource with its attributes, read live."""
        found = self._resources.show(
            req.caller, stack_id, resource, query.find_all(req, "with_attr")
        )
        return web.Answer({"resource": views.full(req.base_url, found)})

    def metadata(
        self, req: web.Request, name: str, stack_id: str, resource: str
    ) -> web.Answer:
        """Show the metadata of a resource."""
        found = self._resources.metadata(req.caller, stack_id, resource)
        return web.Answer({"metadata": found})

    def mark(
        self, req: web.Request, name: str, stack_id: str, resource: str
    ) -> web.Answer:
        """Store that a resource is not well, or is so again.

        :param resource: its name or its physical id
        """
        asked = body.read(req, self._limits.max_json_body_size)
        self._resources.mark_unhealthy(
            req.caller,
            stack_id,
            resource,
            is_unhealthy=query.parse_boolean(_MARK, asked[_MARK]),
            reason=asked.get("resource_status_reason"),
        )
        return web.Answer(None)

    def answer(
        self, req: web.Request, name: str, stack_id: str, resource: str
    ) -> web.Answer:
        """Store what became of a creation whose outcome is unknown."""
        asked = body.read(req, self._limits.max_json_body_size)
        found = self._resources.answer_outcome(
            req.caller,
            stack_id,
            resource,
            physical_id=asked.get("physical_id"),
        )
        return web.Answer({"resource": views.one(req.base_url, found)})

    def revoke(
        self, req: web.Request, name: str, stack_id: str, resource: str
    ) -> web.Answer:
        """Let the addresses of a resource take no signals any more."""
        self._resources.revoke_addresses(req.caller, stack_id, resource)
        return web.Answer(status=204)

    def signal(
        self, req: web.Request, name: str, stack_id: str, resource: str
    ) -> web.Answer:
        """Take in a signal, and wake the workers up for what goes on."""
        details = body.read_any(req, self._limits.max_json_body_size)
        done = self._resources.signal(req.caller, stack_id, resource, details)
        if done["accepted"] is not None:
            self._starter.start(req.caller, done["accepted"])
        return web.Answer(None)
