"""``OS::Neutron::FloatingIPAssociation``: a floating IP on a port."""

import collections.abc
import typing

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import route_wait

_FLOATING: typing.Final = "floatingip_id"
_PORT: typing.Final = "port_id"
_FIXED: typing.Final = "fixed_ip_address"


class FloatingIPAssociation(base.OpenStackResource):
    """The association of a floating IP address with a port.

    It is no resource of its own for Neutron: its id is its name here.
    """

    type_name = "OS::Neutron::FloatingIPAssociation"
    has_late_effects = False
    table = type_table.Table(
        service="network",
        version="2.0",
        path="/floatingips",
        key="floatingip",
        plural="floatingips",
        token_key="",
        is_listed=False,
        fields=(
            type_table.Field(name=_FLOATING, wire="id", is_sent=False),
            type_table.Field(name=_PORT, refers_to=lookup.PORT),
            type_table.Field(
                name=_FIXED, normal=wire.normalise_address, empty=None
            ),
        ),
    )

    def id_of(self, context: call_context.Context) -> str:
        """Return the id of the floating IP."""
        return str(context.properties[_FLOATING])

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Give it a name; :meth:`is_created` associates."""
        return context.physical_name

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Return nothing: to make it again makes no second one."""
        return None

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Associate, as soon as a router leads to the port."""
        return route_wait.wait_for_route(
            lambda: self._associate(context), context, self.clock
        )

    def _associate(self, context: call_context.Context) -> None:
        desired = self.sent(context, (_PORT, _FIXED))
        self.api_collection(context).change(self.id_of(context), desired)

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Take it from another floating IP that had it before."""
        if _FLOATING in changed and before.get(_FLOATING):
            self._part(context, str(before[_FLOATING]))

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Associate anew."""
        return self.is_created(context)

    def remove(self, context: call_context.Context) -> None:
        """Part them, where it still leads to this port."""
        self._part(context, self.id_of(context))

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None``: nothing is left."""
        return call_context.DONE

    def _part(self, context: call_context.Context, floating: str) -> None:
        api_collection = self.api_collection(context)
        try:
            found = api_collection.get(floating)
        except rest.CloudNotFound:
            return
        if found.get(_PORT):
            api_collection.change(floating, {_PORT: None})

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Look whether it leads to anything."""
        self.body(context)
        return given

    def body(self, context: call_context.Context) -> wire.Body:
        """Return the floating IP.

        :raises orch.clients.rest.CloudNotFound: it leads nowhere, or is gone
        """
        found = super().body(context)
        if not found.get(_PORT):
            raise rest.CloudNotFound(f"{self.id_of(context)} leads to no port")
        return found

    def list_bodies(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> list[wire.Body | None] | None:
        """List the floating IPs of the project."""
        found = {
            str(each["id"]): each
            for each in self.all_of_project(contexts[0])
            if each.get(_PORT)
        }
        return [found.get(self.id_of(each)) for each in contexts]
