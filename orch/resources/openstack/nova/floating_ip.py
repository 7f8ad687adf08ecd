"""``OS::Nova::FloatingIPAssociation``: an address of a server."""

import collections.abc
import typing

from orch import errors
from orch.clients import ports
from orch.plugin import call_context
from orch.resources.openstack import type_table
from orch.resources.openstack.neutron import floating_ip

if typing.TYPE_CHECKING:
    from openstack import connection

_SERVER: typing.Final = "server_id"


class FloatingIPAssociation(floating_ip.FloatingIPAssociation):
    """The association of a floating IP address with a port of a server."""

    def translated(
        self,
        cloud: "connection.Connection",
        field: type_table.Field,
        value: object,
    ) -> object:
        """Return a value as Neutron takes it; of a server its first port.

        :raises orch.errors.Busy: the server has none yet
        """
        found = super().translated(cloud, field, value)
        if field.name != _SERVER:
            return found
        for each in ports.Ports(cloud).of_server(str(found)):
            return each["id"]
        raise errors.Busy(f"the server {found} has no port")

    def list_ports(
        self, context: call_context.Context
    ) -> collections.abc.Collection[object]:
        """Return the ids of all ports of the server."""
        cloud = self.cloud(context)
        server = super().translated(
            cloud, self.fields[_SERVER], context.properties[_SERVER]
        )
        return [
            each["id"] for each in ports.Ports(cloud).of_server(str(server))
        ]
