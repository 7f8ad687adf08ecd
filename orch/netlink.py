"""Questions to the Linux kernel by netlink(7): one message, and its answer."""

import errno
import os
import socket
import struct
import sys
import typing

# Values of linux/netlink.h.
ROUTE: typing.Final = 0
SOCK_DIAG: typing.Final = 4
_F_REQUEST: typing.Final = 1
_ERROR: typing.Final = 2

HEADER: typing.Final = struct.Struct("=IHHII")
_ERROR_NUMBER: typing.Final = struct.Struct("=i")
_ANSWER_BYTES: typing.Final = 4096
_TIMEOUT_S: typing.Final = 1.0


def build_message(kind: int, body: bytes) -> bytes:
    """Return a request, with its header."""
    header = HEADER.pack(HEADER.size + len(body), kind, _F_REQUEST, 0, 0)
    return header + body


def ask_kernel(protocol: int, request: bytes, kind: int) -> bytes:
    """Return the body of the kernel's answer to a request.

    :param kind: of message that answers it
    :raises OSError: it has none, may not be asked, or is not Linux
    """
    if sys.platform != "linux":
        raise OSError(errno.EAFNOSUPPORT, os.strerror(errno.EAFNOSUPPORT))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol) as kernel:
        kernel.settimeout(_TIMEOUT_S)
        kernel.sendto(request, (0, 0))
        answer = kernel.recv(_ANSWER_BYTES)
    found, body = HEADER.unpack_from(answer)[1], answer[HEADER.size :]
    if found == _ERROR:
        number = -_ERROR_NUMBER.unpack_from(body)[0]
        raise OSError(number, os.strerror(number))
    if found != kind:
        raise OSError(errno.EPROTO, os.strerror(errno.EPROTO))
    return body
