"""``OS::Neutron::Router``: connects networks."""

import collections.abc
import typing

from orch.clients import lookup
from orch.plugin import call_context
from orch.plugin import traits
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import agents
from orch.resources.openstack.neutron import tags

_L3: typing.Final = agents.AgentSchedule(
    of_resource="l3-agents", of_agent="l3-routers", key="router_id"
)
_IDS: typing.Final = "l3_agent_ids"
_ID: typing.Final = "l3_agent_id"


class Router(tags.Tagged):
    """A router."""

    type_name = "OS::Neutron::Router"
    # Its gateway gets an address of the subnets that are there by then.
    comes_after = (
        traits.ComesAfter(
            "OS::Neutron::Subnet", "external_gateway_info.network", "network"
        ),
    )
    table = type_table.Table(
        service="network",
        version="2.0",
        path="/routers",
        key="router",
        plural="routers",
        status=type_table.Status(pending=("BUILD", "ALLOCATING")),
        fields=(
            type_table.Field(name="name", is_named=True),
            type_table.Field(name="admin_state_up"),
            type_table.Field(
                name="availability_zone_hints", normal=wire.sort_list
            ),
            type_table.Field(name="distributed"),
            type_table.Field(name="ha"),
            type_table.Field(
                name="external_gateway_info",
                parts=(
                    type_table.Field(
                        name="network",
                        wire="network_id",
                        refers_to=lookup.NETWORK,
                    ),
                    type_table.Field(name="enable_snat"),
                    type_table.Field(
                        name="external_fixed_ips",
                        parts=(
                            type_table.Field(
                                name="subnet",
                                wire="subnet_id",
                                refers_to=lookup.SUBNET,
                            ),
                            type_table.Field(name="ip_address"),
                        ),
                    ),
                ),
                empty={},
            ),
            type_table.Field(name="tenant_id"),
            tags.FIELD,
        ),
    )

    def settles(self, changed: collections.abc.Collection[str]) -> bool:
        """Whether tags or agents are to be brought about."""
        return bool({_ID, _IDS} & set(changed)) or super().settles(changed)

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Bring about the tags, and which agents serve the router."""
        super().settle(context, body, changed)
        if {_ID, _IDS} & set(changed):
            one = context.properties.get(_ID)
            desired = context.properties.get(_IDS) or ([one] if one else [])
            _L3.serve(
                self.api_collection(context), self.id_of(context), desired
            )
