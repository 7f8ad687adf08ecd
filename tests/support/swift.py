"""A double of Swift that Keystone's catalogue leads to."""

import collections.abc
import http.server
import json
import threading
import typing
import urllib.parse

import fixtures

from tests.support import keystone


class Swift(fixtures.Fixture):
    """Holds the objects of one project, which each token opens but one.

    :ivar containers: by name what each object holds
    :ivar refused: a token that opens nothing
    :ivar asked: method and path of each request, without version and account
    :ivar is_down: each request fails
    """

    def __init__(self, cloud: keystone.Keystone) -> None:
        super().__init__()
        self._cloud = cloud
        self.containers: dict[str, dict[str, bytes]] = {}
        self.refused = ""
        self.asked: list[str] = []
        self.is_down = False

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        swift = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                swift.answer(self)

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self._publish(
            f"http://127.0.0.1:{server.server_port}/v1/AUTH_%(project_id)s"
        )

    def _publish(self, url: str) -> None:
        identity = self._cloud.admin.identity
        service = identity.create_service(name="swift", type="object-store")
        self.addCleanup(identity.delete_service, service.id)
        made = identity.create_endpoint(
            service_id=service.id,
            interface="public",
            region_id=keystone.REGION,
            url=url,
        )
        self.addCleanup(identity.delete_endpoint, made.id)

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Answer a request of a container, or of an object in one."""
        path = request.path.partition("?")[0].split("/", 3)[3]
        container, _, name = map(urllib.parse.unquote, path.partition("/"))
        self.asked.append(f"GET {path}")
        status, data = self._find(
            request.headers.get("X-Auth-Token"), container, name
        )
        request.send_response(status)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

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
