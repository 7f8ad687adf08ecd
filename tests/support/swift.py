"""A double of Swift that Keystone's catalogue leads to."""

import collections.abc
import hashlib
import hmac
import http.server
import json
import threading
import time
import typing
import urllib.parse

import fixtures

from tests.support import catalogue
from tests.support import keystone

_KEY: typing.Final = "X-Container-Meta-Temp-URL-Key"


class Swift(fixtures.Fixture):
    """Holds the objects of one project, which each token opens but one.

    :ivar containers: by name what each object holds
    :ivar keys: of containers, that addresses are signed with
    :ivar refused: a token that opens nothing
    :ivar calls: method and path of each request, without version and account
    :ivar is_down: each request fails
    """

    def __init__(self, cloud: keystone.Keystone) -> None:
        super().__init__()
        self._cloud = cloud
        self.containers: dict[str, dict[str, bytes]] = {}
        self.keys: dict[str, str] = {}
        self.refused = ""
        self.calls: list[str] = []
        self.is_down = False

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        swift = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                swift.answer(self)

            def do_HEAD(self) -> None:
                swift.answer_head(self)

            def do_PUT(self) -> None:
                swift.take(self)

            def do_DELETE(self) -> None:
                swift.drop(self)

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}/v1/AUTH_%(project_id)s"
        self.useFixture(
            catalogue.Published(self._cloud, "swift", "object-store", url)
        )

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Answer a request of a container, or of an object in one."""
        path = request.path.partition("?")[0].split("/", 3)[3]
        container, _, name = map(urllib.parse.unquote, path.partition("/"))
        self.calls.append(f"GET {path}")
        status, data = self._find(
            request.headers.get("X-Auth-Token"), container, name
        )
        request.send_response(status)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    def answer_head(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Answer with what a container is signed with."""
        container, _ = self._place_of(request)
        is_there = container in self.containers
        request.send_response(204 if is_there else 404)
        if container in self.keys:
            request.send_header(_KEY, self.keys[container])
        request.end_headers()

    def take(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Take a container, or an object by a token or a good signature."""
        container, name = self._place_of(request)
        length = int(request.headers.get("Content-Length", "0"))
        data = request.rfile.read(length)
        is_known = request.headers.get("X-Auth-Token") is not None
        status = 201
        if name and container not in self.containers:
            status = 404
        elif not (is_known or self._is_signed(request, container)):
            status = 401
        elif name:
            self.containers[container][name] = data
        else:
            self.containers.setdefault(container, {})
            self.keys[container] = request.headers[_KEY]
        request.send_response(status)
        request.send_header("Content-Length", "0")
        request.end_headers()

    def drop(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Remove an object, or a container that is empty."""
        container, name = self._place_of(request)
        held = self.containers.get(container)
        if held is None or (name and name not in held):
            status = 404
        elif name:
            del held[name]
            status = 204
        elif held:
            status = 409
        else:
            del self.containers[container]
            status = 204
        request.send_response(status)
        request.send_header("Content-Length", "0")
        request.end_headers()

    def _place_of(
        self, request: http.server.BaseHTTPRequestHandler
    ) -> tuple[str, str]:
        path = request.path.partition("?")[0].split("/", 3)[3]
        self.calls.append(f"{request.command} {path}")
        container, _, name = map(urllib.parse.unquote, path.partition("/"))
        return container, name

    def _is_signed(
        self, request: http.server.BaseHTTPRequestHandler, container: str
    ) -> bool:
        path, _, query = request.path.partition("?")
        given = dict(urllib.parse.parse_qsl(query))
        expires = int(given.get("temp_url_expires", "0"))
        text = f"PUT\n{expires}\n{urllib.parse.unquote(path)}".encode()
        key = self.keys.get(container, "").encode()
        good = hmac.new(key, text, hashlib.sha256).hexdigest()
        return time.time() < expires and given.get("temp_url_sig") == good

    def _find(
        self, token: str | None, container: str, name: str
    ) -> tuple[int, bytes]:
        if self.is_down:
            return 503, b"down"
        if not token or token == self.refused:
            return 403, b"Forbidden"
        held = self.containers.get(container)
        if held is None:
            return 404, b"Not Found"
        if not name:
            return 200, json.dumps(list(_listing(held))).encode()
        if name not in held:
            return 404, b"Not Found"
        return 200, held[name]


def _listing(
    held: collections.abc.Mapping[str, bytes],
) -> collections.abc.Iterator[dict[str, typing.Any]]:
    for name, content in sorted(held.items()):
        kind = "directory" if name.endswith("/") else "octet-stream"
        yield {
            "name": name,
            "bytes": len(content),
            "content_type": f"application/{kind}",
        }
