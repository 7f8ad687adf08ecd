"""The attributes of a server."""

import collections.abc
import typing

from orch.clients import ports as ports_
from orch.clients import rest
from orch.resources.openstack.nova import calls

PLAIN: typing.Final = {
    "accessIPv4": "accessIPv4",
    "accessIPv6": "accessIPv6",
    "instance_name": "OS-EXT-SRV-ATTR:instance_name",
    "name": "name",
    "tags": "tags",
}
CONSOLES: typing.Final = {
    "novnc": "vnc",
    "xvpvnc": "vnc",
    "spice-html5": "spice",
    "rdp-html5": "rdp",
    "serial": "serial",
    "webmks": "mks",
}
_MAC: typing.Final = "OS-EXT-IPS-MAC:mac_addr"


def list_networks(
    server: calls.Body, ports: collections.abc.Sequence[calls.Body]
) -> dict[str, list[str]]:
    """Return the addresses of a server, by name and by id of the network."""
    found: dict[str, list[str]] = {}
    for name, listed in _addresses(server).items():
        found[name] = [str(each.get("addr")) for each in listed]
    for name, network_id in _ids(server, ports).items():
        found[network_id] = found[name]
    return found


def list_addresses(
    server: calls.Body, ports: collections.abc.Sequence[calls.Body]
) -> dict[str, list[dict[str, object]]]:
    """Return all that is known of them, by name and by id of the network.

    Each has the id of its ``port``, too.
    """
    by_mac = {str(each.get("mac_address")): each for each in ports}
    found: dict[str, list[dict[str, object]]] = {}
    for name, listed in _addresses(server).items():
        found[name] = [
            {**each, "port": by_mac.get(str(each.get(_MAC)), {}).get("id")}
            for each in listed
        ]
    for name, network_id in _ids(server, ports).items():
        found[network_id] = found[name]
    return found


def find_first_address(server: calls.Body) -> str:
    """Return an address of a server; empty where it has none."""
    for listed in _addresses(server).values():
        for each in listed:
            return str(each.get("addr"))
    return ""


def list_ports(
    ports: ports_.Ports, server: calls.Body
) -> collections.abc.Sequence[calls.Body]:
    """Return the ports of a server; none where it has no addresses."""
    if not _addresses(server):
        return []
    return ports.of_server(str(server["id"]))


def list_consoles(server: calls.Server) -> dict[str, str]:
    """Return where each kind of console is, or why there is none."""
    found = {}
    for kind, protocol in CONSOLES.items():
        try:
            found[kind] = server.console(protocol, kind)
        except rest.CloudRefused as error:
            found[kind] = error.message
    return found


def _addresses(server: calls.Body) -> dict[str, list[calls.Body]]:
    found = server.get("addresses")
    return found if isinstance(found, dict) else {}


def _ids(
    server: calls.Body, ports: collections.abc.Sequence[calls.Body]
) -> dict[str, str]:
    """Return the id of each network, by its name."""
    by_mac = {
        str(each.get("mac_address")): str(each["network_id"]) for each in ports
    }
    found = {}
    for name, listed in _addresses(server).items():
        for each in listed:
            network_id = by_mac.get(str(each.get(_MAC)))
            if network_id:
                found[name] = network_id
    return found
