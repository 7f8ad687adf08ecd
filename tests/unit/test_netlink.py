import socket
import struct

from orch import netlink
from tests import base

_GET_LINK = 18
_NEW_LINK = 16
_ENODEV = 19


class NetlinkTest(base.TestCase):
    def ask(self, index: int, kind: int = _NEW_LINK) -> bytes:
        """Return what the kernel tells of an interface."""
        body = struct.pack("=BxHiII", socket.AF_UNSPEC, 0, index, 0, 0)
        return netlink.ask_kernel(
            netlink.ROUTE, netlink.build_message(_GET_LINK, body), kind
        )

    def test_a_message_has_its_header(self) -> None:
        self.assertEqual(
            struct.pack("=IHHII", 19, _GET_LINK, 1, 0, 0) + b"abc",
            netlink.build_message(_GET_LINK, b"abc"),
        )

    def test_the_kernel_answers(self) -> None:
        here = socket.if_nametoindex("lo")

        self.assertEqual(here, struct.unpack_from("=BxHi", self.ask(here))[2])

    def test_its_errors_are_those_of_the_system(self) -> None:
        error = self.assertRaises(OSError, self.ask, 2**31 - 1)

        self.assertEqual(_ENODEV, error.errno)

    def test_another_message_is_no_answer(self) -> None:
        here = socket.if_nametoindex("lo")

        self.assertRaises(OSError, self.ask, here, _NEW_LINK + 1)
