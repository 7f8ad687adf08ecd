"""The networks of a server: the requested and the live ones.

A network that names a subnet, or says more of its port than an address, gets
a port that belongs to the server: Orch makes it, and removes it with the
server.
"""

import collections.abc
import dataclasses
import typing

from orch.clients import lookup
from orch.resources.openstack import wire

Values = collections.abc.Mapping[str, object]
FindId = collections.abc.Callable[[lookup.Kind, str], str]

ALLOCATE: typing.Final = "allocate_network"
_EXTRA: typing.Final = "port_extra_properties"
_EXCLUSIVE: typing.Final = ("port", "fixed_ip")
_FLOATING: typing.Final = "floating"
_ADDRESS_TYPE: typing.Final = "OS-EXT-IPS:type"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RequestedNetwork:
    """One requested network of a server; ids in place of names.

    :ivar extra: what is said of a port of its own; ``None`` where there is
        none
    :ivar position: among the networks of the server
    """

    network: str = ""
    subnet: str = ""
    port: str = ""
    fixed_ip: str = ""
    floating_ip: str = ""
    tag: str = ""
    extra: Values | None = None
    position: int = 0

    @property
    def has_own_port(self) -> bool:
        """Whether Orch makes a port for it."""
        return not self.port and bool(self.subnet or self.extra)

    def nic(self) -> dict[str, object]:
        """Return it as the request for a server has it."""
        found: dict[str, object]
        if self.port:
            found = {"port": self.port}
        else:
            found = {"uuid": self.network}
            if self.fixed_ip:
                found["fixed_ip"] = self.fixed_ip
        if self.tag:
            found["tag"] = self.tag
        return found

    def interface(self) -> dict[str, object]:
        """Return it as the request for one more interface has it."""
        if self.port:
            return {"port_id": self.port}
        found: dict[str, object] = {"net_id": self.network}
        if self.fixed_ip:
            found["fixed_ips"] = [{"ip_address": self.fixed_ip}]
        return found

    def fits(self, there: Values) -> bool:
        """Whether an interface that is there is this one."""
        if self.port:
            return there.get("port_id") == self.port
        if self.extra and self.extra.get("no_fixed_ips"):
            return there.get("net_id") == self.network
        fixed = there.get("fixed_ips")
        listed = fixed if isinstance(fixed, list) else []
        if self.fixed_ip and self.fixed_ip not in [
            each.get("ip_address") for each in listed
        ]:
            return False
        if self.subnet:
            return self.subnet in [each.get("subnet_id") for each in listed]
        return not self.network or there.get("net_id") == self.network


def list_unshared(before: object, after: object) -> list[Values] | None:
    """Return the networks that a server has and its replacement leaves to it.

    Only one of them can have a port, and an address that is given.

    :param after: networks of the replacement
    :returns: ``None`` where the replacement asks for no such
    """
    desired = {
        (key, each[key])
        for each in wire.to_maps(after)
        for key in _EXCLUSIVE
        if each.get(key)
    }
    if not desired or before is None:
        return None
    return [
        each
        for each in wire.to_maps(before)
        if not desired.intersection((key, each.get(key)) for key in _EXCLUSIVE)
    ]


def find_held(
    there: collections.abc.Iterable[Values],
    desired: collections.abc.Iterable[RequestedNetwork],
) -> list[str]:
    """Return the ports of a server that only one can have, or their address.

    :param there: its interfaces
    :param desired: networks of its replacement
    """
    wanted = [each for each in desired if each.port or each.fixed_ip]
    return [
        str(each["port_id"])
        for each in there
        if any(one.fits(each) for one in wanted)
    ]


def find_allocation(given: object) -> str:
    """Return ``auto`` or ``none`` where no network is given."""
    for each in wire.to_maps(given):
        if each.get(ALLOCATE):
            return str(each[ALLOCATE])
    return ""


def list_named(given: object) -> list[Values]:
    """Return those that say which network it is to be."""
    return [each for each in wire.to_maps(given) if not each.get(ALLOCATE)]


def resolve_networks(given: object, find_id: FindId) -> list[RequestedNetwork]:
    """Return the networks that are asked for, names as ids.

    :param find_id: asks the cloud
    """
    return [
        _resolved(each, position, find_id)
        for position, each in enumerate(list_named(given))
    ]


def _resolved(
    each: Values, position: int, find_id: FindId
) -> RequestedNetwork:
    def named(name: str, kind: lookup.Kind) -> str:
        value = each.get(name)
        return find_id(kind, str(value)) if value else ""

    extra = each.get(_EXTRA)
    return RequestedNetwork(
        network=named("network", lookup.KINDS["neutron.network"])
        or named("uuid", lookup.KINDS["neutron.network"]),
        subnet=named("subnet", lookup.KINDS["neutron.subnet"]),
        port=named("port", lookup.KINDS["neutron.port"]),
        fixed_ip=str(each.get("fixed_ip") or ""),
        floating_ip=str(each.get("floating_ip") or ""),
        tag=str(each.get("tag") or ""),
        extra=extra if isinstance(extra, dict) and extra else None,
        position=position,
    )


def build_port(desired: RequestedNetwork) -> dict[str, object]:
    """Return the request for the port of a network."""
    body: dict[str, object] = {"network_id": desired.network}
    fixed: dict[str, object] = {}
    if desired.subnet:
        fixed["subnet_id"] = desired.subnet
    if desired.fixed_ip:
        fixed["ip_address"] = desired.fixed_ip
    if fixed:
        body["fixed_ips"] = [fixed]
    extra = dict(desired.extra or {})
    specs = extra.pop("value_specs", None)
    if extra.pop("no_fixed_ips", False):
        body["fixed_ips"] = []
    policy = extra.pop("qos_policy", None)
    if policy:
        body["qos_policy_id"] = policy
    body.update({key: each for key, each in extra.items() if each is not None})
    body.update(specs if isinstance(specs, dict) else {})
    return body


def order_by_exactness(
    desired: collections.abc.Iterable[RequestedNetwork],
) -> list[RequestedNetwork]:
    """Return networks, those first that fewest interfaces can be."""
    return sorted(
        desired,
        key=lambda each: (
            not each.port,
            not each.fixed_ip,
            not each.subnet,
            not each.extra,
        ),
    )


def read_reality(addresses: object) -> list[dict[str, object]]:
    """Return the networks as a server shows them.

    :param addresses: of the server, by name of the network
    """
    by_name = addresses if isinstance(addresses, dict) else {}
    return [
        {"network": name, "fixed_ip": each.get("addr")}
        for name in sorted(by_name)
        for each in sorted(by_name[name], key=lambda one: str(one.get("addr")))
        if each.get(_ADDRESS_TYPE) != _FLOATING
    ]
