"""Which documents of an index in SQLite fit a query: a set of ordinals."""

import collections
import collections.abc
import functools
import operator
import sqlite3
import typing

import cachetools
import orjson

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import bodies
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.sqlite import bitmaps
from orch.search.index.sqlite import entries
from orch.search.index.sqlite import postings
from orch.search.index.sqlite import schema
from orch.search.query import matching
from orch.search.query import nodes
from orch.search.query import values

_SHARED = frozenset({"rest", "admin"})
_MOST_CACHED = 24
_SMALLEST_CACHED = 2000

_Leaf: typing.TypeAlias = (
    nodes.Words | nodes.Term | nodes.Pattern | nodes.Range | nodes.Exists
)


class Cache:
    """Large sets of words that were asked for last, until something changes.

    One connection has one; it takes as many bits as the index has documents,
    at most 24 times.
    """

    def __init__(self) -> None:
        self._version = -1
        self._sets: cachetools.LRUCache[str, int] = cachetools.LRUCache(
            _MOST_CACHED
        )

    def begin(self, version: int) -> None:
        """Forget all where the database has changed."""
        if version != self._version:
            self._sets.clear()
            self._version = version

    def find(self, name: str) -> int | None:
        """Return a set that is still right."""
        return self._sets.get(name)

    def keep(self, name: str, bits: int) -> None:
        """Remember a set; forget the one that was not asked for longest."""
        self._sets[name] = bits


