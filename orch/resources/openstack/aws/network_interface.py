"""``AWS::EC2::NetworkInterface``: a port of Neutron."""

import collections.abc
import typing

from orch.clients import ports
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import port

_ADDRESS: typing.Final = "PrivateIpAddress"
_SUBNET: typing.Final = "SubnetId"
_FIXED: typing.Final = "fixed_ips"

Values = collections.abc.Mapping[str, object]
Names = collections.abc.Collection[str]


class NetworkInterface(port.Port):
    """A port with one address of a subnet."""

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, with the network of the subnet."""
        body = super().body_of_properties(context)
        fixed = self._fixed_ip(context)
        network = ports.Ports(self.cloud(context)).network_of(
            str(fixed["subnet_id"])
        )
        return {**body, "network_id": network, _FIXED: [fixed]}

    def body_to_update(
        self, context: call_context.Context, before: Values, changed: Names
    ) -> dict[str, object]:
        """Return the request; the address only after it was released."""
        body = super().body_to_update(context, before, changed)
        if _ADDRESS in changed:
            body[_FIXED] = [self._fixed_ip(context)]
        return body

    def _fixed_ip(self, context: call_context.Context) -> dict[str, object]:
        cloud, given = self.cloud(context), context.properties
        subnet = self.translated(cloud, self.fields[_SUBNET], given[_SUBNET])
        found = {"subnet_id": subnet}
        if given.get(_ADDRESS):
            found["ip_address"] = given[_ADDRESS]
        return found

    def properties_to_release(
        self, before: Values, after: Values
    ) -> dict[str, object]:
        """Return the address, if the replacement has the same one."""
        desired, held = after.get(_ADDRESS), before.get(_ADDRESS)
        # An attempt that was interrupted may have released it.
        return {_ADDRESS: ""} if desired and held in (desired, "") else {}

    def release(self, context: call_context.Context, released: Values) -> None:
        """Leave the port without an address."""
        try:
            self.send_change(context, {_FIXED: []})
        except rest.CloudNotFound:
            return

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties, the address among them if it is given."""
        found = super().reality_of(context, body)
        first = _first_address(body)
        found[_SUBNET] = first.get("subnet_id")
        if context.properties.get(_ADDRESS):
            found[_ADDRESS] = first.get("ip_address")
        return found

    def read_attributes(
        self, context: call_context.Context, names: Names
    ) -> Values:
        """Return the address."""
        if _ADDRESS not in names:
            return {}
        return {_ADDRESS: _first_address(self.body(context)).get("ip_address")}


def _first_address(body: wire.Body) -> Values:
    listed = body.get(_FIXED) or [{}]
    found: Values = listed[0]
    return found
