"""Requests to addresses of users, and the addresses that are forbidden.

A name is resolved once, at each connection, and the connection goes to an
address that was checked: so neither a redirect nor a name that resolves to
another address a moment later evades the check. Proxies of the environment are
not used, as they would resolve the name themselves.
"""

import collections.abc
import dataclasses
import functools
import ipaddress
import socket
import ssl
import struct
import typing

import requests
import urllib3
from oslo_config import cfg
from requests import adapters
from urllib3 import connection
from urllib3 import connectionpool
from urllib3 import exceptions

from orch import errors
from orch import netlink
from orch.clients import deadlines

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Translates IPv4 addresses: RFC 6052.
_NAT64: typing.Final = ipaddress.IPv6Network("64:ff9b::/96")
_NOWHERE: typing.Final = ipaddress.ip_network("0.0.0.0/8")

# Where clouds tell machines secrets, beside the link-local 169.254.169.254.
_METADATA_SERVICES: typing.Final = tuple(
    map(
        ipaddress.ip_address,
        (
            "fd00:ec2::254",
            "fd20:ce::254",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
        ),
    )
)


_CHUNK: typing.Final = 65536
_DISCARD_PORT: typing.Final = 9

# Values of linux/rtnetlink.h: a route is asked for, and told.
_GET_ROUTE: typing.Final = 26
_NEW_ROUTE: typing.Final = 24
_DESTINATION: typing.Final = 1
_LOCAL: typing.Final = 2
_ROUTE: typing.Final = struct.Struct("=BBBBBBBBI")
_ATTRIBUTE: typing.Final = struct.Struct("=HH")


