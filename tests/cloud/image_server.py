"""Serves an image, where Glance fetches one from."""

import http.server
import threading
import typing
import unittest

import fixtures

_PORT: typing.Final = 80
"""Glance fetches from the usual ports alone."""


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer 4096 bytes of zero for paths that begin with ``/image``."""
        if not self.path.startswith("/image"):
            self.send_error(404)
            return
        content = b"\0" * 4096
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class ImageServer(fixtures.Fixture):
    """A server of one image.

    :param address: of this machine; two servers need two
    :raises unittest.SkipTest: nobody but root may serve there
    """

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def url(self, path: str = "image") -> str:
        """Return an address of it; ``image`` is there."""
        return f"http://{self._address}/{path}"

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        try:
            server = http.server.ThreadingHTTPServer(
                (self._address, _PORT), _Handler
            )
        except OSError as error:
            raise unittest.SkipTest(
                f"nothing can be served on port {_PORT}: {error}"
            ) from error
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
