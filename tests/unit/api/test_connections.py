import collections.abc
import contextlib
import http.client
import itertools
import socket
import threading
import wsgiref.types

from orch.api import connections
from orch.api import server
from tests import base

_PROBE = "/alive"
_PATIENCE_S = 60
_CHUNK = b"x" * (1 << 20)
_PART_OF_HEADER = b"GET / HTTP/1.1\r\nHost: x\r\n"
_PART_OF_REQUEST = (
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nb"
)


class ConnectionsTest(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.entered = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.addCleanup(self.go_on.set)
        self.ended = threading.Event()

    def app(
        self,
        environ: wsgiref.types.WSGIEnvironment,
        start_response: wsgiref.types.StartResponse,
    ) -> collections.abc.Iterable[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain")])
        if environ["PATH_INFO"].endswith("/wait"):
            self.entered.release()
            self.go_on.wait(_PATIENCE_S)
        if environ["PATH_INFO"] == "/endless":
            return self.endless()
        if environ["PATH_INFO"] == "/large":
            return [_CHUNK]
        return [b"fine"]

    def endless(self) -> collections.abc.Iterator[bytes]:
        try:
            yield from itertools.repeat(_CHUNK)
        finally:
            self.ended.set()

    def serve(
        self,
        *,
        connections_: int = 1000,
        of_address: int = -1,
        header_s: float = _PATIENCE_S,
        body_s: float = _PATIENCE_S,
        send_s: float = _PATIENCE_S,
        unsent_bytes: int = 1 << 30,
    ) -> server.Server:
        """Serve with two threads."""
        running = server.serve(
            self.app,
            "127.0.0.1",
            0,
            2,
            limits=connections.Limits(
                connections=connections_,
                address_connections=of_address,
                is_exempt=lambda _: False,
                header_timeout_s=header_s,
                body_timeout_s=body_s,
                send_timeout_s=send_s,
                unsent_bytes=unsent_bytes,
            ),
            probes=(_PROBE,),
        )
        self.addCleanup(running.stop, 0)
        return running

    def connect(
        self, running: server.Server, sent: bytes = b""
    ) -> socket.socket:
        """Return a connection that has sent this."""
        peer = socket.create_connection(
            ("127.0.0.1", running.port), timeout=_PATIENCE_S
        )
        self.addCleanup(peer.close)
        peer.sendall(sent)
        return peer

    def ask(self, running: server.Server, path: str = "/") -> socket.socket:
        return self.connect(
            running, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        )

    def ask_for_projects(
        self, running: server.Server, count: int
    ) -> list[socket.socket]:
        """Send a request that waits for each of some projects."""
        return [
            self.ask(running, f"/v1/{number}/wait") for number in range(count)
        ]

    def status_of(self, peer: socket.socket) -> int:
        """Return the status of the answer that comes."""
        answer = http.client.HTTPResponse(peer)
        answer.begin()
        answer.read()
        return answer.status

    def is_closed(self, peer: socket.socket) -> bool:
        """Whether the server has closed a connection, which it may reset."""
        try:
            return not peer.recv(10)
        except ConnectionResetError:
            return True

    def trickle(self, peer: socket.socket) -> bytes:
        """Send byte by byte until there is an answer; return that."""
        peer.settimeout(0.05)
        for _ in range(int(_PATIENCE_S / 0.05)):
            try:
                return peer.recv(1000)
            except TimeoutError:
                with contextlib.suppress(ConnectionError):
                    peer.sendall(b"x")
        raise AssertionError("it may go on for ever")

    def test_a_header_in_many_parts_has_one_time_in_all(self) -> None:
        running = self.serve(header_s=0.5)

        answer = self.trickle(self.connect(running, _PART_OF_HEADER))

        self.assertIn(b" 408 ", answer.split(b"\r\n")[0])

    def test_a_body_in_many_parts_has_one_time_in_all(self) -> None:
        running = self.serve(body_s=0.5)

        answer = self.trickle(self.connect(running, _PART_OF_REQUEST))

        self.assertIn(b" 408 ", answer.split(b"\r\n")[0])

    def test_blank_lines_are_no_header(self) -> None:
        running = self.serve(header_s=0.5)
        peer = self.connect(running)
        peer.settimeout(0.05)

        def blank() -> bool:
            try:
                peer.sendall(b"\r\n\r\n")
                return peer.recv(10) == b""
            except TimeoutError:
                return False
            except ConnectionError:
                return True

        self.assertTrue(any(blank() for _ in range(1000)))

    def test_one_that_says_nothing_is_closed(self) -> None:
        peer = self.connect(self.serve(header_s=0.5))

        self.assertTrue(self.is_closed(peer))

    def test_a_request_in_time_is_served_after_another_one(self) -> None:
        running = self.serve(header_s=2, body_s=2)
        peer = self.connect(running)

        for _ in range(3):
            peer.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n")
            peer.sendall(b"Content-Length: 1\r\n\r\n")
            peer.sendall(b"x")
            self.assertEqual(200, self.status_of(peer))

    def test_the_longest_waiting_of_an_address_gives_way(self) -> None:
        running = self.serve(of_address=2)
        first = self.connect(running, b"G")
        second = self.connect(running, b"G")

        found = self.status_of(self.ask(running))

        self.assertEqual(200, found)
        self.assertTrue(self.is_closed(first))
        second.sendall(b"ET / HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(200, self.status_of(second))

    def test_one_that_was_served_has_not_waited_meanwhile(self) -> None:
        running = self.serve(of_address=2)
        first = self.ask(running, "/wait")
        self.assertTrue(self.entered.acquire(timeout=_PATIENCE_S))
        second = self.connect(running, b"G")
        self.go_on.set()
        self.assertEqual(200, self.status_of(first))

        found = self.status_of(self.ask(running))

        self.assertEqual(200, found)
        self.assertTrue(self.is_closed(second))
        first.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(200, self.status_of(first))

    def test_where_all_are_served_one_more_is_told_so(self) -> None:
        for limits in ({"of_address": 2}, {"connections_": 2}):
            running = self.serve(**limits)
            served = self.ask_for_projects(running, 2)
            for _ in served:
                self.assertTrue(self.entered.acquire(timeout=_PATIENCE_S))

            refused = self.ask(running).recv(1000)
            probed = self.status_of(self.ask(running, _PROBE))

            self.assertIn(b" 503 ", refused.split(b"\r\n")[0])
            self.assertIn(b"Retry-After: 5", refused)
            self.assertEqual(200, probed)
            self.go_on.set()
            self.assertEqual({200}, {self.status_of(one) for one in served})
            self.go_on.clear()

    def test_a_probe_waits_for_no_request(self) -> None:
        running = self.serve()
        served = self.ask_for_projects(running, 50)
        for _ in range(2):
            self.assertTrue(self.entered.acquire(timeout=_PATIENCE_S))

        found = [self.status_of(self.ask(running, _PROBE)) for _ in range(3)]

        self.assertEqual([200] * 3, found)
        self.assertFalse(self.go_on.is_set())
        self.go_on.set()
        self.assertEqual({200}, {self.status_of(each) for each in served})

    def test_a_client_that_does_not_read_gives_its_thread_back(self) -> None:
        running = self.serve(send_s=0.5)
        self.ask(running, "/endless")

        self.assertTrue(self.ended.wait(_PATIENCE_S))

    def test_many_answers_at_once_hold_no_thread(self) -> None:
        running = self.serve()
        asked = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * 30
        for _ in range(2):
            self.connect(running, asked)

        self.assertEqual(200, self.status_of(self.ask(running)))

    def test_unread_answers_have_one_limit_in_all(self) -> None:
        running = self.serve(unsent_bytes=len(_CHUNK))
        self.ask(running, "/endless")

        self.assertTrue(self.ended.wait(_PATIENCE_S))
