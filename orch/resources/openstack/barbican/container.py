"""Containers of Barbican, which name secrets by their addresses."""

import collections.abc

from orch.clients import collection
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire
from orch.resources.openstack.barbican import secret

_REFS = "secret_refs"


class Container(base.OpenStackResource):
    """A container of secrets.

    Requests and answers have a list of names and addresses; properties and
    attributes have a map.
    """

    def body_to_create(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request that creates it, with the token."""
        body = super().body_to_create(context)
        refs = body.get(_REFS)
        if isinstance(refs, collections.abc.Mapping):
            body[_REFS] = [
                {"name": name, "secret_ref": address}
                for name, address in refs.items()
            ]
        return body

    def body(self, context: call_context.Context) -> wire.Body:
        """Return the container, with a map of its secrets."""
        return _with_map(super().body(context))

    def all_of_project(
        self, context: call_context.Context
    ) -> collections.abc.Iterator[collection.Body]:
        """Yield the containers of the project, each with such a map."""
        return map(_with_map, super().all_of_project(context))

    def all_listed(
        self, context: call_context.Context
    ) -> collections.abc.Iterator[wire.Body]:
        """Yield the containers that no order generated: those belong to it."""
        orders = secret.list_others(self.api_collection(context), "order")
        generated = {each.get("container_ref") for each in orders}
        for each in super().all_listed(context):
            if self.id_in(each) not in generated:
                yield each


def _with_map(body: wire.Body) -> collection.Body:
    refs = {each["name"]: each["secret_ref"] for each in body.get(_REFS) or ()}
    return {**body, _REFS: refs}
