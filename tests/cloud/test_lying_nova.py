"""Nova whose list of servers is wrong, and a stack that is repaired."""

import http.server
import json
import threading
import typing

import fixtures
import requests

from tests.cloud import test_server
from tests.cloud import test_server_trouble
from tests.functional import observing
from tests.support import waiting

Json = dict[str, typing.Any]

_SERVERS: typing.Final = ("server", "server0", "server1")
_LOOKS: typing.Final = 3
_LIMIT_S: typing.Final = 60
_HOP_HEADERS: typing.Final = frozenset(
    {"connection", "content-encoding", "content-length", "host"}
    | {"transfer-encoding"}
)


class LyingNova(fixtures.Fixture):
    """Forwards requests to Nova; answers those of its list itself.

    :ivar port: where it listens
    :ivar lie: ``empty``, ``half`` or ``failing``; empty for what Nova answers
    :ivar reads: paths of the requests that read
    """

    def __init__(self, port: int) -> None:
        """Answer all as Nova does.

        :param port: that of Nova
        """
        super().__init__()
        self._url = f"http://127.0.0.1:{port}"
        self.port = 0
        self.lie = ""
        self.reads: list[str] = []

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        nova = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                nova.forward(self)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

            def log_message(self, *args: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.port = server.server_port

    def forward(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Answer a request as Nova does, unless it is of the list."""
        path = request.path.partition("?")[0]
        if request.command == "GET":
            self.reads.append(path)
        size = int(request.headers.get("Content-Length", 0))
        answer = requests.request(
            request.command,
            f"{self._url}{request.path}",
            headers=_without_hops(request.headers),
            data=request.rfile.read(size),
            timeout=_LIMIT_S,
        )
        status, content = answer.status_code, answer.content
        if self.lie and request.command == "GET" and _is_list(path):
            status, content = self._tamper(answer)
        request.send_response(status)
        for name, value in _without_hops(answer.headers).items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    def _tamper(self, answer: requests.Response) -> tuple[int, bytes]:
        if self.lie == "failing":
            return 500, b'{"computeFault": {"code": 500, "message": "?"}}'
        servers = answer.json()["servers"] if self.lie == "half" else []
        return 200, json.dumps({"servers": servers[::2]}).encode()

    def list_reads(self) -> int:
        """Return how often the list was read."""
        return sum(map(_is_list, self.reads))


def _is_list(path: str) -> bool:
    return path.endswith(("/servers", "/servers/detail"))


def _without_hops(headers: typing.Any) -> dict[str, str]:
    return {
        name: value
        for name, value in headers.items()
        if name.lower() not in _HOP_HEADERS
    }


class LyingNovaTests(test_server_trouble.RegionTestCase):
    options: typing.ClassVar = {"observer": observing.OPTIONS}
    nova: LyingNova

    @classmethod
    def nova_port(cls) -> int:
        cls.nova = cls.use(LyingNova(test_server_trouble.NOVA_PORT))
        return cls.nova.port

    def servers(self) -> set[str]:
        """Return the ids of all servers, asked of Nova itself."""
        return {each.id for each in self.user.compute.servers()}

    def look(self) -> None:
        """Return once the stack was observed several times."""
        before = self.nova.list_reads()
        # The last of them has only begun.
        waiting.wait_for(
            lambda: self.nova.list_reads() > before + _LOOKS,
            "looks",
            _LIMIT_S,
        )

    def test_a_lying_list_doubles_and_removes_no_server(self) -> None:
        resources = test_server.site()
        for name in _SERVERS[1:]:
            resources[name] = resources["server"]
        stack = self.made(resources)
        self.addCleanup(setattr, self.nova, "lie", "")
        observing.set_policy(self.here, stack, {"stack": "repair"})
        ids = {name: self.physical_id(stack, name) for name in _SERVERS}

        for lie in ("empty", "half", "failing"):
            self.nova.lie = lie
            self.look()

            self.assertEqual(set(ids.values()), self.servers(), lie)
        self.assertEqual(1, len(self.operations(stack)))

        self.nova.lie = "empty"
        self.openstack_delete(ids["server0"])
        waiting.wait_for(
            lambda: self.physical_id(stack, "server0") != ids["server0"],
            "the repair",
            self.wait_s,
        )
        self.here.wait(stack, "UPDATE_COMPLETE", timeout_s=self.wait_s)
        self.look()

        self.assertEqual(2, len(self.operations(stack)))
        repaired = {name: self.physical_id(stack, name) for name in _SERVERS}
        self.assertEqual(
            {**ids, "server0": repaired["server0"]}, repaired, ids
        )
        self.assertEqual(set(repaired.values()), self.servers())

    def test_what_vanished_is_read_once_by_a_look(self) -> None:
        resources = test_server.site()
        resources["other"] = resources["server"]
        stack = self.made(resources)
        lost = self.physical_id(stack, "other")
        self.openstack_delete(lost)
        waiting.wait_for(
            lambda: observing.drifted(self.here, stack) == ["other"],
            "the drift",
            _LIMIT_S,
        )
        self.nova.reads.clear()

        self.look()

        reads = [each for each in self.nova.reads if each.endswith(lost)]
        self.assertGreaterEqual(len(reads), _LOOKS - 1)
        # A look had begun before.
        self.assertLessEqual(len(reads), self.nova.list_reads() + 1)

    def openstack_delete(self, server_id: str) -> None:
        """Delete a server behind the back of Orch."""
        self.user.compute.delete_server(server_id)
        waiting.wait_for(
            lambda: server_id not in self.servers(), "it is gone", _LIMIT_S
        )
