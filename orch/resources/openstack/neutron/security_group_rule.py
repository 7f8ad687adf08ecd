"""``OS::Neutron::SecurityGroupRule``: one rule of a security group."""

from orch.clients import lookup
from orch.resources.openstack import base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire


class SecurityGroupRule(base.OpenStackResource):
    """A single rule; it cannot be changed in place."""

    type_name = "OS::Neutron::SecurityGroupRule"
    table = type_table.Table(
        service="network",
        version="2.0",
        path="/security-group-rules",
        key="security_group_rule",
        plural="security_group_rules",
        fields=(
            type_table.Field(name="description", normal=wire.to_text),
            type_table.Field(
                name="security_group",
                wire="security_group_id",
                refers_to=lookup.SECURITY_GROUP,
            ),
            type_table.Field(
                name="remote_group",
                wire="remote_group_id",
                refers_to=lookup.SECURITY_GROUP,
            ),
            type_table.Field(name="direction"),
            type_table.Field(name="ethertype"),
            type_table.Field(name="protocol", normal=wire.to_lower),
            type_table.Field(name="port_range_min"),
            type_table.Field(name="port_range_max"),
            type_table.Field(
                name="remote_ip_prefix", normal=wire.normalise_cidr
            ),
        ),
    )
