"""Writes which documents have which values.

What documents have is gathered by value first: most values are those of many
documents, and are looked up once for all of them.
"""

import collections
import collections.abc
import operator
import sqlite3
import typing

import orjson

from orch.search import document as documents
from orch.search.index.sqlite import bitmaps
from orch.search.index.sqlite import entries
from orch.search.query import values

PRESENT: typing.Final = 0
"""The field of ``vals`` that tells which documents have a field at all."""

CURRENT: typing.Final = "current"
HIDDEN: typing.Final = "hidden"

_Key: typing.TypeAlias = tuple[int, str, str]
"""A field, a folded value, and the value as it is shown."""
_Ordinals: typing.TypeAlias = dict[_Key, list[int]]
_Having: typing.TypeAlias = list[tuple[list[entries.Value], list[int]]]
"""Values of documents in one field, and the ordinals of these."""
_Raw = typing.TypeVar("_Raw")

_NATIVE: typing.Final = tuple(sorted(values.NATIVE - {"tags"}))
_native_of = operator.attrgetter(*_NATIVE)
_MOMENTS: typing.Final = tuple(sorted(values.MOMENTS))


class _Known(typing.NamedTuple):
    """A row of ``vals``.

    :ivar one: the only document that has the value; ``None`` where several
        have it
    """

    id: int
    one: int | None


class _Gathered:
    """Documents by what they have, before any of it is looked up."""

    def __init__(self) -> None:
        self.marks: dict[str, list[int]] = collections.defaultdict(list)
        self._natives: tuple[dict[str, list[int]], ...] = tuple(
            collections.defaultdict(list) for _ in _NATIVE
        )
        self._moments: tuple[dict[float, list[int]], ...] = tuple(
            collections.defaultdict(list) for _ in _MOMENTS
        )
        self._texts: dict[str, dict[str, list[int]]] = collections.defaultdict(
            lambda: collections.defaultdict(list)
        )
        # Of equal values of different types, as 0 and False, types are known.
        self._fields: dict[
            tuple[str, bool],
            dict[tuple[entries.Scalars, tuple[type, ...]], list[int]],
        ] = collections.defaultdict(lambda: collections.defaultdict(list))

    def add(self, ordinal: int, document: documents.Document) -> None:
        """Add a document; each ordinal once."""
        for found, text in zip(
            self._natives, _native_of(document), strict=True
        ):
            if text:
                found[text].append(ordinal)
        for moments, name in zip(self._moments, _MOMENTS, strict=True):
            moment = getattr(document, name)
            if moment is not None:
                moments[moment].append(ordinal)
        if document.tags:
            self._add("tags", False, document.tags, ordinal)
        for field, several in document.fields.items():
            if not values.is_native(field):
                self._add(field, False, several, ordinal)
        for field, several in document.admin.items():
            if not values.is_native(field):
                self._add(field, True, several, ordinal)
        for name, text in document.texts.items():
            self._texts[values.TEXT + name][text].append(ordinal)
        if document.is_hidden:
            self.marks[HIDDEN].append(ordinal)

    def _add(
        self,
        field: str,
        is_admin: bool,
        several: entries.Scalars,
        ordinal: int,
    ) -> None:
        key = several, tuple(map(type, several))
        self._fields[field, is_admin][key].append(ordinal)

    def fields(
        self,
    ) -> collections.abc.Iterator[tuple[str, bool, _Having]]:
        """Yield fields, and whether they are for administrators.

        With each come the values that documents have in it, and the ordinals
        of these. A document is in one of the lists of a field at most.
        """
        for field, natives in zip(_NATIVE, self._natives, strict=True):
            yield field, False, _made(entries.make_value, natives)
        for field, moments in zip(_MOMENTS, self._moments, strict=True):
            yield field, False, _made(entries.moment_value, moments)
        for field, texts in self._texts.items():
            yield field, False, _made(entries.text_value, texts)
        for (field, is_admin), lists in self._fields.items():
            yield (
                field,
                is_admin,
                [
                    (entries.distinct_values(several), ordinals)
                    for (several, _), ordinals in lists.items()
                ],
            )
            again = [
                (entries.repeated_values(several), ordinals)
                for (several, _), ordinals in lists.items()
                if len(several) > 1 and field != "tags"
            ]
            if again:
                yield entries.repeated(field), is_admin, again


