import socket

import fixtures

from orch.cmd import process
from tests import base


class NotifyTest(base.TestCase):
    def _listen(self, address: str) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(listener.close)
        listener.bind(address)
        listener.settimeout(5)
        return listener

    def _use(self, address: str | None) -> None:
        self.useFixture(fixtures.EnvironmentVariable("NOTIFY_SOCKET", address))

    def test_systemd_hears_all_lines(self) -> None:
        path = str(self.make_directory() / "socket")
        listener = self._listen(path)
        self._use(path)

        self.assertTrue(process.notify_systemd("READY=1", "STATUS=up"))
        self.assertEqual(b"READY=1\nSTATUS=up", listener.recv(100))

    def test_an_abstract_address_is_understood(self) -> None:
        name = f"orch-test-{id(self)}"
        listener = self._listen("\0" + name)
        self._use("@" + name)

        self.assertTrue(process.notify_systemd("READY=1"))
        self.assertEqual(b"READY=1", listener.recv(100))

    def test_without_systemd_nothing_is_sent(self) -> None:
        self._use(None)

        self.assertFalse(process.notify_systemd("READY=1"))

    def test_a_socket_that_is_gone_does_no_harm(self) -> None:
        self._use(str(self.make_directory() / "gone"))

        self.assertFalse(process.notify_systemd("READY=1"))
