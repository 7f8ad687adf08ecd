"""An HTTP proxy that loses the answer to a chosen request."""

import collections.abc
import http.server
import re
import threading

import fixtures
import requests

_IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\?.*")
_HOP = frozenset({"connection", "transfer-encoding", "content-length", "host"})

Act = collections.abc.Callable[[], None]


class Severed(fixtures.Fixture):
    """Passes requests on; what is done to the server is never lost.

    :ivar endpoint: of the server, through the proxy
    :ivar kinds: of the requests so far: method and path, without ids
    """

    def __init__(self, endpoint: str) -> None:
        super().__init__()
        self._origin, self._path = endpoint.split("/v1/")
        self.kinds: list[str] = []
        self._lock = threading.Lock()
        self._cut: tuple[str, int, Act] | None = None

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                proxy.answer(self)

            do_POST = do_GET  # noqa: N815 - http.server names it

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        self.endpoint = f"http://127.0.0.1:{port}/v1/{self._path}"

    def lose(self, kind: str, number: int, act: Act = lambda: None) -> None:
        """Lose an answer, once.

        :param number: of the requests of that kind from now on, from 0
        :param act: done once the server has answered
        """
        with self._lock:
            self._cut = (kind, number, act)

    @property
    def has_lost(self) -> bool:
        """Whether the answer was lost."""
        return self._cut is None

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Pass a request on, and its answer back unless that is lost."""
        length = int(request.headers.get("Content-Length", 0))
        answer = requests.request(
            request.command,
            self._origin + request.path,
            headers={
                name: value
                for name, value in request.headers.items()
                if name.lower() not in _HOP
            },
            data=request.rfile.read(length),
            allow_redirects=False,
            timeout=60,
        )
        if self._is_lost(f"{request.command} {request.path}"):
            request.close_connection = True
            return
        request.send_response(answer.status_code)
        for name, value in answer.headers.items():
            if name.lower() not in _HOP | {"content-encoding"}:
                request.send_header(name, value)
        request.send_header("Content-Length", str(len(answer.content)))
        request.end_headers()
        request.wfile.write(answer.content)

    def _is_lost(self, line: str) -> bool:
        kind = _IDS.sub("", line.replace(f"/v1/{self._path}", ""))
        with self._lock:
            self.kinds.append(kind)
            if self._cut is None or not re.fullmatch(self._cut[0], kind):
                return False
            wanted, left, act = self._cut
            self._cut = (wanted, left - 1, act) if left else None
        if not left:
            act()
        return not left
