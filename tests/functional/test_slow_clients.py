"""Clients that send slowly, or nothing, while others want to be served."""

import contextlib
import socket

import requests

from tests.support import serving

_MANY = 1005
_ASKED = 10
_PART = (
    b"POST /v1/p/stacks HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
)


class SlowClientsTests(serving.ServerTestCase):
    options = {"api": {"header_timeout": 5, "body_timeout": 5}}  # noqa: RUF012

    def open(self, sent: bytes) -> socket.socket:
        """Return a connection that has sent this and stays open."""
        peer = socket.create_connection(
            ("127.0.0.1", self.system.port), timeout=60
        )
        self.addCleanup(peer.close)
        peer.sendall(sent)
        return peer

    def served(self, path: str) -> int:
        """Return how many of some requests are answered."""
        found = 0
        for _ in range(_ASKED):
            with contextlib.suppress(requests.RequestException):
                answer = requests.get(
                    f"http://127.0.0.1:{self.system.port}{path}", timeout=30
                )
                found += answer.status_code == 200
            if not found:
                break
        return found

    def test_a_thousand_idle_ones_shut_nobody_out(self) -> None:
        for sent in (b"", b"GET / HTTP/1.1\r\n", _PART):
            opened = [self.open(sent) for _ in range(_MANY)]

            found = [
                self.served(path)
                for path in ("/healthcheck", "/readiness", "/v1/p/stacks")
            ]

            self.assertEqual([_ASKED] * 3, found)
            for each in opened:
                each.close()

    def test_one_that_takes_too_long_is_told_so(self) -> None:
        peer = self.open(_PART)

        answer = peer.recv(1000)

        self.assertIn(b" 408 ", answer.split(b"\r\n")[0])
