"""``OS::Neutron::RouterInterface``: connects a router with a subnet."""

import collections.abc
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire

OWNERS: typing.Final = (
    "network:router_interface",
    "network:router_interface_distributed",
    "network:ha_router_replicated_interface",
)
_NAMES: typing.Final = {"port_id": "port", "subnet_id": "subnet"}


class Interface(typing.NamedTuple):
    """An interface as its physical id names it.

    :ivar key: ``subnet_id`` or ``port_id``: what ``other`` is
    """

    router: str
    key: str
    other: str

    @classmethod
    def parse(cls, physical_id: str | None) -> "Interface":
        """Return the interface of a physical id.

        :raises orch.clients.rest.CloudNotFound: it has another form
        """
        router, _, rest_of_it = (physical_id or "").partition(":")
        key, _, other = rest_of_it.partition("=")
        if key not in _NAMES or not router or not other:
            raise rest.CloudNotFound(
                f"{physical_id!r} names no interface of a router; they are"
                " <router>:subnet_id=<subnet> or <router>:port_id=<port>"
            )
        return cls(router, key, other)

    @property
    def physical_id(self) -> str:
        """Return the id, as in Heat; Neutron has none."""
        return f"{self.router}:{self.key}={self.other}"

    def is_port(self, body: wire.Body) -> bool:
        """Whether a port is that of the interface."""
        if body.get("device_id") != self.router:
            return False
        if body.get("device_owner") not in OWNERS:
            return False
        if self.key == "port_id":
            return bool(body["id"] == self.other)
        return is_in_subnet(body, self.other)


class RouterInterface(base.OpenStackResource):
    """Connects a subnet, or the network of a port, to a router.

    For Neutron it is the port that the router has there.
    """

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Connect them."""
        desired = self.desired(context)
        self._ask(context, "add", desired)
        return desired.physical_id

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Look whether a lost call has connected them."""
        if not context.is_outcome_unknown:
            return None
        desired = self.desired(context)
        found = self._find_port(context, desired)
        return None if found is None else desired.physical_id

    def desired(self, context: call_context.Context) -> Interface:
        """Return the interface that the properties name."""
        cloud, given = self.cloud(context), context.properties
        router, other = (
            str(self.translated(cloud, self.fields[name], given[name]))
            for name in ("router", "port" if given.get("port") else "subnet")
        )
        key = "port_id" if given.get("port") else "subnet_id"
        return Interface(router, key, other)

    def _ask(
        self, context: call_context.Context, what: str, interface: Interface
    ) -> None:
        router = rest.path_segment(interface.router)
        self.api_collection(context).ask(
            "PUT",
            f"/routers/{router}/{what}_router_interface",
            {interface.key: interface.other},
        )

    def _find_port(
        self, context: call_context.Context, interface: Interface
    ) -> wire.Body | None:
        filters = {"device_id": interface.router}
        if interface.key == "port_id":
            filters["id"] = interface.other
        listed = self.api_collection(context).listed(filters)
        return next(filter(interface.is_port, listed), None)

    def body(self, context: call_context.Context) -> wire.Body:
        """Return the port of the interface.

        :raises orch.clients.rest.CloudNotFound: they are not connected
        """
        interface = Interface.parse(context.physical_id)
        found = self._find_port(context, interface)
        if found is None:
            raise rest.CloudNotFound(
                f"the router {interface.router} has no interface of"
                f" {interface.key} {interface.other}"
            )
        return found

    def remove(self, context: call_context.Context) -> None:
        """Disconnect them."""
        self._ask(context, "remove", Interface.parse(context.physical_id))

    def list_bodies(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> list[wire.Body | None] | None:
        """List the ports of all routers of the project."""
        filters = self.filters_of_project(contexts[0])
        ports = list(
            self.api_collection(contexts[0]).listed(
                {**filters, "device_owner": list(OWNERS)}
            )
        )
        return [_find_among(ports, each.physical_id) for each in contexts]

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties, which the id names."""
        interface = Interface.parse(context.physical_id)
        return {
            "router": interface.router,
            _NAMES[interface.key]: interface.other,
        }


def is_in_subnet(port: wire.Body, subnet_id: str) -> bool:
    """Whether a port has an address in a subnet."""
    fixed = wire.to_maps(port.get("fixed_ips"))
    return subnet_id in [each.get("subnet_id") for each in fixed]


def _find_among(
    ports: collections.abc.Sequence[wire.Body], physical_id: str | None
) -> wire.Body | None:
    try:
        interface = Interface.parse(physical_id)
    except rest.CloudNotFound:
        return None
    return next(filter(interface.is_port, ports), None)
