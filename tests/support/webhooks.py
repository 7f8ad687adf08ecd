"""A service that webhooks ask, and what it was asked."""

import collections.abc
import dataclasses
import http.server
import threading
import typing

import fixtures


@dataclasses.dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request that came."""

    headers: collections.abc.Mapping[str, str]
    body: bytes


class Service(fixtures.Fixture):
    """Answers with what it was told to answer, one after the other.

    :ivar answers: status and body; the last one stays
    :ivar requests: what has come
    :ivar held: what has this in its body waits at the gate
    :ivar gate: what waits there is answered once it is open
    """

    url: str
    held: bytes | None
    gate: threading.Event
    headers: collections.abc.Mapping[str, str]

    def __init__(self, *answers: tuple[int, bytes]) -> None:
        """Answer so; without any, allow."""
        super().__init__()
        self.answers = list(answers) or [(200, b"")]
        self.requests: list[ReceivedRequest] = []
        self.headers = {}
        self.held = None
        self.gate = threading.Event()

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                asked = ReceivedRequest(
                    dict(self.headers), self.rfile.read(length)
                )
                service.requests.append(asked)
                if service.held is not None and service.held in asked.body:
                    service.gate.wait()
                status, body = service.answers[0]
                if len(service.answers) > 1:
                    service.answers.pop(0)
                self.send_response(status)
                for name, value in service.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: typing.Any) -> None:
                """Say nothing."""

        server = _Server(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(self.gate.set)
        self.url = f"http://127.0.0.1:{server.server_address[1]}/judge"


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args: typing.Any) -> None:
        """Say nothing of clients that were killed."""
