"""A double of Zaqar that Keystone's catalogue leads to.

It answers as version 2 of the service's interface is described in its API
reference, to ``POST /v2/queues/{queue}/messages`` alone.
"""

import http.server
import json
import re
import threading
import typing
import uuid

import fixtures

from tests.support import catalogue
from tests.support import keystone

_PATH: typing.Final = re.compile(r"/v2/queues/([^/?]+)/messages")


class Zaqar(fixtures.Fixture):
    """Keeps the messages of all projects.

    :ivar messages: by queue, in their order, each as it was sent
    :ivar tokens: those that requests had
    :ivar status: that of the next answers, where not of success
    """

    def __init__(self, cloud: keystone.Keystone) -> None:
        super().__init__()
        self._cloud = cloud
        self.messages: dict[str, list[dict[str, typing.Any]]] = {}
        self.tokens: list[str] = []
        self.status: int | None = None

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        zaqar = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                zaqar.answer(self)

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}"
        self.useFixture(
            catalogue.Published(self._cloud, "zaqar", "messaging", url)
        )

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Take messages, or say why not."""
        length = int(request.headers.get("Content-Length") or 0)
        sent = json.loads(request.rfile.read(length))
        status, told = self._take(request, sent)
        data = json.dumps(told).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    def _take(
        self,
        request: http.server.BaseHTTPRequestHandler,
        sent: dict[str, typing.Any],
    ) -> tuple[int, dict[str, object]]:
        token = request.headers.get("X-Auth-Token")
        if not token:
            return 401, {"title": "Unauthorized"}
        self.tokens.append(token)
        found = _PATH.fullmatch(request.path)
        if found is None:
            return 404, {"title": "Not Found"}
        try:
            uuid.UUID(request.headers.get("Client-ID", ""))
        except ValueError:
            return 400, {"title": "Malformed Client-ID"}
        if self.status is not None:
            return self.status, {"title": "No"}
        if set(sent) != {"messages"} or not sent["messages"]:
            return 400, {"title": "Invalid request body"}
        for each in sent["messages"]:
            if not {"body"} <= set(each) <= {"body", "ttl", "delay"}:
                return 400, {"title": "Invalid request body"}
            if not 60 <= each.get("ttl", 3600) <= 1209600:
                return 400, {"title": "Invalid API request"}
        queue = self.messages.setdefault(found.group(1), [])
        queue += sent["messages"]
        return 201, {
            "resources": [
                f"/v2/queues/{found.group(1)}/messages/{number}"
                for number, _ in enumerate(sent["messages"])
            ]
        }
