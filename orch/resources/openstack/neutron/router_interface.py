"""``OS::Neutron::RouterInterface``: a router's way into a subnet."""

import collections.abc
import typing

from orch import errors
from orch.clients import collection
from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

_OWNERS: typing.Final = (
    "network:router_interface",
    "network:router_interface_distributed",
    "network:ha_router_replicated_interface",
)
_PORT: typing.Final = "port"
_SUBNET: typing.Final = "subnet"
_KEYS: typing.Final = {_PORT: "port_id", _SUBNET: "subnet_id"}


class RouterInterface(base.OpenStackResource):
    """Connects a subnet, or the network of a port, to a router.

    Neutron has no id for it: ours is ``<router>:subnet_id=<subnet>`` or
    ``<router>:port_id=<port>``. What stands for it there is a port.
    """

    type_name = "OS::Neutron::RouterInterface"
    table = type_table.Table(
        service="network",
        version="2.0",
        path="/ports",
        key="port",
        plural="ports",
        token_key="",
        is_listed=False,
        fields=(
            type_table.Field(
                name="router", wire="device_id", refers_to=lookup.ROUTER
            ),
            type_table.Field(
                name=_PORT,
                wire="id",
                refers_to=lookup.PORT,
                is_shared=True,
            ),
            type_table.Field(
                name=_SUBNET,
                wire="subnet_id",
                refers_to=lookup.SUBNET,
                is_shared=True,
            ),
        ),
    )

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse one that is for no subnet and no port, or for both."""
        if not {_PORT, _SUBNET} <= properties.keys():
            return
        given = [each for each in _KEYS if properties[each]]
        if not given:
            raise errors.Invalid("One of subnet or port is needed.")
        if len(given) > 1:
            raise errors.Invalid("Only one of subnet and port can be given.")

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Join them."""
        router, key, identifier = self._desired(context)
        self.api_collection(context).ask(
            "PUT",
            f"/routers/{rest.path_segment(router)}/add_router_interface",
            {key: identifier},
        )
        return f"{router}:{key}={identifier}"

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Look whether they are joined."""
        router, key, identifier = self._desired(context)
        found = self._port(context, router, key, identifier)
        return None if found is None else f"{router}:{key}={identifier}"

    def _desired(self, context: call_context.Context) -> tuple[str, str, str]:
        cloud = self.cloud(context)
        ids = {
            field.name: lookup.find_id(
                cloud, field.refers_to, str(context.properties[field.name])
            )
            for field in self.table.fields
            if field.refers_to and context.properties.get(field.name)
        }
        name = _PORT if _PORT in ids else _SUBNET
        return ids["router"], _KEYS[name], ids[name]

    def _port(
        self,
        context: call_context.Context,
        router: str,
        key: str,
        identifier: str,
    ) -> collection.Body | None:
        """Return the port that stands for it; ``None`` for nothing."""
        filters: dict[str, str | list[str]] = {"device_id": router}
        if key == _KEYS[_PORT]:
            filters["id"] = identifier
        for body in self.api_collection(context).listed(filters):
            if _leads_to(body, router, key, identifier):
                return body
        return None

    def body(self, context: call_context.Context) -> wire.Body:
        """Return the port that stands for it.

        :raises orch.clients.rest.CloudNotFound: they are not joined
        """
        router, key, identifier = _parts(self.id_of(context))
        found = self._port(context, router, key, identifier)
        if found is None:
            raise rest.CloudNotFound(
                f"the router {router} has no interface of {key} {identifier}"
            )
        return found

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Look whether they are joined.

        :raises orch.clients.rest.CloudNotFound: they are not
        """
        router, key, identifier = _parts(given.physical_id or "")
        if self._port(context, router, key, identifier) is None:
            raise rest.CloudNotFound(f"there is no {given.physical_id}")
        return given

    def remove(self, context: call_context.Context) -> None:
        """Part them."""
        router, key, identifier = _parts(self.id_of(context))
        self.api_collection(context).ask(
            "PUT",
            f"/routers/{rest.path_segment(router)}/remove_router_interface",
            {key: identifier},
        )

    def list_bodies(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> list[wire.Body | None] | None:
        """List the ports of all routers of the project."""
        ports = list(
            self.api_collection(contexts[0]).listed(
                {
                    **self.filters_of_project(contexts[0]),
                    "device_owner": list(_OWNERS),
                }
            )
        )
        return [_among(ports, each) for each in contexts]

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties, by the id: the port leads to them."""
        router, key, identifier = _parts(self.id_of(context))
        name = _PORT if key == _KEYS[_PORT] else _SUBNET
        return {"router": router, name: identifier}


def _parts(physical_id: str) -> tuple[str, str, str]:
    """Return router, key and id of a physical id.

    :raises orch.clients.rest.CloudNotFound: it has another form
    """
    router, _, rest_of_it = physical_id.partition(":")
    key, _, identifier = rest_of_it.partition("=")
    if key not in _KEYS.values() or not router or not identifier:
        raise rest.CloudNotFound(
            f"{physical_id!r} names no interface of a router; they are"
            " <router>:subnet_id=<subnet> or <router>:port_id=<port>"
        )
    return router, key, identifier


def _leads_to(body: wire.Body, router: str, key: str, identifier: str) -> bool:
    if body.get("device_id") != router:
        return False
    if body.get("device_owner") not in _OWNERS:
        return False
    if key == _KEYS[_PORT]:
        return bool(body["id"] == identifier)
    return any(
        each.get("subnet_id") == identifier
        for each in body.get("fixed_ips") or []
    )


def _among(
    ports: list[collection.Body], context: call_context.Context
) -> collection.Body | None:
    try:
        router, key, identifier = _parts(context.physical_id or "")
    except rest.CloudNotFound:
        return None
    for body in ports:
        if _leads_to(body, router, key, identifier):
            return body
    return None
