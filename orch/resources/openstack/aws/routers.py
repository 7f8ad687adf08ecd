"""The routers of a VPC, which is a network, and what they connect.

The default router of a VPC has the name of its network, as in Heat. That of a
route table says in its description which VPC it belongs to, unless Heat has
created it.
"""

import collections.abc
import dataclasses
import typing

from orch.clients import collection
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import clouds
from orch.resources.openstack import errors as errors_
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import router_interface

_GATEWAY: typing.Final = "external_gateway_info"
_NETWORK: typing.Final = "network_id"
_PENDING: typing.Final = ("BUILD", "ALLOCATING")
_FAILED: typing.Final = "ERROR"


class NoExternalNetwork(rest.CloudRefused):
    """Not exactly one external network exists for the caller."""

    code = "orch.cloud.no_external_network"


@dataclasses.dataclass(frozen=True, slots=True)
class Routers:
    """The routers, networks and ports of one project.

    :ivar project_id: of the stack, whose routers alone are looked for
    """

    routers: collection.Collection
    networks: collection.Collection
    ports: collection.Collection
    subnets: collection.Collection
    project_id: str

    @classmethod
    def of(
        cls, plugin: clouds.CloudResource, context: call_context.Context
    ) -> typing.Self:
        """Speak to the service for a stack; nothing is sent yet."""
        cloud = plugin.cloud(context)
        service = rest.service_of(cloud, "network", version="2.0")
        routers, networks, ports, subnets = (
            collection.Collection(
                service=service,
                path=f"/{noun}s",
                key=noun,
                plural=f"{noun}s",
            )
            for noun in ("router", "network", "port", "subnet")
        )
        return cls(routers, networks, ports, subnets, context.stack_project)

    def find_external_network(self) -> str:
        """Return the id of the one external network.

        :raises NoExternalNetwork: there is none, or there are several
        """
        found = list(self.networks.listed({"router:external": "True"}))
        if len(found) != 1:
            raise NoExternalNetwork(
                f"Expected 1 external network, found {len(found)}"
            )
        return str(found[0]["id"])

    def find_default(self, network_id: str, name: str) -> wire.Body | None:
        """Return the default router of a VPC; ``None`` if it has none.

        One of that name with interfaces in other networks alone belongs to
        others.

        :param name: of the network
        :raises orch.clients.rest.CloudRefused: there are several
        """
        named = self._list_routers("name", name)
        networks = self._list_networks({str(each["id"]) for each in named})
        found = [
            each
            for each in named
            if network_id in (networks[str(each["id"])] or {network_id})
        ]
        if len(found) > 1:
            raise rest.CloudRefused(f"Multiple routers found with name {name}")
        return found[0] if found else None

    def find_default_of(self, network_id: str) -> wire.Body | None:
        """Return the default router of a VPC by the id of its network.

        :raises orch.clients.rest.CloudNotFound: there is no such network
        """
        return self.find_default(network_id, self._find_name(network_id))

    def _find_name(self, network_id: str) -> str:
        return str(self.networks.get(network_id)["name"])

    def list_all(self, network_id: str) -> list[wire.Body]:
        """Return all routers of a VPC, those of route tables among them.

        :raises orch.clients.rest.CloudNotFound: there is no such network
        """
        default = self.find_default_of(network_id)
        mark = describe_table(network_id)
        tables = self._list_routers("description", mark)
        return [*([default] if default else []), *tables]

    def _list_routers(
        self, key: str, value: str | list[str]
    ) -> list[wire.Body]:
        filters = {key: value, "project_id": self.project_id}
        return list(self.routers.listed(filters))

    def set_gateway(self, router: wire.Body, network_id: str | None) -> None:
        """Let a router lead to a network, or to none."""
        if find_gateway(router) != network_id:
            desired = {_NETWORK: network_id} if network_id else {}
            self.routers.change(str(router["id"]), {_GATEWAY: desired})

    def find_network(self, subnet_id: str) -> str:
        """Return the id of the network of a subnet.

        :raises orch.clients.rest.CloudNotFound: there is no such subnet
        """
        return str(self.subnets.get(subnet_id)[_NETWORK])

    def find_connected(self, network_id: str, subnet_id: str) -> list[str]:
        """Return the ids of the routers that have an interface in a subnet."""
        return [
            str(each["device_id"])
            for each in self._list_interfaces(_NETWORK, [network_id])
            if router_interface.is_in_subnet(each, subnet_id)
        ]

    def find_own_connected(self, subnet_id: str) -> list[str]:
        """Return those of :meth:`find_connected` that belong to the VPC.

        Those are its default router, those of its route tables, and routers
        with interfaces nowhere else, as those of route tables of Heat have.

        :raises orch.clients.rest.CloudNotFound: there is no such subnet
        """
        network_id = self.find_network(subnet_id)
        connected = self.find_connected(network_id, subnet_id)
        if not connected:
            return []
        networks = self._list_networks(connected)
        name, mark = self._find_name(network_id), describe_table(network_id)
        return [
            str(each["id"])
            for each in self._list_routers("id", connected)
            if networks[str(each["id"])] == {network_id}
            or each.get("name") == name
            or each.get("description") == mark
        ]

    def list_connected(self, network_id: str) -> list[wire.Body]:
        """Return the routers that have interfaces in a VPC and nowhere else.

        Those of route tables of Heat are among them.
        """
        connected = {
            str(each["device_id"])
            for each in self._list_interfaces(_NETWORK, [network_id])
        }
        networks = self._list_networks(connected)
        ids = sorted(each for each in networks if len(networks[each]) == 1)
        return self._list_routers("id", ids) if ids else []

    def _list_networks(
        self, router_ids: collections.abc.Collection[str]
    ) -> dict[str, set[str]]:
        """Return the ids of the networks of routers, by those of routers."""
        found: dict[str, set[str]] = {each: set() for each in router_ids}
        if found:
            for each in self._list_interfaces("device_id", sorted(found)):
                found[str(each["device_id"])].add(str(each[_NETWORK]))
        return found

    def _list_interfaces(self, key: str, values: list[str]) -> list[wire.Body]:
        filters = {key: values, "device_owner": list(router_interface.OWNERS)}
        return list(self.ports.listed(filters))

    def connect(self, router_id: str, subnet_id: str) -> None:
        """Connect a router with a subnet."""
        self._change_interface("add", router_id, subnet_id)

    def disconnect(self, router_id: str, subnet_id: str) -> None:
        """Disconnect a router from a subnet; not connected is success."""
        try:
            self._change_interface("remove", router_id, subnet_id)
        except rest.CloudNotFound:
            return

    def _change_interface(
        self, what: str, router_id: str, subnet_id: str
    ) -> None:
        place = self.routers.place(router_id)
        self.routers.ask(
            "PUT",
            f"{place}/{what}_router_interface",
            {"subnet_id": subnet_id},
        )


def describe_table(network_id: str) -> str:
    """Return the description of the router of a route table."""
    return f"Route table of VPC {network_id}"


def find_gateway(router: wire.Body) -> str | None:
    """Return the id of the network that a router leads to."""
    found = router.get(_GATEWAY)
    is_map = isinstance(found, collections.abc.Mapping)
    return found.get(_NETWORK) if found and is_map else None


def is_built(router: wire.Body) -> bool:
    """Whether a router is ready.

    :raises orch.resources.openstack.errors.InError: it has failed
    """
    status = str(router.get("status") or "").upper()
    if status == _FAILED:
        raise errors_.InError.of(status, "")
    return status not in _PENDING
