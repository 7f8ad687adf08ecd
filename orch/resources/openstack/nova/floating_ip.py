"""``OS::Nova::FloatingIPAssociation``: an address of a server."""

import typing

from orch import errors
from orch.clients import rest
from orch.resources.openstack import type_table
from orch.resources.openstack.neutron import floating_ip

if typing.TYPE_CHECKING:
    from openstack import connection


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
        if field.name != "server_id":
            return found
        service = rest.service_of(
            cloud, self.table.service, version=self.table.version
        )
        filters = {"device_id": str(found)}
        answer = rest.send_request(service, "GET", "/ports", params=filters)
        listed = rest.read_body(answer).get("ports")
        if not isinstance(listed, list) or not listed:
            raise errors.Busy(f"the server {found} has no port")
        return listed[0]["id"]
