"""The addresses that the machine of the tests has."""

import socket


def find_own() -> str:
    """Return an address of IPv4 of this machine, beside those of loopback.

    :raises AssertionError: it has none
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # An address of documentation; nothing is sent.
            probe.connect(("198.51.100.1", 9))
        except OSError as error:
            raise AssertionError("this machine has no network") from error
        return str(probe.getsockname()[0])
