"""``OS::Neutron::Net``: a network."""

import collections.abc
import typing

from orch.clients import lookup
from orch.plugin import call_context
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import agents
from orch.resources.openstack.neutron import tags

_AGENTS: typing.Final = "dhcp_agent_ids"
_DHCP: typing.Final = agents.AgentSchedule(
    of_resource="dhcp-agents", of_agent="dhcp-networks", key="network_id"
)


class Net(tags.Tagged):
    """A layer-2 network."""

    type_name = "OS::Neutron::Net"
    table = type_table.Table(
        service="network",
        version="2.0",
        path="/networks",
        key="network",
        plural="networks",
        status=type_table.Status(pending=("BUILD",)),
        fields=(
            type_table.Field(name="name", is_named=True),
            type_table.Field(name="admin_state_up"),
            type_table.Field(
                name="availability_zone_hints", normal=wire.sort_list
            ),
            type_table.Field(name="dns_domain", normal=wire.to_text, empty=""),
            type_table.Field(name="port_security_enabled"),
            type_table.Field(
                name="qos_policy",
                wire="qos_policy_id",
                refers_to=lookup.QOS_POLICY,
                empty=None,
            ),
            type_table.Field(name="shared"),
            type_table.Field(name="tenant_id"),
            tags.FIELD,
        ),
    )

    def settles(self, changed: collections.abc.Collection[str]) -> bool:
        """Whether tags or agents are to be brought about."""
        return _AGENTS in changed or super().settles(changed)

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Bring about the tags, and which agents serve DHCP."""
        super().settle(context, body, changed)
        if _AGENTS in changed:
            given = context.properties.get(_AGENTS)
            _DHCP.serve(
                self.api_collection(context), self.id_of(context), given
            )
