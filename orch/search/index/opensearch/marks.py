"""Marks and saved texts in OpenSearch."""

import collections.abc
import json
import typing

from orch import clock
from orch import errors
from orch.search.index import port
from orch.search.index.opensearch import client as wire

_ATTEMPTS: typing.Final = 50
_MAX_MARKS: typing.Final = 10_000
_MARKS: typing.Final = {"term": {"sort": "mark"}}


class Notes:
    """Marks and saved texts in one index.

    A row is written on the condition that it was not written since it was
    read; otherwise it is read again.
    """

    def __init__(
        self,
        client: wire.Wire,
        name: str,
        moments: clock.Clock | None = None,
    ) -> None:
        self.name = name
        self._wire = client
        self._clock = moments or clock.SystemClock()

    def mark(self, marks: collections.abc.Sequence[port.Mark]) -> None:
        """Store marks, that with the greatest version of each stack."""
        wanted: dict[str, port.Mark] = {}
        for each in marks:
            known = wanted.get(each.stack_id, each)
            wanted[each.stack_id] = port.newer_mark(known, each)
        now = self._clock.now()
        places = {name: place for place, name in enumerate(wanted)}

        def act(
            mark: port.Mark, stored: wire.StoredRow | None
        ) -> wire.Act | None:
            if stored is None:
                place = places[mark.stack_id]
                row = {"sort": "mark", "at": now, "place": place}
                return self._act("create", mark, row, {})
            both = port.newer_mark(_mark(stored.row), mark)
            return self._act("index", both, stored.row, stored.condition)

        self._do(list(wanted.values()), act)

    def _act(
        self,
        verb: str,
        mark: port.Mark,
        row: wire.Row,
        condition: dict[str, int],
    ) -> wire.Act:
        told = {
            **row,
            "stack_id": mark.stack_id,
            "version": mark.version,
            "nonce": mark.nonce,
            "text": None if mark.thin is None else json.dumps(mark.thin),
        }
        return wire.Act(verb, self.name, _id(mark), told, condition)

    def unmark(self, marks: collections.abc.Sequence[port.Mark]) -> None:
        """Remove marks, unless a newer one of the stack exists."""

        def act(
            mark: port.Mark, stored: wire.StoredRow | None
        ) -> wire.Act | None:
            if stored is None or stored.row["nonce"] != mark.nonce:
                return None
            return wire.Act(
                "delete", self.name, _id(mark), options=stored.condition
            )

        self._do(list(marks), act)

    def _do(
        self,
        marks: list[port.Mark],
        act: collections.abc.Callable[
            [port.Mark, wire.StoredRow | None], wire.Act | None
        ],
    ) -> None:
        """Write what has to be, until no other write came between."""
        for _ in range(_ATTEMPTS):
            there = self._wire.many(self.name, (_id(each) for each in marks))
            wanted = [
                (each, found)
                for each in marks
                if (found := act(each, there.get(_id(each))))
            ]
            answers = self._wire.bulk([found for _, found in wanted])
            marks = [
                each
                for (each, _), answer in zip(wanted, answers, strict=True)
                if answer["status"] == wire.CONFLICT
            ]
            if not marks:
                return
        raise errors.Unavailable(
            "Others write the same marks to the search index all the time."
            " Try again later."
        )

    def marked(self, limit: int) -> list[port.Mark]:
        """Return the oldest marks, the oldest first."""
        self._wire.refresh(self.name)
        order = [{each: {"order": "asc"}} for each in ("at", "place")]
        found = self._wire.search(
            self.name,
            {
                "query": _MARKS,
                "size": min(limit, _MAX_MARKS),
                "sort": [*order, {"stack_id": {"order": "asc"}}],
            },
        )
        return [_mark(each["_source"]) for each in found["hits"]["hits"]]

    def count_marks(self) -> int:
        """Count the marked stacks."""
        self._wire.refresh(self.name)
        return self._wire.count(self.name, _MARKS)

    def load(self, name: str) -> str | None:
        """Return the text that was last saved under a name."""
        found = self._wire.many(self.name, [f"text/{name}"])
        return next((str(each.row["text"]) for each in found.values()), None)

    def save(self, name: str, value: str | None) -> None:
        """Save a short text under a name, or remove it."""
        row = None if value is None else {"sort": "text", "text": value}
        verb = "delete" if row is None else "index"
        self._wire.bulk([wire.Act(verb, self.name, f"text/{name}", row)])


def _id(mark: port.Mark) -> str:
    return f"mark/{mark.stack_id}"


def _mark(row: wire.Row) -> port.Mark:
    text = row["text"]
    thin = None if text is None else json.loads(text)
    return port.Mark(row["stack_id"], row["version"], thin, row["nonce"])
