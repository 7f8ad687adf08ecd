"""``OS::Neutron::Port``: a connection to a network."""

import collections.abc
import dataclasses
import typing

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import traits
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import tags

_NO_ADDRESSES: typing.Final = "no_fixed_ips"
_ADDRESSES: typing.Final = "fixed_ips"
_NETWORK: typing.Final = "network"
_SUBNETS: typing.Final = "subnets"


def _addresses(value: object) -> object:
    """Return addresses in form; the subnet has one name."""
    if not isinstance(value, list):
        return value
    return wire.sort_list(
        [
            {
                "subnet"
                if name == "subnet_id"
                else name: wire.normalise_address(inner)
                if name == "ip_address"
                else inner
                for name, inner in each.items()
            }
            for each in value
        ]
    )


class Port(tags.Tagged):
    """A port of a network."""

    type_name = "OS::Neutron::Port"
    # Neutron gives it addresses of the subnets that are there by then.
    comes_after = (
        traits.ComesAfter("OS::Neutron::Subnet", _NETWORK, "network"),
    )
    table = type_table.Table(
        service="network",
        version="2.0",
        path="/ports",
        key="port",
        plural="ports",
        status=type_table.Status(pending=("BUILD",)),
        fields=(
            type_table.Field(name="name", is_named=True),
            type_table.Field(
                name=_NETWORK, wire="network_id", refers_to=lookup.NETWORK
            ),
            type_table.Field(name="admin_state_up"),
            type_table.Field(
                name=_ADDRESSES,
                parts=(
                    type_table.Field(
                        name="subnet",
                        wire="subnet_id",
                        refers_to=lookup.SUBNET,
                    ),
                    type_table.Field(
                        name="subnet_id", refers_to=lookup.SUBNET
                    ),
                    type_table.Field(name="ip_address"),
                ),
                normal=_addresses,
            ),
            type_table.Field(name="mac_address", normal=wire.to_lower),
            # Whoever uses the port says so in these.
            type_table.Field(
                name="device_id", normal=wire.to_text, is_shared=True, empty=""
            ),
            type_table.Field(
                name="device_owner",
                normal=wire.to_text,
                is_shared=True,
                empty="",
            ),
            type_table.Field(
                name="dns_name", normal=wire.to_text, is_shared=True, empty=""
            ),
            type_table.Field(
                name="security_groups",
                refers_to=lookup.SECURITY_GROUP,
                normal=wire.sort_list,
            ),
            type_table.Field(
                name="allowed_address_pairs",
                normal=wire.normalise_each(
                    {"ip_address": wire.to_text, "mac_address": wire.to_lower}
                ),
                parts=(
                    type_table.Field(name="ip_address"),
                    type_table.Field(name="mac_address"),
                ),
                empty=[],
            ),
            type_table.Field(name="binding:vnic_type"),
            type_table.Field(name="port_security_enabled"),
            type_table.Field(name="propagate_uplink_status"),
            type_table.Field(
                name="qos_policy",
                wire="qos_policy_id",
                refers_to=lookup.QOS_POLICY,
                empty=None,
            ),
            tags.FIELD,
        ),
    )

    def listed(self, body: wire.Body) -> listing.PhysicalResource:
        """Return it, with the server or router that has it."""
        device_id = str(body.get("device_id") or "")
        return dataclasses.replace(
            super().listed(body), held_by=(device_id,) if device_id else ()
        )

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request; a port may be wanted without any address."""
        body = super().body_of_properties(context)
        _without_default(body, "device_id", "device_owner")
        if context.properties.get(_NO_ADDRESSES):
            body[_ADDRESSES] = []
        return body

    def body_to_update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> dict[str, object]:
        """Return the request; a port may be wanted without any address."""
        body = super().body_to_update(context, before, changed)
        if _NO_ADDRESSES in changed and context.properties.get(_NO_ADDRESSES):
            body[_ADDRESSES] = []
        return body

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return attributes; of its network and subnets all is shown."""
        own = [each for each in names if each not in (_NETWORK, _SUBNETS)]
        found = dict(super().read_attributes(context, own)) if own else {}
        if len(own) == len(names):
            return found
        body = self.body(context)
        api_collection = self.api_collection(context)
        if _NETWORK in names:
            path = f"/networks/{rest.path_segment(body['network_id'])}"
            found[_NETWORK] = api_collection.ask("GET", path).get(_NETWORK)
        if _SUBNETS in names:
            found[_SUBNETS] = [
                api_collection.ask("GET", _subnet_path(each)).get("subnet")
                for each in body.get(_ADDRESSES) or []
            ]
        return found


def _without_default(body: dict[str, object], *names: str) -> None:
    """Take out what is empty: only some users may send it at all."""
    for name in names:
        if body.get(name) == "":
            del body[name]


def _subnet_path(address: dict[str, str]) -> str:
    return f"/subnets/{rest.path_segment(address['subnet_id'])}"
