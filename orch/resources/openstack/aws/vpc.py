"""``AWS::EC2::VPC`` and ``Subnet``: a network with a router; subnets."""

import collections.abc
import contextlib
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack.aws import routers

_ZONE: typing.Final = "AvailabilityZone"


class VPC(base.OpenStackResource):
    """A network, and a router of the same name.

    Its address range is not checked: subnets have their own.
    """

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Create the router once the network is ready, and wait for it."""
        body = self.body(context)
        pending = self.check_status(body)
        if pending is not None:
            return pending
        calls = routers.Routers.of(self, context)
        name = str(body["name"])
        found = calls.find_default(
            self.id_of(context), name
        ) or calls.routers.make({"name": name})
        if routers.is_built(found):
            return call_context.DONE
        return call_context.Pending(note="the router is being built")

    def remove(self, context: call_context.Context) -> None:
        """Remove the router, then the network."""
        calls = routers.Routers.of(self, context)
        try:
            name = str(self.body(context)["name"])
        except rest.CloudNotFound:
            name = context.physical_name
        router = calls.find_default(self.id_of(context), name)
        if router is not None:
            with contextlib.suppress(rest.CloudNotFound):
                calls.routers.remove(str(router["id"]))
        super().remove(context)


class Subnet(base.OpenStackResource):
    """A subnet of a VPC, connected with the default router of that."""

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Connect it with the default router, if the VPC has one."""
        body = self.body(context)
        calls = routers.Routers.of(self, context)
        network_id, subnet_id = str(body["network_id"]), self.id_of(context)
        router = calls.find_default_of(network_id)
        if router is not None and not calls.find_connected(
            network_id, subnet_id
        ):
            calls.connect(str(router["id"]), subnet_id)
        return call_context.DONE

    def remove(self, context: call_context.Context) -> None:
        """Disconnect it from the routers of its VPC, and remove it.

        The interface of another router is left, and prevents the removal.
        """
        calls = routers.Routers.of(self, context)
        subnet_id = self.id_of(context)
        for router_id in calls.find_own_connected(subnet_id):
            calls.disconnect(router_id, subnet_id)
        super().remove(context)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the zone that is given: Neutron has none for subnets."""
        given = context.properties.get(_ZONE)
        return {_ZONE: given} if _ZONE in names else {}
