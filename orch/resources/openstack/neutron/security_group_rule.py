"""``OS::Neutron::SecurityGroupRule``: one rule of a security group."""

from orch.clients import lookup
from orch.resources.openstack import table
from orch.resources.openstack import thing
from orch.resources.openstack import wire


class SecurityGroupRule(thing.Thing):
    """A rule by itself; nothing of it can be changed in place."""

    type_name = "OS::Neutron::SecurityGroupRule"
    table = table.Table(
        service="network",
        version="2.0",
        path="/security-group-rules",
        key="security_group_rule",
        plural="security_group_rules",
        fields=(
            table.Field(name="description", normal=wire.text),
            table.Field(
                name="security_group",
                wire="security_group_id",
                refers_to=lookup.SECURITY_GROUP,
            ),
            table.Field(
                name="remote_group",
                wire="remote_group_id",
                refers_to=lookup.SECURITY_GROUP,
            ),
            table.Field(name="direction"),
            table.Field(name="ethertype"),
            table.Field(name="protocol", normal=wire.lower),
            table.Field(name="port_range_min"),
            table.Field(name="port_range_max"),
            table.Field(name="remote_ip_prefix", normal=wire.cidr),
        ),
    )
