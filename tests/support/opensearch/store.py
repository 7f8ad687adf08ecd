"""Indices with their rows, versions and what is visible of them."""

import dataclasses
import typing

from tests.support.opensearch import levels
from tests.support.opensearch import queries
from tests.support.opensearch import searching

_Map: typing.TypeAlias = dict[str, typing.Any]


@dataclasses.dataclass
class _Row:
    source: _Map | None
    level: levels.Level | None
    seq_no: int
    version: int


class Index:
    """One index; rows are found once it was refreshed, not before."""

    def __init__(self, body: _Map) -> None:
        self.body = body
        self._seq_no = -1
        self._rows: dict[str, _Row] = {}
        self._visible: dict[str, tuple[_Map, levels.Level]] = {}
        self._known: dict[str, searching.Ranked] = {}

    @property
    def _mappings(self) -> _Map:
        return typing.cast(_Map, self.body["mappings"])

    def refresh(self) -> None:
        """Show all that was written."""
        self._known.clear()
        self._visible = {
            name: (self._stored_part(row.source), row.level)
            for name, row in self._rows.items()
            if row.source is not None and row.level is not None
        }

    def _stored_part(self, source: _Map) -> _Map:
        names = self._mappings.get("_source", {}).get("includes")
        return searching.part(source, names)

    def search(self, body: _Map) -> _Map:
        """Return the answer to a search."""
        window = self.body["settings"]["index.max_result_window"]
        return searching.search(body, self._visible, window, self._known)

    def get(self, name: str) -> _Map:
        """Return a row as it is now, refreshed or not."""
        row = self._rows.get(name)
        if row is None or row.source is None:
            return {"_id": name, "found": False}
        return {
            "_id": name,
            "found": True,
            "_version": row.version,
            "_seq_no": row.seq_no,
            "_primary_term": 1,
            "_source": self._stored_part(row.source),
        }

    def write(self, verb: str, told: _Map, source: _Map | None) -> _Map:
        """Do one act of a bulk request; return what became of it."""
        name = told["_id"]
        old = self._rows.get(name)
        is_there = old is not None and old.source is not None
        if self._is_conflict(verb, told, old):
            raise levels.RefusedError(
                "version_conflict_engine_exception", name, 409
            )
        is_gone = verb == "delete" and not is_there
        if is_gone and "version" not in told:
            return {"_id": name, "status": 404, "result": "not_found"}
        level = None
        if source is not None:
            level = levels.level_of(source, self._mappings)
        self._seq_no += 1
        version = told.get("version", old.version + 1 if old else 1)
        self._rows[name] = _Row(source, level, self._seq_no, version)
        return {
            "_id": name,
            "status": 404 if is_gone else 200 if is_there else 201,
            "_version": version,
            "_seq_no": self._seq_no,
            "_primary_term": 1,
        }

    @staticmethod
    def _is_conflict(verb: str, told: _Map, old: _Row | None) -> bool:
        is_there = old is not None and old.source is not None
        if "if_seq_no" in told:
            return (
                not is_there
                or old is None
                or (old.seq_no != told["if_seq_no"])
            )
        if told.get("version_type") == "external_gte":
            return old is not None and old.version > told["version"]
        return verb == "create" and is_there

    def delete_where(self, query: _Map) -> int:
        """Delete what is visible and fits."""
        asked = queries.read(query)
        names = [
            name
            for name, (_, level) in self._visible.items()
            if asked(level) is not None
        ]
        for name in names:
            self.write("delete", {"_id": name}, None)
        return len(names)

    def stored_bytes(self) -> int:
        """Return some size that grows with what is in it."""
        return sum(len(repr(row.source)) for row in self._rows.values())
