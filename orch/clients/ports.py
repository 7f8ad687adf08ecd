"""Ports and floating IPs of servers in the network service (Neutron)."""

import typing

from orch import errors
from orch.clients import collection
from orch.clients import rest

if typing.TYPE_CHECKING:
    from openstack import connection

Body = collection.Body

_VERSION: typing.Final = "2.0"


class Ports:
    """The ports of one project, and the floating IPs that lead to them."""

    def __init__(self, cloud: "connection.Connection") -> None:
        """Speak to the service; nothing is sent yet."""
        service = rest.service_of(cloud, "network", version=_VERSION)
        self._ports = collection.Collection(
            service=service, path="/ports", key="port", plural="ports"
        )
        self._floating = collection.Collection(
            service=service,
            path="/floatingips",
            key="floatingip",
            plural="floatingips",
        )
        self._subnets = collection.Collection(
            service=service, path="/subnets", key="subnet", plural="subnets"
        )

    def network_of(self, subnet_id: str) -> str:
        """Return the id of the network that a subnet is in.

        :raises orch.clients.rest.CloudNotFound: there is no such subnet
        """
        return str(self._subnets.get(subnet_id)["network_id"])

    def subnet(self, subnet_id: str) -> Body:
        """Return a subnet.

        :raises orch.clients.rest.CloudNotFound: there is none
        """
        return self._subnets.get(subnet_id)

    def of_server(self, server_id: str) -> list[Body]:
        """Return the ports that a server has."""
        return list(self._ports.listed({"device_id": server_id}))

    def first_of_server(self, server_id: str) -> Body:
        """Return the first port of a server.

        :raises orch.errors.Busy: it has none yet
        """
        for each in self.of_server(server_id):
            return each
        raise errors.Busy(f"the server {server_id} has no port")

    def marked(self, mark: str) -> list[Body]:
        """Return the ports with that description."""
        return list(self._ports.listed({"description": mark}))

    def make(self, desired: Body) -> str:
        """Make a port; return its id."""
        return str(self._ports.make(desired)["id"])

    def remove(self, port_id: str) -> None:
        """Remove a port; gone already is success."""
        try:
            self._ports.remove(port_id)
        except rest.CloudNotFound:
            return

    def associate(self, floating_ip: str, port_id: str) -> None:
        """Let a floating IP lead to a port.

        :raises orch.clients.rest.CloudNotFound: there is no such floating IP
        """
        found = self._floating.get(floating_ip)
        if found.get("port_id") != port_id:
            self._floating.change(floating_ip, {"port_id": port_id})
