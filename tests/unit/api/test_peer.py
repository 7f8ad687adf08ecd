import os
import socket
import struct

from falcon import testing

from orch.api import app
from orch.api import peer
from tests import base
from tests.support import foreign
from tests.unit.api import fakes

_UID = "orch.peer_uid"


class ResetSocket(socket.socket):
    """An accepted socket that is reset once its peer has been asked for.

    Another client has the addresses of the first one then.
    """

    def __init__(self, accepted: socket.socket, client: socket.socket) -> None:
        self.client = client
        self.second = socket.socket(accepted.family)
        super().__init__(fileno=accepted.detach())

    def getsockname(self) -> tuple[str, int]:
        here: tuple[str, int] = super().getsockname()
        there = self.client.getsockname()
        linger = struct.pack("ii", 1, 0)
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.client.close()
        self.second.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.second.bind(there)
        self.second.connect(here)
        return here


class FindUidTest(base.TestCase):
    def accept(
        self, listener: socket.socket, client: socket.socket, host: str
    ) -> socket.socket:
        self.addCleanup(listener.close)
        self.addCleanup(client.close)
        client.connect((host, listener.getsockname()[1]))
        accepted, _ = listener.accept()
        self.addCleanup(accepted.close)
        return accepted

    def test_it_is_who_has_made_the_socket(self) -> None:
        accepted = self.accept(
            socket.create_server(("127.0.0.1", 0)),
            socket.socket(socket.AF_INET),
            "127.0.0.1",
        )

        self.assertEqual(os.geteuid(), peer.find_uid(accepted))

    def test_so_it_is_with_ipv6(self) -> None:
        accepted = self.accept(
            socket.create_server(("::1", 0), family=socket.AF_INET6),
            socket.socket(socket.AF_INET6),
            "::1",
        )

        self.assertEqual(os.geteuid(), peer.find_uid(accepted))

    def test_so_it_is_with_ipv4_on_a_socket_of_ipv6(self) -> None:
        accepted = self.accept(
            socket.create_server(
                ("::", 0), family=socket.AF_INET6, dualstack_ipv6=True
            ),
            socket.socket(socket.AF_INET),
            "127.0.0.1",
        )

        self.assertEqual("::ffff:127.0.0.1", accepted.getpeername()[0])
        self.assertEqual(os.geteuid(), peer.find_uid(accepted))

    def test_so_it_is_with_a_client_of_ipv6_that_maps_ipv4(self) -> None:
        accepted = self.accept(
            socket.create_server(("127.0.0.1", 0)),
            socket.socket(socket.AF_INET6),
            "::ffff:127.0.0.1",
        )

        self.assertEqual(os.geteuid(), peer.find_uid(accepted))

    def test_a_socket_that_was_closed_is_nobodys(self) -> None:
        """The kernel shows it as root's."""
        client = socket.socket(socket.AF_INET)
        accepted = self.accept(
            socket.create_server(("127.0.0.1", 0)), client, "127.0.0.1"
        )
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        client.close()

        self.assertIsNone(peer.find_uid(accepted))

    def test_a_client_that_sends_no_more_is_known(self) -> None:
        client = socket.socket(socket.AF_INET)
        accepted = self.accept(
            socket.create_server(("127.0.0.1", 0)), client, "127.0.0.1"
        )
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        client.shutdown(socket.SHUT_WR)

        self.assertEqual(os.geteuid(), peer.find_uid(accepted))

    def test_a_later_client_at_its_addresses_is_another_one(self) -> None:
        client = socket.socket(socket.AF_INET)
        accepted = ResetSocket(
            self.accept(
                socket.create_server(("127.0.0.1", 0)), client, "127.0.0.1"
            ),
            client,
        )
        self.addCleanup(accepted.close)
        self.addCleanup(accepted.second.close)

        self.assertIsNone(peer.find_uid(accepted))

    def test_a_listening_socket_has_no_user_at_its_end(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.assertIsNone(peer.find_uid(listener))


class PeerTest(fakes.ApiTestCase):
    settings = app.Settings(serves_own_user_alone=True)

    def ask(self, **environ: object) -> testing.Result:
        self.bus.answers["stack.list"] = []
        return self.api.simulate_get("/v1/demo/stacks", extras=environ)

    def test_the_same_user_and_root_are_served(self) -> None:
        for uid in (os.geteuid(), 0):
            self.assertEqual(200, self.ask(**{_UID: uid}).status_code)

    def test_other_users_are_refused(self) -> None:
        answer = self.ask(**{_UID: foreign.UID})

        self.assertEqual(403, answer.status_code)
        self.assertIn("local_users = any", answer.text)
        self.assertEqual([], self.bus.calls)

    def test_so_is_whom_the_kernel_does_not_know(self) -> None:
        for known in ({_UID: None}, {}):
            answer = self.ask(**known)

            self.assertEqual(403, answer.status_code)
            self.assertIn("is not known", answer.text)
            self.assertIn("local_users = any", answer.text)
        self.assertEqual([], self.bus.calls)

    def test_no_header_says_who_it_is(self) -> None:
        answer = self.api.simulate_get(
            "/v1/demo/stacks",
            headers={_UID: "0", "orch-peer-uid": "0"},
        )

        self.assertEqual(403, answer.status_code)
