"""The hits of a query in their order, out of a set of ordinals.

A small set is read and ordered as the documents say. Of a large one the
values of the first field are walked in their order until there are enough
hits; what is equal by it is ordered by the next field the same way.
"""

import bisect
import collections.abc
import dataclasses
import functools
import itertools
import math
import operator
import typing

import orjson

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import bodies
from orch.search.index import cursors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.sqlite import bitmaps
from orch.search.index.sqlite import evaluate as evaluating
from orch.search.query import values

_SMALL = 500
_MIDDLE = 15_000
_ID = port.Sort("id")

_BY_MOMENT = (
    "SELECT d.newest, d.id, d.ordinal FROM json_each(?) AS j"
    " JOIN documents AS d ON d.ordinal = j.value ORDER BY d.newest DESC"
)
_BY_ID = (
    "SELECT NULL, d.id, d.ordinal FROM json_each(?) AS j"
    " JOIN documents AS d ON d.ordinal = j.value"
)

_Listed: typing.TypeAlias = tuple[tuple[bool, float], str, int]
_Row: typing.TypeAlias = tuple[str | float, int, int | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Ranked:
    """A document with what it is ordered by."""

    document: documents.Document
    score: float
    position: cursors.Position


class Order:
    """Puts what a query finds in order."""

    def __init__(
        self,
        evaluation: evaluating.Evaluation,
        query: port.Query,
        hits: int,
        *,
        small: int = _SMALL,
        middle: int = _MIDDLE,
    ) -> None:
        """Prepare the order of all hits.

        :param small: how many are read at once to be put in order
        :param middle: how many are listed at once by moments and ids
        :raises orch.errors.Invalid: the cursor is none of this query
        """
        self._evaluation = evaluation
        self._hits = hits
        self._small = small
        self._middle = middle
        self._sorts = ordering.sorts_of(query)
        self._after = cursors.decode_cursor(query)
        if self._after and len(self._after.keys) != len(self._sorts):
            self._after = None
        self._node = query.node
        self._ranking = tuple(ordering.ranking(query.node))
        self._has_score = any(
            sort.field == ordering.SCORE for sort in self._sorts
        )

    def first(self, count: int) -> list[Ranked]:
        """Return the first hits, behind the cursor if there is one."""
        after: tuple[cursors.Key, ...] | None = None
        if self._after:
            after = (*self._after.keys, tokenizer.fold_value(self._after.id))
        found = self._walk(self._hits, (*self._sorts, _ID), after, None)
        return list(itertools.islice(found, count))

    def _walk(
        self,
        hits: int,
        sorts: tuple[port.Sort, ...],
        after: tuple[cursors.Key, ...] | None,
        score: float | None,
    ) -> collections.abc.Iterator[Ranked]:
        """Return hits in the order of the fields, and of their ids.

        :param sorts: what is left of the order
        :param after: where to begin in it; ``None`` for its beginning
        :param score: of all the hits, where that is known
        """
        count = hits.bit_count()
        if count <= self._small or not sorts:
            yield from self._read(hits, score)
            return
        sort, *rest = sorts
        if count <= self._middle and (
            sort is _ID or sort.field == ordering.NEWEST
        ):
            yield from self._listed(hits, sort, after, score)
            return
        for key, found in self._groups(hits, sort, after):
            group = hits & found
            hits ^= group
            is_here = after is not None and after[0] == key
            below = after[1:] if after and is_here else None
            known = score
            if sort.field == ordering.SCORE:
                known = typing.cast(float, key)
            yield from self._walk(group, tuple(rest), below, known)
        if sort.field != ordering.SCORE:
            missing = hits & ~self._present(sort.field)
            is_here = after is not None and after[0] is None
            below = after[1:] if after and is_here else None
            yield from self._walk(missing, tuple(rest), below, score)

    def _listed(
        self,
        hits: int,
        sort: port.Sort,
        after: tuple[cursors.Key, ...] | None,
        score: float | None,
    ) -> collections.abc.Iterator[Ranked]:
        """Return hits by a list of all their ids, or moments and ids."""
        is_moment = sort.field == ordering.NEWEST
        # The first are read, and the others stay where SQLite sorted them.
        rows = self._evaluation.run(
            _BY_MOMENT if is_moment else _BY_ID,
            (orjson.dumps(bitmaps.numbers(hits)).decode("ascii"),),
        )
        found: collections.abc.Iterator[_Listed] = (
            (_moment_rank(newest), document_id, ordinal)
            for newest, document_id, ordinal in rows
        )
        begin, begin_id = (False, -math.inf), ""
        if after:
            moment = after[0] if is_moment else None
            assert not isinstance(moment, str)
            begin, begin_id = _moment_rank(moment), str(after[-1])
            found = itertools.dropwhile(lambda row: row[0] < begin, found)
        for rank, several in itertools.groupby(found, key=_rank_of):
            # Few are asked for: the ids of the others are not folded.
            folded = sorted(
                (tokenizer.fold_value(document_id), ordinal)
                for _, document_id, ordinal in several
            )
            if rank == begin:
                folded = folded[bisect.bisect_left(folded, (begin_id,)) :]
            for _, equal in itertools.groupby(folded, key=_rank_of):
                yield from self._read(
                    bitmaps.bits_of([ordinal for _, ordinal in equal]), score
                )

    def _read(self, hits: int, score: float | None) -> list[Ranked]:
        found = []
        for ordinal, document in self._evaluation.documents(hits):
            ranked = self._ranked(ordinal, document, score)
            if self._is_after(ranked):
                found.append(ranked)
        found.sort(
            key=functools.cmp_to_key(
                lambda one, other: ordering.compare_keys(
                    one.position, other.position, self._sorts
                )
            )
        )
        return found

    def _ranked(
        self, ordinal: int, document: documents.Document, score: float | None
    ) -> Ranked:
        is_admin = self._evaluation.is_admin
        if score is None and self._has_score:
            score = float(
                sum(
                    (plane >> ordinal & 1) << place
                    for place, plane in enumerate(self._planes)
                )
            )
        elif score is None:
            score = ordering.score_of(document, self._node, is_admin)
        keys = tuple(
            ordering.key_of(document, score, sort, is_admin)
            for sort in self._sorts
        )
        return Ranked(document, score, cursors.Position(keys, document.id))

    def _is_after(self, ranked: Ranked) -> bool:
        if self._after is None:
            return True
        return (
            ordering.compare_keys(ranked.position, self._after, self._sorts)
            > 0
        )

    @functools.cached_property
    def _planes(self) -> list[int]:
        """The score of each hit: the bits of the numbers, the low first."""
        planes: list[int] = []
        for node in self._ranking:
            for power, hits in self._evaluation.tiers(node, self._hits):
                place, found = power, hits
                while found:
                    planes.extend([0] * (place + 1 - len(planes)))
                    planes[place], found = (
                        planes[place] ^ found,
                        planes[place] & found,
                    )
                    place += 1
        return planes

    def _groups(
        self,
        hits: int,
        sort: port.Sort,
        after: tuple[cursors.Key, ...] | None,
    ) -> collections.abc.Iterator[tuple[cursors.Key, int]]:
        """Return hits that have a value of a field, in the order of values.

        A hit with several values is in several groups: the first one counts.
        Where a cursor leaves some out, the position of the document decides.
        """
        if sort.field == ordering.SCORE:
            for score, group in self._by_score(hits):
                if after is None or score <= typing.cast(float, after[0]):
                    yield score, group
            return
        if after and after[0] is None:
            return
        rows = self._rows(sort, after[0] if after else None)
        signs = hits.to_bytes(hits.bit_length() // 8 + 1, "little")
        for key, several in itertools.groupby(rows, key=lambda row: row[0]):
            group = 0
            ones = []
            for _, value, one in several:
                if one is None:
                    group |= self._evaluation.postings(value)
                elif _is_set(signs, one):
                    ones.append(one)
            group = (group & hits) | bitmaps.bits_of(ones)
            if group:
                yield key, group

    def _by_score(
        self, hits: int
    ) -> collections.abc.Iterator[tuple[float, int]]:
        """Return hits with their scores, the greatest first."""
        if len(self._ranking) != 1:
            yield from self._scored(hits, len(self._planes))
            return
        for power, found in self._evaluation.tiers(self._ranking[0], hits):
            hits &= ~found
            yield float(1 << power), found
        yield 0.0, hits

    def _scored(
        self, hits: int, planes: int
    ) -> collections.abc.Iterator[tuple[float, int]]:
        if not hits:
            return
        if not planes:
            yield 0.0, hits
            return
        high = hits & self._planes[planes - 1]
        for score, group in self._scored(high, planes - 1):
            yield score + (1 << (planes - 1)), group
        yield from self._scored(hits & ~high, planes - 1)

    def _present(self, field: str) -> int:
        """Return what has some value of a field, at least all such hits."""
        if field != ordering.NEWEST:
            return self._evaluation.present(field)
        return ~self._evaluation.ordinals(
            "SELECT ordinal FROM documents WHERE newest IS NULL"
        )

    def _rows(
        self, sort: port.Sort, start: cursors.Key
    ) -> collections.abc.Iterator[_Row]:
        if sort.field == ordering.NEWEST:
            yield from self._moments(start)
            return
        numbers = self._evaluation.field_ids(sort.field)
        is_text = values.is_native(sort.field) and (
            sort.field not in values.MOMENTS
        )
        texts = functools.partial(
            self._texts,
            numbers,
            sort.is_descending,
            "TRUE" if is_text else "number IS NULL",
        )
        amounts = functools.partial(self._amounts, numbers, sort.is_descending)
        if values.is_native(sort.field) and (sort.field not in values.MOMENTS):
            yield from texts(start)
            return
        parts = [(amounts, int | float), (texts, str)]
        if sort.is_descending:
            parts.reverse()
        for number, (part, kind) in enumerate(parts):
            if start is None or isinstance(start, kind):
                yield from part(start)
                start = None
            elif number:
                return

    def _moments(self, start: cursors.Key) -> collections.abc.Iterator[_Row]:
        """Return when documents were last changed, the newest first."""
        condition: str = "newest IS NOT NULL"
        given: tuple[float, ...] = ()
        if isinstance(start, int | float):
            condition, given = "newest <= ?", (start,)
        yield from self._evaluation.run(
            "SELECT newest, 0, ordinal FROM documents"  # noqa: S608 (ours)
            f" WHERE {condition} ORDER BY newest DESC",
            given,
        )

    def _texts(
        self,
        numbers: list[int],
        is_descending: bool,
        condition: str,
        start: cursors.Key,
    ) -> collections.abc.Iterator[_Row]:
        given: tuple[str, ...] = ()
        if isinstance(start, str):
            sign = "<=" if is_descending else ">="
            condition = f"{condition} AND folded {sign} ?"
            end = bodies.LONG * 2 if is_descending else ""
            given = (start + end,)
        rows = self._evaluation.run(
            "SELECT folded, id, one FROM vals"  # noqa: S608 (ours)
            f" WHERE field IN ({_marks(numbers)})"
            f" AND {condition}"
            f" ORDER BY folded {'DESC' if is_descending else 'ASC'}",
            (*numbers, *given),
        )
        for folded, value, one in rows:
            yield folded.partition(bodies.LONG)[0], value, one

    def _amounts(
        self,
        numbers: list[int],
        is_descending: bool,
        start: cursors.Key,
    ) -> collections.abc.Iterator[_Row]:
        condition: str = "TRUE"
        given: tuple[float, ...] = ()
        if isinstance(start, int | float):
            condition = "number <= ?" if is_descending else "number >= ?"
            given = (start,)
        yield from self._evaluation.run(
            "SELECT number, id, one FROM vals"  # noqa: S608 (ours)
            f" WHERE field IN ({_marks(numbers)})"
            f" AND number IS NOT NULL AND {condition}"
            f" ORDER BY number {'DESC' if is_descending else 'ASC'}",
            (*numbers, *given),
        )


def _moment_rank(moment: float | None) -> tuple[bool, float]:
    """Return what orders moments, the newest first."""
    return moment is None, -(moment or 0.0)


_rank_of = operator.itemgetter(0)


def _is_set(signs: bytes, one: int) -> bool:
    place = one >> 3
    return place < len(signs) and bool(signs[place] >> (one & 7) & 1)


def _marks(numbers: list[int]) -> str:
    return ", ".join("?" * len(numbers))
