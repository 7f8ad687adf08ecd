"""Free TCP ports of this machine."""

import socket
import time


def find_free() -> int:
    """Return a port of 127.0.0.1 that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def is_open(port: int) -> bool:
    """Answer whether something accepts connections there."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until_open(port: int, *, timeout_s: float) -> None:
    """Return once the port accepts connections.

    :raises TimeoutError: it did not, in that time
    """
    limit = time.monotonic() + timeout_s
    while not is_open(port):
        if time.monotonic() > limit:
            raise TimeoutError(f"nothing listens on port {port}")
        time.sleep(0.1)
