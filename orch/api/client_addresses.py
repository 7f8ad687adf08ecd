"""Addresses that requests come from, behind known proxies or not."""

import collections.abc
import ipaddress

from orch.api import web

_IPV6_PREFIX = 64
"""Bits that a provider sets; a client chooses the others as it likes."""


class ProxyList:
    """The proxies in front of the API, whose word on clients counts."""

    def __init__(self, addresses: collections.abc.Iterable[str]) -> None:
        """Know these.

        :param addresses: IP addresses
        """
        self._known = frozenset(_plain(each) for each in addresses)

    def has(self, address: str) -> bool:
        """Whether the address is one of theirs."""
        return _plain(address) in self._known

    def client_address(self, req: web.Request) -> str:
        """Return the address of the client, as far as that is certain.

        It is the last one in X-Forwarded-For that is no proxy's. ``Forwarded``
        says nothing here, and so falcon's ``access_route`` does not either:
        proxies that set the one pass the other on as clients send it.
        """
        address = req.remote_addr
        named = req.get_header("X-Forwarded-For", default="").split(",")
        while named and self.has(address):
            address = named.pop().strip() or address
        return address


def network_of(address: str) -> str:
    """Return what has a share of connections: an address of IPv4, a /64."""
    plain = _plain(address)
    if ":" not in plain:
        return plain
    try:
        network = ipaddress.ip_network((plain, _IPV6_PREFIX), strict=False)
    except ValueError:
        return plain
    return str(network)


def is_loopback(address: str) -> bool:
    """Whether the address is of this machine alone."""
    try:
        return ipaddress.ip_address(_plain(address)).is_loopback
    except ValueError:
        return False


def _plain(address: str) -> str:
    """Return an address without zone, one of IPv4 in the form of IPv4."""
    text = address.partition("%")[0].strip()
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return text
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or found)
    return str(found)
