"""``OS::Neutron::FloatingIP`` and ``FloatingIPAssociation``."""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.clients import collection
from orch.clients import ports
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import association
from orch.resources.openstack import base
from orch.resources.openstack import wire

_PORT: typing.Final = "port_id"
_FIXED: typing.Final = "fixed_ip_address"

Values = collections.abc.Mapping[str, object]


class FloatingIP(base.OpenStackResource):
    """A floating IP address of an external network, and its port."""

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, without the port: see :meth:`is_created`."""
        return self.sent(context, self.fields.keys() - {_PORT, _FIXED})

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Associate it, as soon as a router connects the port."""
        if not context.properties.get(_PORT):
            return call_context.DONE
        desired = self.sent(context, (_PORT, _FIXED))
        found = self.body(context)
        if all(found.get(key) == value for key, value in desired.items()):
            return call_context.DONE
        return self.wait_for(
            context, lambda: self.send_change(context, desired)
        )

    def body_to_update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> dict[str, object]:
        """Return the request; port and its address go together."""
        names = set(changed)
        if names & {_PORT, _FIXED}:
            names |= {_PORT, _FIXED}
        body = super().body_to_update(context, before, names)
        if _PORT in body and body.get(_FIXED) is None:
            # An address of the port before would be refused.
            body.pop(_FIXED, None)
        return body


class FloatingIPAssociation(association.Association):
    """The association of a floating IP address with a port.

    Its id is that of the floating IP address.

    :cvar server_name: the property that names a server, whose first port is
        meant; empty if the type has none
    """

    server_name: typing.ClassVar[str] = ""

    def given_server(self, context: call_context.Context) -> object:
        """Return the name or id of the server; nothing for a port."""
        return context.properties.get(self.server_name)

    def find_server(self, context: call_context.Context) -> str | None:
        """Return the id of the server that is given; ``None`` for a port."""
        given = self.given_server(context)
        if not given:
            return None
        field = self.fields[self.server_name]
        return str(self.translated(self.cloud(context), field, given))

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the port that the address is to lead to.

        :raises orch.errors.Busy: the server has none yet
        """
        body = super().body_of_properties(context)
        server = self.find_server(context)
        if server is not None:
            found = ports.Ports(self.cloud(context)).first_of_server(server)
            body[_PORT] = found["id"]
        return body

    def id_of(self, context: call_context.Context) -> str:
        """Return the id of the floating IP."""
        return self.host_of(context, context.properties)

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        """Take the port from another floating IP that had it before."""
        now = self.host_of(context, context.properties)
        former = self._find_host(context, before)
        if former == now:
            return None
        if former is not None:
            self._dissociate(dataclasses.replace(context, properties=before))
        return call_context.CreateResult(now)

    def _find_host(
        self, context: call_context.Context, properties: Values
    ) -> str | None:
        """Return the id of the floating IP; ``None`` if it is gone."""
        try:
            return self.host_of(context, properties)
        except rest.CloudNotFound:
            return None

    def remove(self, context: call_context.Context) -> None:
        """Take the port from the floating IP, unless a successor has it."""
        if context.successor is None:
            self._dissociate(context)

    def _dissociate(self, context: call_context.Context) -> None:
        """Take the port from the floating IP, if it is still that port."""
        calls, floating_ip = self.api_collection(context), self.id_of(context)
        try:
            held = calls.get(floating_ip)
            is_ours = held.get(_PORT) and self._is_associated(context, held)
        except (rest.CloudNotFound, errors.Busy):
            # The address or the port is gone.
            return
        if is_ours:
            calls.change(floating_ip, {_PORT: None})

    def _is_associated(
        self, context: call_context.Context, body: wire.Body
    ) -> bool:
        """Whether an address leads to the port, or to any of the server."""
        server = self.find_server(context)
        if server is not None:
            return find_device(self.api_collection(context), body) == server
        desired = self.body_of_properties(context)
        return bool(body[_PORT] == desired.get(_PORT))

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties, the server among them as it is given."""
        found = super().reality_of(context, body)
        given = self.given_server(context)
        if given:
            device = find_device(self.api_collection(context), body) or ""
            is_given = given == device or (
                device and device == self.find_server(context)
            )
            found[self.server_name] = given if is_given else device
        return found

    def body(self, context: call_context.Context) -> wire.Body:
        """Return the floating IP.

        :raises orch.clients.rest.CloudNotFound: it has no port, or is gone
        """
        found = super().body(context)
        if not found.get(_PORT):
            raise rest.CloudNotFound(f"{self.id_of(context)} has no port")
        return found

    def list_bodies(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> list[wire.Body | None] | None:
        """List the floating IPs of the project.

        An adopted association may have an id that is not of its floating IP.
        """
        found = {
            self.id_in(each): each for each in self.all_of_project(contexts[0])
        }
        bodies: list[wire.Body | None] = []
        for each in contexts:
            identifier = each.physical_id or ""
            if identifier not in found:
                host = self._find_host(each, each.properties)
                identifier = host or ""
            body = found.get(identifier, {})
            bodies.append(body if body.get(_PORT) else None)
        return bodies


def find_device(
    api_collection: collection.Collection, body: wire.Body
) -> str | None:
    """Return the id of the server that a floating IP address leads to.

    :param api_collection: asked for the port, which a Neutron before its
        version 13 does not tell with the address
    """
    port = body
    if "port_details" in body:
        port = wire.to_mapping(body["port_details"])
    elif body.get(_PORT):
        path = f"/ports/{rest.path_segment(str(body[_PORT]))}"
        port = api_collection.ask("GET", path)["port"]
    return port.get("device_id")