def _made(
    make: collections.abc.Callable[[_Raw], entries.Value | None],
    found: collections.abc.Mapping[_Raw, list[int]],
) -> _Having:
    return [
        ([value], ordinals)
        for raw, ordinals in found.items()
        if (value := make(raw))
    ]


class Postings:
    """Changes of one transaction, by value."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute
        self._run_many = connection.executemany
        self._added = _Gathered()
        self._taken = _Gathered()
        self._field_ids: dict[tuple[str, bool], tuple[int, str]] = {}
        self._numbers: dict[_Key, float] = {}

    def add(self, ordinal: int, document: documents.Document) -> None:
        """Let a document be found by its values."""
        self._added.add(ordinal, document)

    def take(self, ordinal: int, document: documents.Document) -> None:
        """Let a document not be found by its values any more."""
        self._taken.add(ordinal, document)

    def mark_current(self, ordinal: int) -> None:
        """Put a document among those that are current."""
        self._added.marks[CURRENT].append(ordinal)

    def unmark_current(self, ordinals: collections.abc.Iterable[int]) -> None:
        """Take documents out of those that are current."""
        self._taken.marks[CURRENT] += ordinals

    def write(self) -> None:
        """Write all changes, what was taken first."""
        self._write_taken(self._by_key(self._taken))
        self._write_added(self._by_key(self._added))

    def _by_key(self, gathered: _Gathered) -> _Ordinals:
        found: _Ordinals = collections.defaultdict(list)
        for field, is_admin, having in gathered.fields():
            field_id, known_form = 0, ""
            present: list[int] = []
            for several, ordinals in having:
                for folded, text, number, form in several:
                    if form != known_form:
                        field_id = self._field_id(field, is_admin, form)
                        known_form = form
                    key = field_id, folded, text
                    found[key] += ordinals
                    if number is not None:
                        self._numbers[key] = number
                if several:
                    present += ordinals
            if present:
                found[PRESENT, str(field_id), ""] = present
        for name, ordinals in gathered.marks.items():
            found[PRESENT, name, ""] += ordinals
        return found

    def _field_id(self, name: str, is_admin: bool, form: str) -> int:
        known = self._field_ids.get((name, is_admin))
        if known is None:
            known = self._run(
                "SELECT id, form FROM fields WHERE name = ? AND is_admin = ?",
                (name, is_admin),
            ).fetchone()
            if known is None:
                (number,) = self._run(
                    "INSERT INTO fields (name, is_admin, form)"
                    " VALUES (?, ?, ?) RETURNING id",
                    (name, is_admin, form),
                ).fetchone()
                known = (number, form)
            self._field_ids[name, is_admin] = known
        if known[1] == "number" and form == "text":
            self._run(
                "UPDATE fields SET form = ? WHERE id = ?", (form, known[0])
            )
            self._field_ids[name, is_admin] = (known[0], form)
        return known[0]

    def _write_added(self, added: _Ordinals) -> None:
        known = self._find(added)
        fresh = sorted(added.keys() - known.keys())
        first = self._take_numbers(len(fresh))
        rows: list[tuple[object, ...]] = []
        postings: list[tuple[int, list[int]]] = []
        for number, key in enumerate(fresh, first):
            ordinals = added[key]
            one = ordinals[0] if len(ordinals) == 1 else None
            rows.append((*key, number, one, self._numbers.get(key)))
            if one is None:
                postings.append((number, ordinals))
        shared: list[_Key] = []
        changed: list[tuple[int, list[int]]] = []
        for key, (value, one) in known.items():
            if one is None:
                changed.append((value, added[key]))
            else:
                shared.append(key)
                postings.append((value, [one, *added[key]]))
        self._run_many("INSERT INTO vals VALUES (?, ?, ?, ?, ?, ?)", rows)
        self._run_many(
            "UPDATE vals SET one = NULL"
            " WHERE field = ? AND folded = ? AND text = ?",
            shared,
        )
        self._run_many(
            "INSERT INTO postings VALUES (?, ?, ?)",
            (
                (value, chunk, bitmaps.encode_numbers(numbers))
                for value, ordinals in postings
                for chunk, numbers in _cut(ordinals)
            ),
        )
        self._change(changed, bitmaps.with_numbers)

    def _write_taken(self, taken: _Ordinals) -> None:
        gone: list[_Key] = []
        changed: dict[int, _Key] = {}
        for key, (value, one) in self._find(taken).items():
            if one is None:
                changed[value] = key
            elif one in taken[key]:
                gone.append(key)
        emptied = self._change(
            [(value, taken[key]) for value, key in changed.items()],
            bitmaps.without_numbers,
        )
        left = {
            value
            for (value,) in self._run(
                "SELECT DISTINCT p.id FROM json_each(?) AS j"
                " CROSS JOIN postings AS p ON p.id = j.value",
                (_json(emptied),),
            )
        }
        gone += [changed[value] for value in emptied if value not in left]
        self._run_many(
            "DELETE FROM vals WHERE field = ? AND folded = ? AND text = ?",
            gone,
        )

    def _find(
        self, keys: collections.abc.Iterable[_Key]
    ) -> dict[_Key, _Known]:
        """Return those of the values that are there."""
        found: dict[_Key, _Known] = {}
        by_field: dict[int, list[tuple[str, str]]] = collections.defaultdict(
            list
        )
        for key in keys:
            field, folded, text = key
            if "\0" in folded or "\0" in text:
                # What SQLite makes of JSON ends there.
                one = self._run(
                    "SELECT id, one FROM vals"
                    " WHERE field = ? AND folded = ? AND text = ?",
                    key,
                ).fetchone()
                if one:
                    found[key] = _Known(*one)
            else:
                by_field[field].append((folded, text))
        for field, several in by_field.items():
            for folded, text, value, one in self._run(
                "SELECT v.folded, v.text, v.id, v.one FROM json_each(?) AS j"
                " CROSS JOIN vals AS v ON v.field = ?"
                " AND v.folded = json_extract(j.value, '$[0]')"
                " AND v.text = json_extract(j.value, '$[1]')",
                (_json(several), field),
            ):
                found[field, folded, text] = _Known(value, one)
        return found

    def _take_numbers(self, count: int) -> int:
        """Return the first of so many numbers that were not used yet."""
        (first,) = self._run(
            "INSERT INTO meta VALUES ('value', ?) ON CONFLICT (name) DO UPDATE"
            " SET value = CAST(value AS INTEGER) + excluded.value"
            " RETURNING CAST(value AS INTEGER)",
            (str(count),),
        ).fetchone()
        return int(first) - count

    def _change(
        self,
        changes: collections.abc.Iterable[tuple[int, list[int]]],
        change: collections.abc.Callable[[bytes, list[int]], bytes],
    ) -> list[int]:
        """Change the documents that several have.

        :param changes: ids of values, each once, and ordinals
        :param change: of a stored chunk, and of the numbers in it
        :returns: values of which a chunk has become empty
        """
        by_chunk: dict[int, dict[int, list[int]]] = collections.defaultdict(
            dict
        )
        for value, ordinals in changes:
            for chunk, numbers in _cut(ordinals):
                by_chunk[chunk][value] = numbers
        emptied: list[int] = []
        for chunk, several in by_chunk.items():
            stored = dict(
                self._run(
                    "SELECT p.id, p.bits FROM json_each(?) AS j"
                    " CROSS JOIN postings AS p"
                    " ON p.id = j.value AND p.chunk = ?",
                    (_json(list(several)), chunk),
                ).fetchall()
            )
            written = [
                (value, chunk, change(stored.get(value, b""), numbers))
                for value, numbers in several.items()
            ]
            self._run_many(
                "INSERT OR REPLACE INTO postings VALUES (?, ?, ?)",
                (row for row in written if row[2]),
            )
            empty = [value for value, _, bits in written if not bits]
            self._run_many(
                "DELETE FROM postings WHERE id = ? AND chunk = ?",
                ((value, chunk) for value in empty),
            )
            emptied += empty
        return emptied


def _cut(
    ordinals: list[int],
) -> collections.abc.Iterable[tuple[int, list[int]]]:
    """Return ordinals as their chunks have them, each with its chunk."""
    if len(ordinals) == 1:
        (ordinal,) = ordinals
        return ((ordinal >> bitmaps.SHIFT, [ordinal % bitmaps.CHUNK]),)
    found: dict[int, list[int]] = collections.defaultdict(list)
    for ordinal in ordinals:
        found[ordinal >> bitmaps.SHIFT].append(ordinal % bitmaps.CHUNK)
    return found.items()


def _json(found: list[tuple[str, str]] | list[int]) -> str:
    return orjson.dumps(found).decode("utf-8")
