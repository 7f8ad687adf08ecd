"""``OS::Neutron::Subnet``: addresses of a network."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import base

_MODES: typing.Final = ("ipv6_ra_mode", "ipv6_address_mode")


class Subnet(base.OpenStackResource):
    """A range of addresses of a network."""

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a subnet without addresses, and modes of IPv6 for IPv4."""
        super().validate(properties)
        given = {properties[each] for each in _MODES if properties.get(each)}
        if given and properties.get("ip_version") == 4:
            raise errors.Invalid(
                f"{' and '.join(_MODES)} are not supported for ipv4."
            )
        if len(given) > 1:
            raise errors.Invalid(
                f"When both {' and '.join(_MODES)} are set, they must be"
                " equal."
            )

    def sent(
        self,
        context: call_context.Context,
        names: collections.abc.Iterable[str],
        *,
        is_change: bool = False,
    ) -> dict[str, object]:
        """Return properties; an empty address means that no gateway is."""
        body = super().sent(context, names, is_change=is_change)
        if body.get("gateway_ip") == "":
            body["gateway_ip"] = None
        return body
