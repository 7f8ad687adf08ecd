"""A web server that gives the texts that a test puts there."""

import http.server
import threading

import fixtures


class Texts(fixtures.Fixture):
    """Serves texts by their paths until the test ends.

    :ivar url: its address, without a slash at its end
    :ivar found: the texts by path; what is not there is answered by 404
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        found = self.found

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                text = found.get(self.path)
                self.send_response(404 if text is None else 200)
                self.end_headers()
                self.wfile.write((text or "").encode())

            def log_message(self, *args: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
