"""What differs between two moments: what appeared, went and changed.

The hits of both moments pass in one order, by path and then by id, so no more
than a page of each is in memory.
"""

import base64
import collections.abc
import dataclasses
import json
import typing

from orch import clock
from orch import errors
from orch.rpc import contract
from orch.rpc.inprocess import payload
from orch.search import document
from orch.search.index import ordering
from orch.search.index import port

APPEARED: typing.Final = "appeared"
GONE: typing.Final = "gone"
CHANGED: typing.Final = "changed"
MAX_BYTES: typing.Final = 4_000_000
"""Of the differences of an answer, as JSON."""
MAX_READ: typing.Final = 2_000
"""Hits that are compared for an answer."""

_PAGE: typing.Final = 500
_SORT: typing.Final = port.Sort("path")
_MAPS: typing.Final = ("fields", "texts", "admin")


class _Side:
    """The hits of one moment, from a cursor on.

    :ivar cursor: of the last hit that was taken
    """

    def __init__(
        self, index: port.Index, query: port.Query, cursor: str | None
    ) -> None:
        self.cursor = cursor
        self._index = index
        self._query = query
        self._is_last = False
        self._hits: collections.abc.Iterator[port.Hit] = iter(())
        self.next = self._find_next()

    def take(self) -> document.Document:
        """Return the next document, and go on to the one after it."""
        assert self.next is not None
        taken = self.next
        self.cursor = taken.cursor
        self.next = self._find_next()
        return taken.document

    def _find_next(self) -> port.Hit | None:
        found = next(self._hits, None)
        if found is None and not self._is_last:
            hits = self._index.search(
                dataclasses.replace(
                    self._query, sort=(_SORT,), limit=_PAGE, after=self.cursor
                )
            ).hits
            self._is_last = len(hits) < _PAGE
            self._hits = iter(hits)
            found = next(self._hits, None)
        return found

    def position(self) -> ordering.Position | None:
        """Return where the next document is in the order."""
        if self.next is None:
            return None
        found = self.next.document
        key = ordering.key_of(found, 0.0, _SORT, self._query.scope.is_admin)
        return ordering.Position((key,), found.id)


def find_differences(
    index: port.Index,
    query: port.Query,
    as_of: clock.Timestamp,
    as_of_other: clock.Timestamp | None,
    cursor: str | None,
) -> tuple[list[contract.Difference], str | None]:
    """Return some of the differences, and where to go on.

    :param query: what is compared
    :param as_of_other: ``None`` for now
    :param cursor: of the answer before
    :returns: the cursor is ``None`` at the end; there may be no differences
        before it
    :raises orch.errors.Invalid: the cursor is none
    """
    before, after = _read_cursor(cursor)
    old = _Side(index, dataclasses.replace(query, as_of=as_of), before)
    new = _Side(index, dataclasses.replace(query, as_of=as_of_other), after)
    found: list[contract.Difference] = []
    size = count = 0
    while old.next is not None or new.next is not None:
        if size >= MAX_BYTES or count >= MAX_READ:
            return found, _write_cursor(old.cursor, new.cursor)
        order = _compare(old.position(), new.position())
        was = old.take() if order <= 0 else None
        is_ = new.take() if order >= 0 else None
        count += 1
        one = _difference(was, is_)
        if one is not None:
            size += len(payload.pack_message(one))
            found.append(one)
    return found, None


def _compare(
    one: ordering.Position | None, other: ordering.Position | None
) -> int:
    """Return below 0 where only the first side has it, above 0 likewise."""
    if one is None or other is None:
        return 1 if one is None else -1
    return ordering.compare_keys(one, other, (_SORT,))


def _difference(
    was: document.Document | None, is_: document.Document | None
) -> contract.Difference | None:
    if was == is_:
        return None
    change, fields = APPEARED if was is None else GONE, []
    if was is not None and is_ is not None:
        change, fields = CHANGED, _changed_fields(was.facts(), is_.facts())
    return {
        "change": change,
        "before": _facts(was),
        "after": _facts(is_),
        "fields": fields,
    }


def _facts(found: document.Document | None) -> contract.DocumentFacts | None:
    if found is None:
        return None
    facts = found.facts()
    facts["texts"] = {}
    return facts


def _changed_fields(
    was: contract.DocumentFacts, is_: contract.DocumentFacts
) -> list[str]:
    """Return the names of the fields that differ, as a query names them."""
    before: dict[str, object] = {**was}
    after: dict[str, object] = {**is_}
    for name in _MAPS:
        prefix = "texts." if name == "texts" else ""
        for facts in (before, after):
            inner = typing.cast(dict[str, object], facts.pop(name))
            facts.update({prefix + key: each for key, each in inner.items()})
    return sorted(
        name
        for name in {*before, *after}
        if before.get(name) != after.get(name)
    )


def _write_cursor(*cursors: str | None) -> str:
    return base64.urlsafe_b64encode(json.dumps(cursors).encode()).decode()


def _read_cursor(text: str | None) -> tuple[str | None, str | None]:
    if text is None:
        return None, None
    try:
        before, after = json.loads(base64.urlsafe_b64decode(text))
    except (TypeError, ValueError):
        before = after = 0
    for each in (before, after):
        if each is not None and not isinstance(each, str):
            raise errors.Invalid("cursor: it is none that an answer has given")
    return before, after
