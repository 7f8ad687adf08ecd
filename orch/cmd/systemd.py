"""Tells systemd how the service fares (``sd_notify``), where it asks."""

import os
import socket

_VARIABLE = "NOTIFY_SOCKET"


def notify_systemd(*lines: str) -> bool:
    """Send the lines to the service manager.

    :returns: whether one listens; without one nothing is sent
    """
    address = os.environ.get(_VARIABLE)
    if not address:
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        try:
            sender.sendto("\n".join(lines).encode(), address)
        except OSError:
            return False
    return True
