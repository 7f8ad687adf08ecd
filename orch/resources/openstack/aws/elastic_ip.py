"""``AWS::EC2::EIP`` and ``EIPAssociation``: floating IP addresses."""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.clients import ports
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire
from orch.resources.openstack.aws import routers
from orch.resources.openstack.neutron import floating_ip

_INSTANCE: typing.Final = "InstanceId"
_ALLOCATION: typing.Final = "AllocationId"
_ADDRESS: typing.Final = "EIP"
_INTERFACE: typing.Final = "NetworkInterfaceId"
_PORT: typing.Final = "port_id"
_FLOATING: typing.Final = "floating_ip_address"

Values = collections.abc.Mapping[str, object]


class ElasticIp(base.OpenStackResource):
    """A floating IP address of the external network, and its server.

    A reference to it is the address.
    """

    def reference_id(self, context: call_context.Context) -> str:
        """Return the address."""
        found = context.data.get(_FLOATING)
        return str(found) if found else super().reference_id(context)

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, without the server: see :meth:`is_created`."""
        calls = routers.Routers.of(self, context)
        return {"floating_network_id": calls.find_external_network()}

    def create_result(self, body: wire.Body) -> call_context.CreateResult:
        """Return the id, and the address to keep."""
        return call_context.CreateResult(
            self.id_in(body), {_FLOATING: body[_FLOATING]}
        )

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Associate it, as soon as a router connects the server."""
        if not context.properties.get(_INSTANCE):
            return call_context.DONE
        return self.wait_for(context, lambda: self._associate(context))

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Dissociate it if no server is given; else see is_updated."""
        if not context.properties.get(_INSTANCE):
            self.send_change(context, {_PORT: None})

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Associate it, as soon as a router connects the server."""
        return self.is_created(context)

    def _associate(self, context: call_context.Context) -> None:
        server = str(context.properties[_INSTANCE])
        calls = ports.Ports(self.cloud(context))
        port = calls.first_of_server(server)["id"]
        if self.body(context).get(_PORT) != port:
            self.send_change(context, {_PORT: port})

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the server, where one is given."""
        if not context.properties.get(_INSTANCE):
            return {}
        device = floating_ip.find_device(self.api_collection(context), body)
        return {_INSTANCE: device}

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Look whether it is there, and keep its address."""
        if given.physical_id is None:
            return given
        body = self.body(
            dataclasses.replace(context, physical_id=given.physical_id)
        )
        return dataclasses.replace(
            given, data={**given.data, _FLOATING: body[_FLOATING]}
        )


class ElasticIpAssociation(floating_ip.FloatingIPAssociation):
    """The association of a floating IP address with a server or port.

    Its id is that of the floating IP address.
    """

    server_name = _INSTANCE

    def validate(self, properties: Values) -> None:
        """Refuse properties that name no address, or nothing that gets it."""
        super().validate(properties)
        if properties.keys() >= {_ADDRESS, _INSTANCE} and (
            properties[_ADDRESS] and not properties[_INSTANCE]
        ):
            raise errors.Invalid(
                f"Must specify '{_INSTANCE}' if you specify '{_ADDRESS}'."
            )
        targets = (_INSTANCE, _INTERFACE)
        if properties.keys() >= set(targets) and not any(
            map(properties.get, targets)
        ):
            raise errors.Invalid(
                f"At least one of the following properties must be specified:"
                f" {', '.join(targets)}."
            )

    def host_of(
        self, context: call_context.Context, properties: Values
    ) -> str:
        """Return the id of the floating IP address.

        :raises orch.clients.rest.CloudNotFound: there is none
        """
        if properties.get(_ALLOCATION):
            return str(properties[_ALLOCATION])
        address = str(properties.get(_ADDRESS))
        found = self.api_collection(context).listed({_FLOATING: address})
        for each in found:
            return self.id_in(each)
        raise rest.CloudNotFound(
            f"The floating IP address ({address}) could not be found."
        )

    def given_server(self, context: call_context.Context) -> object:
        """Return the server, unless a port is given."""
        if context.properties.get(_INTERFACE):
            return None
        return super().given_server(context)
