"""Route tables, gateways, and what they are attached to."""

import collections.abc
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire
from orch.resources.openstack.aws import routers
from orch.resources.openstack.neutron import router_interface

_VPC: typing.Final = "VpcId"
_TABLE: typing.Final = "RouteTableId"
_SUBNET: typing.Final = "SubnetId"

Contexts = collections.abc.Sequence[call_context.Context]


class InternetGateway(base.OpenStackResource):
    """The external network of the cloud, of which there must be one.

    It has no physical resource.
    """

    has_reality = False

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Look for the external network; return the physical name.

        :raises orch.resources.openstack.aws.routers.NoExternalNetwork: there
            is none, or there are several
        """
        routers.Routers.of(self, context).find_external_network()
        return context.physical_name

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Return ``None``: a lost attempt has left nothing."""
        return None

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return that it is there."""
        return call_context.DONE

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look for the external network."""
        routers.Routers.of(self, context).find_external_network()
        return call_context.DONE

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Return what is given: there is no physical resource."""
        return given

    def delete(self, context: call_context.Context) -> None:
        """Do nothing: there is no physical resource."""

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return that it is gone."""
        return call_context.DONE


class RouteTable(base.OpenStackResource):
    """A router of a VPC, which leads where the default router does."""

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, with the VPC in the description."""
        vpc = self.sent_id(context, _VPC)
        return {"description": routers.describe_table(vpc)}

    def sent_id(self, context: call_context.Context, name: str) -> str:
        """Return the id that a property names."""
        cloud, field = self.cloud(context), self.fields[name]
        return str(self.translated(cloud, field, context.properties[name]))

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Let it lead where the default router of the VPC does."""
        body = self.body(context)
        pending = self.check_status(body)
        if pending is not None:
            return pending
        calls = routers.Routers.of(self, context)
        default = calls.find_default_of(self.sent_id(context, _VPC))
        gateway = default and routers.find_gateway(default)
        if gateway:
            calls.set_gateway(body, gateway)
        return call_context.DONE


class SubnetRouteTableAssociation(router_interface.RouterInterface):
    """The interface of the router of a route table in a subnet.

    It takes the place of that of the default router of the VPC.
    """

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Return the id; :meth:`is_created` connects them."""
        return self.desired(context).physical_id

    def desired(
        self, context: call_context.Context
    ) -> router_interface.Interface:
        """Return the interface that the properties name."""
        cloud, given = self.cloud(context), context.properties
        router, subnet = (
            str(self.translated(cloud, self.fields[name], given[name]))
            for name in (_TABLE, _SUBNET)
        )
        return router_interface.Interface(router, "subnet_id", subnet)

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Disconnect other routers of the VPC, and connect this one."""
        desired = self.desired(context)
        calls = routers.Routers.of(self, context)
        connected = calls.find_own_connected(desired.other)
        for each in connected:
            if each != desired.router:
                calls.disconnect(each, desired.other)
        if desired.router not in connected:
            calls.connect(desired.router, desired.other)
        return call_context.DONE

    def remove(self, context: call_context.Context) -> None:
        """Disconnect them, and connect the default router again.

        What another association has connected since remains.
        """
        if context.successor is not None:
            return
        former = router_interface.Interface.parse(context.physical_id)
        calls = routers.Routers.of(self, context)
        network_id = calls.find_network(former.other)
        connected = calls.find_connected(network_id, former.other)
        if former.router in connected:
            calls.disconnect(former.router, former.other)
            connected.remove(former.router)
        if connected:
            return
        default = calls.find_default_of(network_id)
        if default is not None:
            calls.connect(str(default["id"]), former.other)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once they are disconnected.

        :raises orch.errors.Busy: others need the interface for too long
        """
        return self.ask_to_remove(context)

    def delete(self, context: call_context.Context) -> None:
        """Do nothing yet; :meth:`is_deleted` disconnects."""

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties, which the id names."""
        found = router_interface.Interface.parse(context.physical_id)
        return {_TABLE: found.router, _SUBNET: found.other}


class VPCGatewayAttachment(base.OpenStackResource):
    """The gateway of all routers of a VPC to the external network.

    Its id is that of the network of the VPC.
    """

    has_full_lists = False

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Return the id; :meth:`is_created` sets the gateways."""
        cloud, field = self.cloud(context), self.fields[_VPC]
        return str(self.translated(cloud, field, context.properties[_VPC]))

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Return ``None``: gateways that are set are set again."""
        return None

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Let all routers of the VPC lead to the external network."""
        calls = routers.Routers.of(self, context)
        external = calls.find_external_network()
        for each in calls.list_all(self.id_of(context)):
            calls.set_gateway(each, external)
        return call_context.DONE

    def delete(self, context: call_context.Context) -> None:
        """Do nothing yet; :meth:`is_deleted` removes the gateways."""

    def remove(self, context: call_context.Context) -> None:
        """Remove the gateways, unless a successor has them."""
        if context.successor is not None:
            return
        calls = routers.Routers.of(self, context)
        for each in calls.list_all(self.id_of(context)):
            calls.set_gateway(each, None)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once the gateways are removed.

        :raises orch.errors.Busy: floating IP addresses need them for too long
        """
        return self.ask_to_remove(context)

    def body(self, context: call_context.Context) -> wire.Body:
        """Return a router of the VPC that leads out.

        :raises orch.clients.rest.CloudNotFound: none does
        """
        calls = routers.Routers.of(self, context)
        network_id = self.id_of(context)
        for each in (
            *calls.list_all(network_id),
            *calls.list_connected(network_id),
        ):
            if routers.find_gateway(each):
                return each
        raise rest.CloudNotFound(
            f"no router of the VPC {context.physical_id} has a gateway"
        )
