"""Free TCP ports of this machine."""

import contextlib
import random
import socket
import time

# Below what Linux gives to outgoing connections: no connection of another
# test takes such a port before the server of this test listens on it.
_FIRST = 10_000
_LAST = 32_767


def find_free() -> int:
    """Return a port of 127.0.0.1 that no process uses at this moment."""
    while True:
        port = random.randint(_FIRST, _LAST)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
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
