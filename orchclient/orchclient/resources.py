"""Resources of stacks, and resource types."""

import collections.abc
import typing

from orchclient import models
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport

Document = dict[str, object]
Names = collections.abc.Sequence[str]


class Filters(typing.TypedDict, total=False):
    """Filters of a list of resources; a sequence means: one of these."""

    type: str | Names
    status: str | Names
    name: str | Names
    action: str | Names
    id: str | Names
    physical_resource_id: str | Names


class Resources:
    """The resources of a stack."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def list(
        self,
        stack: models.Which,
        *,
        nested_depth: int = 0,
        with_attributes: bool = False,
        **filters: typing.Unpack[Filters],
    ) -> tuple[models.Resource, ...]:
        """Return the resources of a stack.

        :param nested_depth: levels of child stacks to include
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        query: dict[str, object] = dict(filters)
        if nested_depth:
            query["nested_depth"] = nested_depth
        if with_attributes:
            query["with_detail"] = True
        answer = self._sender.get(f"{found.path}/resources", query)
        return tuple(
            map(
                models.Resource.of,
                response_parser.get_maps(answer, "resources"),
            )
        )

    def show(
        self, stack: models.Which, name: str, *, with_attr: Names = ()
    ) -> models.Resource:
        """Return a resource with its attributes, read now.

        :param with_attr: attributes that are not shown otherwise
        """
        answer = self._sender.get(
            self._path(stack, name), {"with_attr": list(with_attr)}
        )
        return models.Resource.of(response_parser.get_map(answer, "resource"))

    def metadata(self, stack: models.Which, name: str) -> Document:
        """Return the metadata of a resource."""
        answer = self._sender.get(self._path(stack, name, "/metadata"))
        return dict(response_parser.get_map(answer, "metadata"))

    def mark_unhealthy(
        self, stack: models.Which, name: str, reason: str | None = None
    ) -> None:
        """Mark a resource as unhealthy; the next update replaces it.

        :param name: or its physical id
        """
        self._mark(stack, name, is_unhealthy=True, reason=reason)

    def mark_healthy(
        self, stack: models.Which, name: str, reason: str | None = None
    ) -> None:
        """Remove the mark that a resource is unhealthy."""
        self._mark(stack, name, is_unhealthy=False, reason=reason)

    def answer_outcome(
        self,
        stack: models.Which,
        name: str,
        physical_id: str | None,
    ) -> models.Resource:
        """Answer the unknown outcome of a creation.

        :param physical_id: what it has made; ``None`` for nothing
        """
        body: Document = {"physical_id": physical_id}
        if physical_id is None:
            body = {"is_made": False}
        answer = self._sender.ask(
            "POST", self._path(stack, name, "/outcome"), body
        )
        return models.Resource.of(response_parser.get_map(answer, "resource"))

    def signal(
        self, stack: models.Which, name: str, data: object = None
    ) -> None:
        """Send a signal to a resource."""
        body = {} if data is None else data
        self._sender.ask("POST", self._path(stack, name, "/signal"), body)

    def revoke_addresses(self, stack: models.Which, name: str) -> None:
        """Revoke the signal addresses of a resource."""
        self._sender.ask("DELETE", self._path(stack, name, "/signal"))

    def _mark(
        self,
        stack: models.Which,
        name: str,
        *,
        is_unhealthy: bool,
        reason: str | None,
    ) -> None:
        body: Document = {"mark_unhealthy": is_unhealthy}
        if reason is not None:
            body["resource_status_reason"] = reason
        self._sender.ask("PATCH", self._path(stack, name), body)

    def _path(self, stack: models.Which, name: str, below: str = "") -> str:
        found = stack_lookup.identify_stack(self._sender, stack)
        return f"{found.path}/resources/{transport.quote_part(name)}{below}"


class ResourceTypes:
    """The resource types that the service knows."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def list(
        self,
        *,
        name: str | None = None,
        version: str | None = None,
        support_status: str | None = None,
    ) -> tuple[str, ...]:
        """Return the names of resource types.

        :param name: a regular expression
        """
        query = {
            "name": name,
            "version": version,
            "support_status": support_status,
        }
        answer = self._sender.get("/resource_types", query)
        return response_parser.get_texts(
            response_parser.read_map(answer), "resource_types"
        )

    def show(self, type_name: str) -> Document:
        """Return properties, attributes and more of a type, as Heat has it."""
        path = f"/resource_types/{transport.quote_part(type_name)}"
        query = {"with_description": True}
        return dict(response_parser.read_map(self._sender.get(path, query)))

    def template(self, type_name: str, language: str = "hot") -> Document:
        """Return a template with one resource of a type.

        :param language: ``hot`` or ``cfn``
        """
        path = f"/resource_types/{transport.quote_part(type_name)}/template"
        query = {"template_type": language}
        return dict(response_parser.read_map(self._sender.get(path, query)))