class Evaluation:
    """Answers about one state of the index, as one scope may see it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        scope: port.Scope,
        cache: Cache,
        check_time: collections.abc.Callable[[], None],
    ) -> None:
        """Begin with what the connection reads in its transaction.

        :param check_time: raises an error once the time of the search is over
        """
        self.run = connection.execute
        self.check_time = check_time
        self.is_admin = scope.is_admin
        self._scope = scope
        self._cache = cache
        (version,) = self.run("PRAGMA data_version").fetchone()
        cache.begin(version)

    def universe(
        self,
        kinds: frozenset[str] = frozenset(),
        as_of: float | None = None,
    ) -> int:
        """Return everything that may be found."""
        if as_of is None:
            found = self._value(postings.PRESENT, postings.CURRENT)
        else:
            found = self.ordinals(
                "SELECT ordinal FROM documents WHERE valid_from <= ?"
                " AND (valid_to IS NULL OR valid_to > ?)",
                (as_of, as_of),
            )
        if not self.is_admin:
            found &= ~self._value(postings.PRESENT, postings.HIDDEN)
        if self._scope.project_ids is not None:
            found &= self.any_of("project_id", self._scope.project_ids)
        if kinds:
            found &= self.any_of("kind", kinds)
        return found

    def of_type(self, name: str) -> int:
        """Return all documents of a type, to the letter."""
        return self.any_of("type", frozenset({name}))

    def any_of(self, field: str, wanted: frozenset[str]) -> int:
        """Return what has one of these values, to the letter."""
        found = 0
        for number in self.field_ids(field):
            for value in wanted:
                folded = bodies.folded_of(bodies.clean(value))[0]
                found |= self._union(
                    "field = ? AND folded = ? AND text = ?",
                    (number, folded, "" if folded == value else value),
                )
        return found

    def fits(self, node: nodes.Node, within: int) -> int:
        """Return what of a set fits a node."""
        match node:
            case nodes.All():
                return within
            case nodes.And(parts):
                for each in parts:
                    within = self.fits(each, within)
                return within
            case nodes.Or(parts):
                return functools.reduce(
                    operator.or_, (self.fits(each, within) for each in parts)
                )
            case nodes.Not(inner):
                return within & ~self.fits(inner, within)
            case nodes.Words():
                return self._words(node, within)
            case nodes.Term():
                return within & self._term(node, within)
            case nodes.Exists():
                return within & self.present(node.field)
            case nodes.Range():
                return within & self.between(node)
            case nodes.Pattern():
                return within & self._pattern(node, within)

    def tiers(
        self, node: nodes.Words | nodes.Term, hits: int
    ) -> collections.abc.Iterator[tuple[int, int]]:
        """Return where hits have words, the best field of each.

        :returns: how many powers of two a hit is worth, the most first, and
            the hits; each is worked out when it is asked for
        """
        if isinstance(node, nodes.Term):
            parts = tuple(tokenizer.split_words(node.value))
            node = nodes.Words(parts, False, node.field) if parts else node
        if isinstance(node, nodes.Term) or node.field:
            weight = ordering.WEIGHTS.get(node.field, 1)
            yield weight.bit_length() - 1, self.fits(node, hits)
            return
        phrase = _phrase(node)
        for power, columns in (
            (3, ("name",)),
            (2, ("path",)),
            (1, ("type", "tags")),
            (0, self._anywhere()),
        ):
            found = hits & self._match(phrase, columns)
            hits &= ~found
            yield power, found

    def _anywhere(self) -> tuple[str, ...]:
        return schema.COLUMNS if self.is_admin else schema.COLUMNS[:-1]

    def _words(self, node: nodes.Words, within: int) -> int:
        field = node.field
        if not field:
            return within & self._match(_phrase(node), self._anywhere())
        if field in values.MOMENTS:
            return 0
        column = entries.column_of(field) if values.is_native(field) else None
        if column is None or (
            column in _SHARED and not field.startswith(values.TEXT)
        ):
            return within & self._looked_up(
                node, within, "instr(folded, ?) > 0", (node.words[0],)
            )
        found = within & self._match(_phrase(node), (column,))
        if column not in _SHARED:
            return found
        return self.verified(node, found & self.present(field))

    def _match(self, phrase: str, columns: tuple[str, ...]) -> int:
        expression = phrase
        if columns != schema.COLUMNS:
            expression = f"{{{' '.join(columns)}}} : {phrase}"
        known = self._cache.find(expression)
        if known is None:
            known = self.ordinals(
                "SELECT rowid FROM words WHERE words MATCH ?", (expression,)
            )
            if known.bit_count() >= _SMALLEST_CACHED:
                self._cache.keep(expression, known)
        return known

    def _term(self, node: nodes.Term, within: int) -> int:
        if node.field in values.MOMENTS:
            return 0
        value = bodies.clean(node.value)
        if values.is_worded(node.field):
            parts = tuple(tokenizer.split_words(value))
            if parts:
                return self._words(
                    nodes.Words(parts, False, node.field), within
                )
            if node.field.startswith(values.TEXT):
                return self.verified(node, within & self.present(node.field))
        folded, _ = bodies.folded_of(value)
        if not folded:
            return 0
        found = 0
        for number in self.field_ids(node.field):
            found |= self._union("field = ? AND folded = ?", (number, folded))
        return found

    def between(self, node: nodes.Range) -> int:
        """Return what has a number in a range."""
        conditions = ["field = ?", "number IS NOT NULL"]
        bounds: list[float] = []
        if node.low is not None:
            conditions.append("number >= ?" if node.has_low else "number > ?")
            bounds.append(float(node.low))
        if node.high is not None:
            conditions.append("number <= ?" if node.has_high else "number < ?")
            bounds.append(float(node.high))
        found = 0
        for number in self.field_ids(node.field):
            found |= self._union(" AND ".join(conditions), (number, *bounds))
        return found

    def _pattern(self, node: nodes.Pattern, within: int) -> int:
        if node.field in values.MOMENTS:
            return 0
        pattern = tokenizer.fold_value(bodies.clean(node.pattern))
        if pattern and not pattern.strip("*"):
            return self.present(node.field)
        prefix = pattern.partition("*")[0].partition("?")[0]
        prefix = prefix[: ordering.MAX_KEY_LENGTH]
        condition, given = "folded GLOB ?", (pattern.replace("[", "[[]"),)
        if not prefix or node.field.startswith(values.TEXT):
            return self._looked_up(node, within, condition, given)
        return self._looked_up(
            node,
            within,
            condition,
            given,
            "folded >= ? AND folded < ?",
            (prefix, prefix + bodies.LONG * 2),
        )

    def _looked_up(
        self,
        node: nodes.Words | nodes.Pattern,
        within: int,
        condition: str,
        given: tuple[str, ...],
        bounds: str = "TRUE",
        bounded: tuple[str, ...] = (),
    ) -> int:
        """Return what has a value that fits, by looking at all values.

        :param condition: of what may fit; each that was cut may
        :param bounds: of all that may fit
        """
        found = unsure = 0
        ones: list[int] = []
        for number in self.field_ids(node.field):
            rows = self.run(
                "SELECT folded, text, id, one FROM vals"  # noqa: S608 (ours)
                f" WHERE field = ? AND {bounds}"
                f" AND (text = ? OR {condition})",
                (number, *bounded, bodies.LONG, *given),
            )
            for folded, text, value, one in rows:
                if text == bodies.LONG:
                    unsure |= self.having(value, one)
                elif isinstance(
                    node, nodes.Pattern
                ) or matching.is_value_match(node, "", folded):
                    if one is None:
                        found |= self.postings(value)
                    else:
                        ones.append(one)
        found |= bitmaps.bits_of(ones)
        return found | self.verified(node, unsure & within & ~found)

    def verified(self, node: _Leaf, unsure: int) -> int:
        """Return what fits, by looking at the documents themselves."""
        return bitmaps.bits_of(
            [
                ordinal
                for ordinal, document in self.documents(unsure)
                if matching.is_match(node, document, self.is_admin)
            ]
        )

    def documents(
        self, bits: int
    ) -> collections.abc.Iterator[tuple[int, documents.Document]]:
        """Return the documents of a set, with their ordinals."""
        for ordinal in bitmaps.numbers(bits):
            (body,) = self.run(
                "SELECT body FROM documents WHERE ordinal = ?", (ordinal,)
            ).fetchone()
            yield ordinal, bodies.unpack(body)

    def field_ids(self, name: str) -> list[int]:
        """Return the numbers of the fields that a name means here."""
        if values.is_native(name):
            condition, given = (
                "name = ? AND is_admin = 0",
                [bodies.clean(name)],
            )
        else:
            condition, given = "name = ?", [bodies.clean(name)]
            if "." not in name:
                condition = "(name = ? OR substr(name, -length(?)) = ?)"
                given += [f".{given[0]}"] * 2
            if not self.is_admin:
                condition += " AND is_admin = 0"
        rows = self.run(
            f"SELECT id, name FROM fields WHERE {condition} ORDER BY id",  # noqa: S608 (ours)
            given,
        ).fetchall()
        if values.is_native(name):
            return [number for number, _ in rows]
        return [
            number for number, found in rows if not values.is_native(found)
        ]

    def present(self, field: str) -> int:
        """Return what has some value of a field."""
        found = 0
        for number in self.field_ids(field):
            found |= self._value(postings.PRESENT, str(number))
        return found

    def forms(self, *within: int) -> list[dict[str, str]]:
        """Return the forms of all fields that something of each set has.

        There may be thousands: they are read together, not one by one.
        """
        pieces = [bitmaps.cut_chunks(each) for each in within]
        found: list[dict[str, str]] = [{} for _ in within]
        for name, form, one, chunk, bits in self.run(
            "SELECT f.name, f.form, v.one, p.chunk, p.bits FROM fields AS f"
            " JOIN vals AS v ON v.field = ? AND v.text = ''"
            " AND v.folded = CAST(f.id AS TEXT)"
            " LEFT JOIN postings AS p ON p.id = v.id AND v.one IS NULL"
            " WHERE f.name NOT LIKE char(0) || '%' AND f.is_admin <= ?"
            " ORDER BY f.name, f.is_admin",
            (postings.PRESENT, self.is_admin),
        ):
            if "\0" in name:
                continue
            wanted = [
                (known, chunks)
                for known, chunks in zip(found, pieces, strict=True)
                if known.get(name) != form
            ]
            if one is not None:
                chunk = one >> bitmaps.SHIFT
                held = 1 << (one & (bitmaps.CHUNK - 1))
            elif bits is None or not any(chunk in x for _, x in wanted):
                continue
            else:
                held = bitmaps.decode(bits)
            for known, chunks in wanted:
                if chunks.get(chunk, 0) & held:
                    known[name] = form
        return found

    def _value(self, field: int, folded: str) -> int:
        return self._union(
            "field = ? AND folded = ? AND text = ''", (field, folded)
        )

    def having(self, value: int, one: int | None) -> int:
        """Return what has a value, of which a row was read."""
        return self.postings(value) if one is None else 1 << one

    def postings(self, value: int) -> int:
        """Return what has a value that several have."""
        return bitmaps.join_chunks(
            {
                chunk: bitmaps.decode(bits)
                for chunk, bits in self.run(
                    "SELECT chunk, bits FROM postings WHERE id = ?", (value,)
                )
            }
        )

    def _union(self, condition: str, given: tuple[str | float, ...]) -> int:
        """Return what has one of several values."""
        found = self.ordinals(
            f"SELECT one FROM vals WHERE {condition}"  # noqa: S608 (ours)
            " AND one IS NOT NULL",
            given,
        )
        chunks: dict[int, int] = collections.defaultdict(int)
        rows = self.run(
            "SELECT p.chunk, p.bits FROM vals AS v JOIN postings AS p"  # noqa: S608 (ours)
            f" ON p.id = v.id WHERE {condition} AND v.one IS NULL",
            given,
        )
        for chunk, bits in rows:
            chunks[chunk] |= bitmaps.decode(bits)
        return found | bitmaps.join_chunks(chunks)

    def ordinals(
        self, statement: str, given: tuple[str | float, ...] = ()
    ) -> int:
        """Return the set of ordinals that a statement selects."""
        column = statement.split()[1]
        text = self.run(
            statement.replace(column, f"json_group_array({column})", 1), given
        ).fetchone()[0]
        return bitmaps.bits_of(orjson.loads(text))


def _phrase(node: nodes.Words) -> str:
    """Return words as FTS5 takes them."""
    text = bodies.clean(" ".join(node.words)).replace('"', '""')
    return f'"{text}" *' if node.is_prefix else f'"{text}"'
