"""A web server that answers while a test lets it."""

import collections
import http.server
import threading

import fixtures

from tests.support import waiting


class Held(fixtures.Fixture):
    """Answers ``POST`` at once, and ``GET`` while it does not hold.

    It listens on all addresses of 127.0.0.0/8.

    :ivar port: where it listens
    :ivar url: its address, without a slash at its end
    :ivar text: what ``GET`` is answered; 404 for paths that begin with
        ``/missing``, at once
    :ivar requests: how often each path was asked for by ``GET``, those that
        are held included
    """

    def __init__(self, text: str = "{}") -> None:
        super().__init__()
        self.text = text
        self.requests: collections.Counter[str] = collections.Counter()
        self._released = threading.Event()
        self._released.set()

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        held = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                held.requests[self.path] += 1
                is_missing = self.path.startswith("/missing")
                if not is_missing:
                    held._released.wait(120)
                self.say(404 if is_missing else 200, held.text)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.say(201, '{"id": "1"}')

            def do_DELETE(self) -> None:
                self.say(200, "{}")

            def say(self, status: int, text: str) -> None:
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text.encode())
                except OSError:
                    # Who asked does not wait any more.
                    self.close_connection = True

            def log_message(self, *args: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Handler)
        server.daemon_threads = True
        self.port = server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.addCleanup(self.release)

    def hold(self) -> None:
        """Answer no ``GET`` from now on, and count them anew."""
        self.requests.clear()
        self._released.clear()

    def release(self) -> None:
        """Answer all requests, those that are held too."""
        self._released.set()

    def wait_for(self, count: int) -> None:
        """Return once so many requests are held, or were answered."""
        waiting.wait_for(
            lambda: self.requests.total() >= count, f"{count} requests"
        )
