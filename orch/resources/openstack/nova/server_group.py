"""``OS::Nova::ServerGroup``: servers placed together or apart."""

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire


class ServerGroup(base.OpenStackResource):
    """A server group; its members are those that name it as a hint."""

    type_name = "OS::Nova::ServerGroup"
    table = type_table.Table(
        service="compute",
        version="2.1",
        microversion="2.64",
        path="/os-server-groups",
        key="server_group",
        plural="server_groups",
        token_key="name",  # noqa: S106 - a key of requests
        is_of_project=False,
        fields=(
            type_table.Field(name="name", is_named=True),
            type_table.Field(name="policies", is_sent=False),
            type_table.Field(name="rules"),
        ),
    )

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request: the service takes one policy."""
        body = super().body_of_properties(context)
        policies = context.properties.get("policies")
        if isinstance(policies, list | tuple) and policies:
            body["policy"] = policies[0]
        return body

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what the service tells; its one policy as a list."""
        found = super().reality_of(context, body)
        found["policies"] = [body.get("policy")]
        return found
