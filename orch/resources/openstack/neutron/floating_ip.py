"""``OS::Neutron::FloatingIP``: an address of an external network."""

import collections.abc
import typing

from orch import errors
from orch.clients import lookup
from orch.plugin import call_context
from orch.plugin import traits
from orch.resources.openstack import base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import route_wait

PORT: typing.Final = "port_id"
FIXED: typing.Final = "fixed_ip_address"


class FloatingIP(base.OpenStackResource):
    """A floating IP address, and the port that it leads to."""

    type_name = "OS::Neutron::FloatingIP"
    comes_after = (
        traits.ComesAfter(
            "OS::Neutron::Subnet", "floating_network", "network"
        ),
    )
    table = type_table.Table(
        service="network",
        version="2.0",
        path="/floatingips",
        key="floatingip",
        plural="floatingips",
        fields=(
            type_table.Field(
                name="floating_network",
                wire="floating_network_id",
                refers_to=lookup.NETWORK,
            ),
            type_table.Field(
                name="floating_subnet",
                wire="subnet_id",
                refers_to=lookup.SUBNET,
                is_read=False,
            ),
            type_table.Field(
                name="floating_ip_address", normal=wire.normalise_address
            ),
            # A resource of its own may associate it.
            type_table.Field(
                name=PORT, refers_to=lookup.PORT, is_shared=True, empty=None
            ),
            type_table.Field(
                name=FIXED,
                normal=wire.normalise_address,
                is_shared=True,
                empty=None,
            ),
            type_table.Field(name="dns_name", normal=wire.to_text, empty=""),
            type_table.Field(name="dns_domain", normal=wire.to_text, empty=""),
        ),
    )

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse an address of a port that is not given."""
        if {PORT, FIXED} <= properties.keys() and (
            properties[FIXED] and not properties[PORT]
        ):
            raise errors.Invalid("fixed_ip_address needs port_id.")

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, without the port: see :meth:`is_created`."""
        body = super().body_of_properties(context)
        body.pop(PORT, None)
        body.pop(FIXED, None)
        return body

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Associate it, as soon as a router leads to the port."""
        if not context.properties.get(PORT):
            return call_context.DONE
        desired = self.sent(context, (PORT, FIXED))
        found = self.body(context)
        if all(found.get(key) == value for key, value in desired.items()):
            return call_context.DONE
        return route_wait.wait_for_route(
            lambda: self._associate(context, desired), context, self.clock
        )

    def _associate(
        self, context: call_context.Context, desired: dict[str, object]
    ) -> None:
        self.api_collection(context).change(self.id_of(context), desired)

    def body_to_update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> dict[str, object]:
        """Return the request; port and its address go together."""
        names = set(changed)
        if names & {PORT, FIXED}:
            names |= {PORT, FIXED}
        body = super().body_to_update(context, before, names)
        if PORT in body and body.get(FIXED) is None:
            # An address of the port before would be refused.
            body.pop(FIXED, None)
        return body