class EgressRefused(errors.Invalid):
    """Requests may not go to an address that a user named."""

    code = "orch.egress.refused"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """Which addresses may be reached; see group ``[egress]``.

    :ivar allowed: networks that may be reached in any case
    :ivar refuses_private: what is not public is refused too
    :ivar ca_file: certificates to check servers by; empty for the usual ones
    """

    allowed: tuple[Network, ...] = ()
    refuses_private: bool = False
    ca_file: str = ""

    def is_open(self, address: Address) -> bool:
        """Whether requests may go to an address."""
        meant = _meant(address)
        if any(
            each in network
            for network in self.allowed
            for each in (address, meant)
            if each.version == network.version
        ):
            return True
        if _is_special(meant) or any(map(_is_own, {address, meant})):
            return False
        return _is_public(meant) or not self.refuses_private

    def resolve(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host that may be reached.

        :raises EgressRefused: none of those that it has
        :raises OSError: the name is unknown
        """
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        places = dict.fromkeys(str(each[4][0]) for each in found)
        opened = [
            each for each in places if self.is_open(ipaddress.ip_address(each))
        ]
        if not opened:
            raise _refusal(host)
        return opened

    def check_peer(self, connected: socket.socket, host: str) -> None:
        """Raise EgressRefused if a connection leads back to this machine.

        :raises EgressRefused: it does, and is not allowed to
        """
        place = ipaddress.ip_address(connected.getpeername()[0])
        if not self.is_open(place):
            raise _refusal(host)


DEFAULT: typing.Final = Egress()
"""What is open when no option says otherwise."""
ANYWHERE: typing.Final = (
    ipaddress.ip_network("0.0.0.0/0"),
    ipaddress.ip_network("::/0"),
)
"""Networks that are allowed for addresses that the operator has named."""


def from_conf(conf: cfg.ConfigOpts) -> Egress:
    """Return what the options allow.

    Where callers log in, private networks are refused unless an option says
    otherwise.
    """
    group = conf.egress
    refuses_private = group.refuse_private
    if refuses_private is None:
        refuses_private = conf.api.auth != "none"
    return Egress(
        allowed=tuple(map(ipaddress.ip_network, group.allowed_networks)),
        refuses_private=refuses_private,
        ca_file=group.ca_file,
    )


def open_session(
    egress: Egress,
    context: ssl.SSLContext | None = None,
    deadline: deadlines.Deadline | None = None,
) -> requests.Session:
    """Return a session that connects only where it may.

    Neither .netrc nor other variables of the environment decide here.
    Whoever follows redirects with it stays within the same bounds.

    :param context: what checks certificates; ``None`` for the usual way
    :param deadline: when it is over no connection is left or made
    """
    found = requests.Session()
    found.trust_env = False
    found.verify = egress.ca_file or True
    adapter = _Adapter(egress, context, deadline)
    found.mount("http://", adapter)
    found.mount("https://", adapter)
    return found


def iterate_body(answer: requests.Response) -> collections.abc.Iterator[bytes]:
    """Yield what has come of a body, however little.

    Who looks at the time after each piece cannot be held by a trickle. The
    answer has to be one that is streamed.

    :raises requests.RequestException: nothing more comes
    """
    try:
        while piece := answer.raw.read1(_CHUNK, decode_content=True):
            yield piece
    except exceptions.HTTPError as error:
        raise requests.RequestException(str(error)) from error


def describe_error(error: Exception) -> str:
    """Return why a request got no answer, in words for whoever asked for it.

    What requests and urllib3 say begins with names of objects of ours.
    """
    cause = error.args[0] if error.args else None
    reason = getattr(cause, "reason", None)
    if not isinstance(reason, exceptions.HTTPError):
        return str(error)
    return str(reason).partition("): ")[2] or str(reason)


class _Checked(connection.HTTPConnection):
    """Connects to a checked address."""

    def __init__(
        self,
        *args: typing.Any,
        egress: Egress,
        deadline: deadlines.Deadline | None,
        **kwargs: typing.Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._egress = egress
        self._deadline = deadline

    def _new_conn(self) -> socket.socket:
        found = _connect(self, self._egress, self._open)
        try:
            self._egress.check_peer(found, self.host)
        except BaseException:
            found.close()
            raise
        return found

    def _open(self) -> socket.socket:
        if self._deadline is None:
            return super()._new_conn()
        left_s = self._deadline.left_s
        if not left_s:
            raise exceptions.ConnectTimeoutError(self, "no time is left")
        limit_s = self.timeout
        self.timeout = left_s if limit_s is None else min(limit_s, left_s)
        found = super()._new_conn()
        self._deadline.watch(found)
        return found


class _CheckedTls(_Checked, connection.HTTPSConnection):
    """Connects to a checked address by TLS, and verifies the name."""


def _connect(
    conn: connection.HTTPConnection,
    egress: Egress,
    connect: collections.abc.Callable[[], socket.socket],
) -> socket.socket:
    """Return a socket to the first address that takes it.

    urllib3 resolves what ``_dns_host`` says, and takes the name of the
    certificate from it afterwards.

    :raises EgressRefused: the host has no address that may be reached
    """
    name = conn._dns_host
    try:
        places = egress.resolve(name.strip("[]"), conn.port or 0)
    except (OSError, UnicodeError) as error:
        raise exceptions.NewConnectionError(
            conn, f"{name!r} cannot be resolved: {error}"
        ) from error
    last: exceptions.HTTPError | None = None
    try:
        for place in places:
            conn._dns_host = place
            try:
                return connect()
            except (
                exceptions.NewConnectionError,
                exceptions.ConnectTimeoutError,
            ) as error:
                last = error
    finally:
        conn._dns_host = name
    assert last is not None
    raise last


# The library declares the types of its own connections, and no others.


class _Pool(connectionpool.HTTPConnectionPool):
    ConnectionCls = typing.cast(typing.Any, _Checked)


class _TlsPool(connectionpool.HTTPSConnectionPool):
    ConnectionCls = typing.cast(typing.Any, _CheckedTls)


class _Adapter(adapters.HTTPAdapter):
    """Makes connections with the checks of this module."""

    def __init__(
        self,
        egress: Egress,
        context: ssl.SSLContext | None,
        deadline: deadlines.Deadline | None,
    ) -> None:
        self._egress = egress
        self._context = context
        self._deadline = deadline
        super().__init__()

    def init_poolmanager(
        self, *args: typing.Any, **kwargs: typing.Any
    ) -> None:
        """Let the pools be ours."""
        if self._context is not None:
            kwargs["ssl_context"] = self._context
        super().init_poolmanager(*args, **kwargs)
        manager: urllib3.PoolManager = self.poolmanager
        pools: dict[str, typing.Any] = {
            scheme: functools.partial(
                pool, egress=self._egress, deadline=self._deadline
            )
            for scheme, pool in (("http", _Pool), ("https", _TlsPool))
        }
        manager.pool_classes_by_scheme = pools


def _refusal(host: str) -> EgressRefused:
    """Return the refusal of a host.

    Its address is not told: names of inner networks are asked for.
    """
    return EgressRefused(
        f"Requests may not go to {host[:253]!r}: it is on this machine, its"
        " link, or in a network that is closed to addresses given by users."
        " The operator of the service can allow it in [egress]"
        " allowed_networks."
    )


def _is_own(address: Address) -> bool:
    """Whether this machine has an address now."""
    try:
        return _find_route_type(address) == _LOCAL
    except OSError:
        # No way leads there, or the kernel cannot be asked for it.
        return _is_own_source(address)


def _find_route_type(address: Address) -> int:
    """Return where the kernel sends what goes to an address.

    :raises OSError: nowhere, or it cannot be asked
    """
    request = _route_request(address)
    answer = netlink.ask_kernel(netlink.ROUTE, request, _NEW_ROUTE)
    return int(_ROUTE.unpack_from(answer)[7])


def _route_request(address: Address) -> bytes:
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    bits, packed = address.max_prefixlen, address.packed
    return netlink.build_message(
        _GET_ROUTE,
        _ROUTE.pack(family, bits, 0, 0, 0, 0, 0, 0, 0)
        + _ATTRIBUTE.pack(_ATTRIBUTE.size + len(packed), _DESTINATION)
        + packed,
    )


def _is_own_source(address: Address) -> bool:
    """Whether this machine would send from an address to reach it.

    Nothing is sent. Of several addresses in one network it sees the first.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), _DISCARD_PORT))
            source = str(probe.getsockname()[0])
    except OSError:
        # It has no way there.
        return False
    return ipaddress.ip_address(source) == address


def _meant(address: Address) -> Address:
    """Return the IPv4 address that one of IPv6 leads to, if any."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    embedded = address.ipv4_mapped or address.sixtofour
    if embedded is None and address.teredo is not None:
        embedded = address.teredo[1]
    if embedded is None and address in _NAT64:
        embedded = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return embedded or address


def _is_public(address: Address) -> bool:
    """Whether it is one of all the world, as far as is known.

    Addresses of a site (RFC 3879) are as private as those that came after.
    """
    is_of_site = (
        isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    )
    return address.is_global and not is_of_site


def _is_special(address: Address) -> bool:
    """Whether it is never that of a server for others."""
    return (
        address.is_loopback
        or address.is_link_local
        or address.is_unspecified
        or address.is_multicast
        or address.is_reserved
        or address in _METADATA_SERVICES
        or (address.version == 4 and address in _NOWHERE)
    )
