"""``OS::Neutron::Subnet``: addresses of a network."""

import collections.abc

from orch import errors
from orch.clients import lookup
from orch.plugin import call_context
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import tags


class Subnet(tags.Tagged):
    """A range of addresses of a network."""

    type_name = "OS::Neutron::Subnet"
    table = type_table.Table(
        service="network",
        version="2.0",
        path="/subnets",
        key="subnet",
        plural="subnets",
        fields=(
            type_table.Field(name="name", is_named=True),
            type_table.Field(
                name="network",
                wire="network_id",
                refers_to=lookup.NETWORK,
            ),
            type_table.Field(
                name="subnetpool",
                wire="subnetpool_id",
                refers_to=lookup.SUBNET_POOL,
            ),
            type_table.Field(
                name="segment",
                wire="segment_id",
                refers_to=lookup.SEGMENT,
                empty=None,
            ),
            # Answers tell it in the CIDR.
            type_table.Field(name="prefixlen", is_read=False),
            type_table.Field(name="cidr", normal=wire.normalise_cidr),
            type_table.Field(name="gateway_ip", normal=wire.normalise_address),
            type_table.Field(name="ip_version"),
            type_table.Field(name="ipv6_ra_mode"),
            type_table.Field(name="ipv6_address_mode"),
            type_table.Field(name="enable_dhcp"),
            type_table.Field(name="dns_nameservers", empty=[]),
            type_table.Field(
                name="host_routes",
                normal=wire.normalise_each(
                    {
                        "destination": wire.normalise_cidr,
                        "nexthop": wire.normalise_address,
                    }
                ),
                empty=[],
            ),
            type_table.Field(
                name="allocation_pools",
                normal=wire.normalise_each(
                    {
                        "start": wire.normalise_address,
                        "end": wire.normalise_address,
                    }
                ),
            ),
            type_table.Field(name="tenant_id"),
            tags.FIELD,
        ),
    )

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a subnet without addresses, and modes of IPv6 for IPv4."""
        if "cidr" in properties and "subnetpool" in properties:
            cidr, pool = properties["cidr"], properties["subnetpool"]
            if cidr and pool:
                raise errors.Invalid(
                    "Only one of cidr and subnetpool can be given."
                )
            if not cidr and not pool:
                raise errors.Invalid("One of cidr or subnetpool is needed.")
        modes = ("ipv6_ra_mode", "ipv6_address_mode")
        given = [properties[each] for each in modes if properties.get(each)]
        if given and properties.get("ip_version") == 4:
            raise errors.Invalid(
                "ipv6_ra_mode and ipv6_address_mode are not supported for"
                " ipv4."
            )
        if len(set(map(str, given))) > 1:
            raise errors.Invalid(
                "When both ipv6_ra_mode and ipv6_address_mode are set, they"
                " must be equal."
            )

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request; an empty address means that no gateway is."""
        return _without_gateway(super().body_of_properties(context))

    def body_to_update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> dict[str, object]:
        """Return the request; an empty address means that no gateway is."""
        return _without_gateway(
            super().body_to_update(context, before, changed)
        )


def _without_gateway(body: dict[str, object]) -> dict[str, object]:
    if body.get("gateway_ip") == "":
        body["gateway_ip"] = None
    return body
