"""``OS::Neutron::FloatingIPAssociation``: where a floating IP leads to."""

import collections.abc
import typing

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import acts
from orch.resources.openstack import table
from orch.resources.openstack import thing
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import reaching

_FLOATING: typing.Final = "floatingip_id"
_PORT: typing.Final = "port_id"
_FIXED: typing.Final = "fixed_ip_address"


class FloatingIPAssociation(thing.Thing):
    """The association of a floating IP address with a port.

    It is no thing of its own for Neutron: its id is its name here.
    """

    type_name = "OS::Neutron::FloatingIPAssociation"
    table = table.Table(
        service="network",
        version="2.0",
        path="/floatingips",
        key="floatingip",
        plural="floatingips",
        token_key="",
        is_listed=False,
        fields=(
            table.Field(name=_FLOATING, wire="id", is_sent=False),
            table.Field(name=_PORT, refers_to=lookup.PORT),
            table.Field(name=_FIXED, normal=wire.address, empty=None),
        ),
    )

    def id_of(self, context: acts.Context) -> str:
        """Return the id of the floating IP."""
        return str(context.properties[_FLOATING])

    def create(self, context: acts.Context) -> acts.PhysicalId:
        """Give it a name; :meth:`is_created` associates."""
        return context.physical_name

    def find(self, context: acts.Context) -> acts.PhysicalId | None:
        """Return nothing: to make it again makes no second one."""
        return None

    def is_created(self, context: acts.Context) -> acts.Pending | None:
        """Associate, as soon as a router leads to the port."""
        return reaching.try_to(
            lambda: self._associate(context), context, self.clock
        )

    def _associate(self, context: acts.Context) -> None:
        wanted = self.sent(context, (_PORT, _FIXED))
        self.things(context).change(self.id_of(context), wanted)

    def update(
        self,
        context: acts.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Take it from another floating IP that had it before."""
        if _FLOATING in changed and before.get(_FLOATING):
            self._part(context, str(before[_FLOATING]))

    def is_updated(self, context: acts.Context) -> acts.Pending | None:
        """Associate anew."""
        return self.is_created(context)

    def remove(self, context: acts.Context) -> None:
        """Part them, where it still leads to this port."""
        self._part(context, self.id_of(context))

    def is_deleted(self, context: acts.Context) -> acts.Pending | None:
        """Answer ``None``: nothing is left."""
        return acts.DONE

    def _part(self, context: acts.Context, floating: str) -> None:
        things = self.things(context)
        try:
            found = things.get(floating)
        except rest.NotThere:
            return
        if found.get(_PORT):
            things.change(floating, {_PORT: None})

    def handle_adopt(
        self, context: acts.Context, given: acts.Adopted
    ) -> acts.Adopted:
        """Look whether it leads to anything."""
        self.body(context)
        return given

    def body(self, context: acts.Context) -> wire.Body:
        """Return the floating IP.

        :raises orch.clients.rest.NotThere: it leads nowhere, or is gone
        """
        found = super().body(context)
        if not found.get(_PORT):
            raise rest.NotThere(f"{self.id_of(context)} leads to no port")
        return found

    def observe(
        self, contexts: collections.abc.Sequence[acts.Context]
    ) -> collections.abc.Sequence[thing.Answer] | None:
        """List the floating IPs of the project."""
        if len(contexts) < 2:
            return None
        found = {
            str(each["id"]): each
            for each in self.all_of_project(contexts[0])
            if each.get(_PORT)
        }
        return self.observed_all(
            contexts, [found.get(self.id_of(each)) for each in contexts]
        )
