"""``OS::Nova::FloatingIPAssociation``: an address of a server."""

from orch.resources.openstack.neutron import floating_ip


class FloatingIPAssociation(floating_ip.FloatingIPAssociation):
    """The association of a floating IP address with a port of a server."""

    server_name = "server_id"
