"""Serves connections of the server's own user alone, where no login is asked.

All users of a machine reach its loopback address. The kernel knows who has
made a socket: it is asked once for each connection, by the addresses of both
ends (``sock_diag(7)``), when the connection is accepted.
"""

import os
import socket
import struct
import typing
import wsgiref.types

import falcon
from waitress import adjustments
from waitress import task

from orch import errors
from orch import netlink
from orch.api import connections
from orch.api import web

_UID: typing.Final = "orch.peer_uid"
_ROOT: typing.Final = 0

# Values of linux/sock_diag.h and net/tcp_states.h.
_BY_FAMILY: typing.Final = 20
# Established, or with an end of what the client sends: FIN_WAIT1, FIN_WAIT2.
_OPEN: typing.Final = (1, 4, 5)

_REQUEST: typing.Final = struct.Struct("=BBBBI")
_SOCKET: typing.Final = struct.Struct("!HH16s16s")
_ANY_INTERFACE_AND_COOKIE: typing.Final = struct.pack("=IQ", 0, 2**64 - 1)
_ANSWER: typing.Final = struct.Struct("=xBxx60xII")


def find_uid(connection: socket.socket) -> int | None:
    """Return the user whose socket is at the other end of a connection.

    :returns: ``None`` where the kernel does not know: the socket is closed or
        in another network namespace, or this is not Linux
    """
    try:
        uid = _ask_kernel(
            connection.family,
            connection.getpeername()[:2],
            connection.getsockname()[:2],
        )
        # Fails if it was reset: then another socket may have its addresses.
        connection.getpeername()
    except (OSError, struct.error):
        return None
    return uid


def _ask_kernel(
    family: int, source: tuple[str, int], target: tuple[str, int]
) -> int | None:
    """Return the owner of the socket that has these two addresses.

    One that its owner has closed belongs to root, and has no inode; one that
    is shut down for writing keeps both.
    """
    body = (
        _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 0, 2**32 - 1)
        + _SOCKET.pack(
            source[1],
            target[1],
            socket.inet_pton(family, source[0]),
            socket.inet_pton(family, target[0]),
        )
        + _ANY_INTERFACE_AND_COOKIE
    )
    request = netlink.build_message(_BY_FAMILY, body)
    answer = netlink.ask_kernel(netlink.SOCK_DIAG, request, _BY_FAMILY)
    state, uid, inode = _ANSWER.unpack_from(answer)
    return uid if state in _OPEN and inode else None


class _Task(task.WSGITask):
    """A request, with the user at its other end in the environment."""

    def get_environment(self) -> wsgiref.types.WSGIEnvironment:
        """Return what the application gets."""
        found: wsgiref.types.WSGIEnvironment = super().get_environment()
        found[_UID] = typing.cast("Channel", self.channel).peer_uid
        return found


class Channel(connections.Channel):
    """A connection, and the user at its other end.

    :ivar peer_uid: ``None`` where it is not known
    """

    task_class = _Task

    def __init__(
        self,
        server: connections.LimitedServer,
        sock: socket.socket,
        addr: tuple[str, int],
        adj: adjustments.Adjustments,
        map: dict[int, socket.socket] | None = None,  # noqa: A002 - waitress'
    ) -> None:
        # Before anything is read: later the other process may have ended.
        self.peer_uid = find_uid(sock)
        super().__init__(server, sock, addr, adj, map=map)


class Peer:
    """Lets requests pass that come from the user of this process."""

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Go on only for the same user, or root, who may do all anyway.

        :raises orch.errors.Forbidden: it is another user, or an unknown one
        """
        uid = req.env.get(_UID)
        if uid in (os.geteuid(), _ROOT):
            return
        where = (
            "which user this connection comes from is not known"
            if uid is None
            else "this connection comes from another one"
        )
        raise errors.Forbidden(
            "This API is for the user who runs it, without a login, and"
            f" {where}. With [api] local_users = any it serves all users of"
            " the machine, who may then do here whatever its own user may."
        )
