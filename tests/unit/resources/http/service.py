"""A small REST service for the tests, in a thread of its own."""

import collections.abc
import contextlib
import dataclasses
import http.server
import json
import socket
import ssl
import struct
import threading
import typing

import fixtures

_RESET_AT_CLOSE: typing.Final = struct.pack("ii", 1, 0)


@dataclasses.dataclass(frozen=True)
class ReceivedRequest:
    """One request that arrived; header names are in lower case."""

    method: str
    path: str
    headers: collections.abc.Mapping[str, str]
    body: object


class Service(fixtures.Fixture):
    """Answers each request with what ``answers`` holds for it.

    :ivar answers: (method, path) to status and document; a text is sent as
        it is, and the status 0 hangs up without an answer
    :ivar headers: of all answers
    :ivar requests: all requests so far
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        """Serve over TLS, where a certificate is given."""
        super().__init__()
        self._tls = tls
        self.answers: dict[tuple[str, str], tuple[int, object]] = {}
        self.headers: dict[str, str] = {}
        self.requests: list[ReceivedRequest] = []

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                service.handle(self)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

            def log_message(self, *args: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        scheme = "http"
        if self._tls is not None:
            scheme = "https"
            server.socket = self._tls.wrap_socket(
                server.socket, server_side=True
            )
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.url = f"{scheme}://127.0.0.1:{server.server_port}/v1"

    def handle(self, request: http.server.BaseHTTPRequestHandler) -> None:
        size = int(request.headers.get("Content-Length", 0))
        content = request.rfile.read(size)
        path = request.path.removeprefix("/v1")
        headers = {
            key.lower(): value for key, value in request.headers.items()
        }
        is_text = headers.get("content-type") == "text/plain"
        body = None
        if content:
            body = content.decode() if is_text else json.loads(content)
        self.requests.append(
            ReceivedRequest(request.command, path, headers, body)
        )
        status, answer = self.find_answer(request.command, path, body)
        if not status:
            request.close_connection = True
            return
        text = answer if isinstance(answer, str) else json.dumps(answer)
        data = text.encode() if answer is not None else b""
        request.send_response(status)
        request.send_header("Content-Length", str(len(data)))
        if data and "Content-Type" not in self.headers:
            request.send_header("Content-Type", "application/json")
        for name, value in self.headers.items():
            request.send_header(name, value)
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(data)

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        """Return the answer to a request, status and document."""
        unknown = 404, {"error": "no such thing"}
        return self.answers.get((method, path), unknown)


class Trickle(fixtures.Fixture):
    """Begins an answer, then sends a byte at a time, then resets.

    :cvar count: bytes, of which each takes 50 ms
    """

    count = 200
    beginning = b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n"

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        self._is_over = threading.Event()
        listener = socket.create_server(("127.0.0.1", 0))
        thread = threading.Thread(target=self._serve, args=(listener,))
        thread.start()
        self.addCleanup(listener.close)
        self.addCleanup(thread.join)
        self.addCleanup(self._is_over.set)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/x"

    def _serve(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            connection.recv(65536)
            connection.sendall(self.beginning)
            for _ in range(self.count):
                if self._is_over.wait(0.05):
                    return
                connection.sendall(b"1")
            connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_CLOSE
            )


class HeaderTrickle(Trickle):
    """Sends the bytes of a header that does not end."""

    beginning = b"HTTP/1.1 200 OK\r\nX-Long: "


class ResetHeader(HeaderTrickle):
    """Resets the connection after 600 ms."""

    count = 12
