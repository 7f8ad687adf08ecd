"""The server: HTTP in, JSON out, on a port of its own."""

import collections.abc
import contextlib
import http.server
import json
import threading
import typing
import urllib.parse

import fixtures

from tests.support.opensearch import levels
from tests.support.opensearch import store

_Map: typing.TypeAlias = dict[str, typing.Any]


class OpenSearch(fixtures.Fixture):
    """A server in this process.

    :ivar port: where it listens on 127.0.0.1
    :ivar refused: status that everything is answered with; 0 for none
    """

    port: int

    def _setUp(self) -> None:  # noqa: N802 - name of the library
        self.refused = 0
        self._indices: dict[str, store.Index] = {}
        self._aliases: dict[str, str] = {}
        self._lock = threading.RLock()
        self._hooks: dict[str, collections.abc.Callable[[], None]] = {}
        self._refused_after: tuple[str, int] = ("", 0)
        owner = self

        class Handler(_Handler):
            server_of = owner

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.port = server.server_address[1]
        thread = threading.Thread(
            target=server.serve_forever, args=(0.02,), daemon=True
        )
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

    def url(self, name: str = "orch-search") -> str:
        """Return the URL of an index here."""
        return f"opensearch://127.0.0.1:{self.port}/{name}"

    def lose(self, alias: str) -> None:
        """Lose an index, as a disk does."""
        with self._lock:
            del self._indices[self._aliases.pop(alias)]

    def body_of(self, alias: str) -> _Map:
        """Return what an index was made with; it may be changed."""
        return self._indices[self._aliases[alias]].body

    def before(
        self, asked: str, act: collections.abc.Callable[[], None]
    ) -> None:
        """Let something happen before the next request of this kind.

        :param asked: method and path
        """
        self._hooks[asked] = act

    def refuse_after(self, asked: str, count: int) -> None:
        """Refuse requests of this kind after so many; none where empty."""
        self._refused_after = (asked, count)

    def answer(self, method: str, target: str, body: bytes) -> _Map:
        """Return the answer to a request.

        :raises RefusedError: with the status
        """
        url = urllib.parse.urlsplit(target)
        parts = [urllib.parse.unquote(each) for each in url.path.split("/")]
        name, act = ([*parts[1:], ""])[:2]
        asked = f"{method} {url.path}"
        hook = self._hooks.pop(asked, None)
        if hook:
            hook()
        with self._lock:
            refused, count = self._refused_after
            if refused == asked:
                self._refused_after = (refused, count - 1)
            if self.refused or (refused == asked and count <= 0):
                status = self.refused or 503
                raise levels.RefusedError("refused", "now", status)
            if name == "_bulk":
                told = urllib.parse.parse_qs(url.query)
                is_alias = told.get("require_alias") == ["true"]
                return self._bulk(body, is_alias)
            if not act:
                return self._index(method, name, json.loads(body or b"{}"))
            return self._of_index(name, act, json.loads(body or b"{}"))

    def _index(self, method: str, name: str, body: _Map) -> _Map:
        if method == "PUT":
            if name in self._indices:
                raise levels.RefusedError(
                    "resource_already_exists_exception", name
                )
            self._indices[name] = store.Index(body)
            for alias in body.get("aliases", {}):
                self._aliases[alias] = name
            return {"acknowledged": True}
        if method == "DELETE":
            if name not in self._indices:
                raise _missing(name)
            del self._indices[name]
            kept = {x: y for x, y in self._aliases.items() if y != name}
            self._aliases = kept
            return {"acknowledged": True}
        raise levels.RefusedError("illegal_argument_exception", method, 405)

    def _named(self, name: str, is_alias: bool = False) -> store.Index:
        behind = self._aliases.get(name, "" if is_alias else name)
        if behind not in self._indices:
            raise _missing(name)
        return self._indices[behind]

    def _of_index(self, name: str, act: str, body: _Map) -> _Map:
        if act == "_stats":
            several = [self._named(each) for each in name.split(",")]
            size = sum(each.stored_bytes() for each in several)
            store_size = {"store": {"size_in_bytes": size}}
            return {"_all": {"primaries": store_size}}
        index = self._named(name)
        match act:
            case "_mapping":
                return {name: {"mappings": index.body["mappings"]}}
            case "_refresh":
                index.refresh()
                return {"_shards": {"failed": 0}}
            case "_search":
                return index.search(body)
            case "_count":
                found = index.search({**body, "size": 0})
                return {"count": found["hits"]["total"]["value"]}
            case "_mget":
                return {"docs": [index.get(each) for each in body["ids"]]}
            case "_delete_by_query":
                deleted = index.delete_where(body["query"])
                index.refresh()
                return {"deleted": deleted}
        raise levels.RefusedError("illegal_argument_exception", act)

    def _bulk(self, body: bytes, is_alias: bool) -> _Map:
        lines = iter(json.loads(each) for each in body.splitlines() if each)
        items = []
        for line in lines:
            ((verb, told),) = line.items()
            source = None if verb == "delete" else next(lines)
            try:
                if not is_alias:
                    self._make_by_the_way(told["_index"])
                index = self._named(told["_index"], is_alias)
                item = index.write(verb, told, source)
            except levels.RefusedError as e:
                item = {
                    "_id": told["_id"],
                    "status": e.status,
                    "error": {"type": e.kind, "reason": e.reason},
                }
            items.append({verb: item})
        return {"errors": False, "items": items}

    def _make_by_the_way(self, name: str) -> None:
        """Make an index that takes anything, where none is written to."""
        if name not in self._indices and name not in self._aliases:
            mappings = {"dynamic": True, "properties": {}}
            window = {"index.max_result_window": 10_000}
            body = {"settings": window, "mappings": mappings}
            self._indices[name] = store.Index(body)


def _missing(name: str) -> levels.RefusedError:
    return levels.RefusedError("index_not_found_exception", name, 404)


class _Handler(http.server.BaseHTTPRequestHandler):
    server_of: OpenSearch
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status = 200
        try:
            found = self.server_of.answer(self.command, self.path, body)
        except levels.RefusedError as e:
            status = e.status
            error = {"type": e.kind, "reason": e.reason}
            found = {"error": error, "status": status}
        told = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(told)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _serve  # noqa: N815 - names of the library

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the library has it
        """Say nothing."""
