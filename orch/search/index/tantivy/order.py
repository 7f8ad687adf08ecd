"""The hits of a query in their order.

Tantivy orders by one column of numbers. So the first hits by the first
column are read and put in order as the documents say; those that are equal
by it to the last one may be many, and are ordered by the next column the
same way. A text has several columns of numbers, which say how it begins.
"""

import collections.abc
import dataclasses
import functools
import typing

import tantivy

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import bodies
from orch.search.index import cursors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.tantivy import conditions
from orch.search.index.tantivy import counting
from orch.search.index.tantivy import layout

_SMALL: typing.Final = 50
_READ_AT_ONCE: typing.Final = 1000
_COLUMNS: typing.Final = {
    ordering.NEWEST: "newest",
    "created_at": "created_at",
    "updated_at": "updated_at",
}
_ID: typing.Final = port.Sort("id")

_Key: typing.TypeAlias = cursors.Key
_After: typing.TypeAlias = tuple[_Key, ...] | None


@dataclasses.dataclass(frozen=True, slots=True)
class Ranked:
    """A document with what it is ordered by."""

    number: int
    document: documents.Document
    position: cursors.Position


@dataclasses.dataclass(frozen=True, slots=True)
class _Stage:
    """One step of an order.

    :ivar column: of numbers; empty for the score and for the values of a
        field
    :ivar is_last_head: what is equal by it may differ (``layout.heads_of``)
    """

    sort: port.Sort
    column: str = ""
    is_last_head: bool = False


class Order:
    """Puts what a query finds in order."""

    def __init__(
        self,
        found: conditions.Conditions,
        query: port.Query,
        hits: conditions.Query,
        total: int,
        *,
        small: int = _SMALL,
    ) -> None:
        """Prepare the order of all hits.

        :param total: how many hits there are
        :param small: how many are read at once to be put in order
        :raises orch.errors.Invalid: the cursor is none of this query
        """
        self._conditions = found
        self._hits = hits
        self._total = total
        self._small = small
        self._sorts = ordering.sorts_of(query)
        self._ranking = tuple(ordering.ranking(query.node))
        self._has_score = any(
            sort.field == ordering.SCORE for sort in self._sorts
        )
        self._after = cursors.decode_cursor(query)
        self._stages: list[_Stage] = []
        starts: list[_Key] = []
        keys: tuple[_Key, ...] = ()
        if self._after:
            keys = (*self._after.keys, tokenizer.fold_case(self._after.id))
        for place, sort in enumerate((*self._sorts, _ID)):
            stages = _stages_of(sort)
            self._stages += stages
            if keys:
                starts += _starts_of(sort, keys[place], len(stages))
        self._starts: _After = tuple(starts) if keys else None

    def first(self, count: int) -> list[Ranked]:
        """Return the first hits, behind the cursor if there is one."""
        found = self._walk(
            self._hits, tuple(self._stages), self._starts, count, None
        )
        return found[:count]

    def scores(self, found: list[Ranked]) -> list[float]:
        """Return how well documents match, in their order."""
        known = self._scores([each.number for each in found])
        return [known[each.number] for each in found]

    def _walk(
        self,
        hits: conditions.Query,
        stages: tuple[_Stage, ...],
        after: _After,
        need: int,
        score: float | None,
    ) -> list[Ranked]:
        """Return hits in their order: all, or as many as are needed.

        :param stages: what is left of the order
        :param after: where to begin in it; ``None`` for its beginning
        :param score: of all the hits, where that is known
        """
        if need <= 0:
            return []
        count = self._total if hits is self._hits else self._count(hits)
        if count <= self._small or not stages:
            return self._read(self._conditions.numbers_of(hits), score)
        if stages[0].column:
            return self._by_column(hits, stages, after, need, score)
        if stages[0].sort.field == ordering.SCORE:
            return self._by_score(hits, stages, after, need)
        return self._by_value(hits, stages, after, need, score)

    def _by_column(
        self,
        hits: conditions.Query,
        stages: tuple[_Stage, ...],
        after: _After,
        need: int,
        score: float | None,
    ) -> list[Ranked]:
        stage, rest = stages[0], stages[1:]
        column, is_descending = stage.column, stage.sort.is_descending
        present = tantivy.Query.exists_query(column)
        found: list[Ranked] = []
        start = after[0] if after else None
        if after is None or start is not None:
            bounded = conditions.all_of(
                [
                    hits,
                    present
                    if start is None
                    else self._side(column, start, is_descending, True),
                ]
            )
            while len(found) < need:
                limit = need - len(found) + 1
                result = self._conditions.searcher.search(
                    bounded,
                    limit,
                    order_by_field=column,
                    order=tantivy.Order.Desc
                    if is_descending
                    else tantivy.Order.Asc,
                )
                if not result.hits:
                    break
                last = result.hits[-1][0]
                is_all = len(result.hits) < limit
                found += self._read(
                    self._conditions.numbers_at(
                        [
                            address
                            for key, address in result.hits
                            if is_all or key != last
                        ]
                    ),
                    score,
                )
                if is_all:
                    break
                below = after[1:] if after and last == start else None
                group = conditions.all_of([hits, self._equal(column, last)])
                found += self._walk(
                    group,
                    () if stage.is_last_head and last & 1 else rest,
                    below,
                    need - len(found),
                    score,
                )
                bounded = conditions.all_of(
                    [hits, self._side(column, last, is_descending, False)]
                )
        below = after[1:] if after and start is None else None
        missing = conditions.without(hits, present)
        found += self._walk(missing, rest, below, need - len(found), score)
        return found

    def _by_score(
        self,
        hits: conditions.Query,
        stages: tuple[_Stage, ...],
        after: _After,
        need: int,
    ) -> list[Ranked]:
        found: list[Ranked] = []
        for score, group in self._scored_groups(hits):
            if len(found) >= need:
                break
            below = None
            if after:
                start = typing.cast(float, after[0])
                if score > start:
                    continue
                below = after[1:] if score == start else None
            found += self._walk(
                group, stages[1:], below, need - len(found), score
            )
        return found

    def _scored_groups(
        self, hits: conditions.Query
    ) -> collections.abc.Iterator[tuple[float, conditions.Query]]:
        """Return hits with one score each, the best first."""
        if len(self._ranking) <= 1:
            tiers = self._tiers[0] if self._ranking else []
            for weight, query in tiers:
                yield float(weight), conditions.all_of([hits, query])
            some = conditions.any_of([query for _, query in tiers])
            yield 0.0, conditions.without(hits, some)
            return
        count = self._count(hits)
        groups: dict[float, list[tantivy.DocAddress]] = {}
        searcher = self._conditions.searcher
        for score, address in searcher.search(
            self._weighed(hits), max(count, 1)
        ).hits:
            groups.setdefault(score, []).append(address)
        for score in sorted(groups, reverse=True):
            numbers = self._conditions.numbers_at(groups[score])
            yield score, self._conditions.having_numbers(numbers)

    def _by_value(
        self,
        hits: conditions.Query,
        stages: tuple[_Stage, ...],
        after: _After,
        need: int,
        score: float | None,
    ) -> list[Ranked]:
        """Order by the values that hits have in a field.

        A hit with several is behind the first one that it has.
        """
        sort, rest = stages[0].sort, stages[1:]
        start = after[0] if after else None
        found: list[Ranked] = []
        seen: list[str] = []
        pending: list[str] = []
        pending_count = 0
        groups = self._groups(hits, sort)
        if after and start is None:
            groups = []
        for key, terms, count in groups:
            if len(found) >= need:
                return found
            if start is not None and _is_before(key, start, sort):
                continue
            if count <= self._small:
                pending += terms
                pending_count += count
                if pending_count >= min(_READ_AT_ONCE, need - len(found)):
                    found += self._flush(hits, seen, pending, score)
                    pending, pending_count = [], 0
                continue
            found += self._flush(hits, seen, pending, score)
            pending, pending_count = [], 0
            group = self._unseen(hits, seen, terms)
            seen += terms
            below = after[1:] if after and key == start else None
            found += self._walk(group, rest, below, need - len(found), score)
        found += self._flush(hits, seen, pending, score)
        below = after[1:] if after and start is None else None
        missing = conditions.without(hits, self._conditions.exists(sort.field))
        found += self._walk(missing, rest, below, need - len(found), score)
        return found

    def _flush(
        self,
        hits: conditions.Query,
        seen: list[str],
        terms: list[str],
        score: float | None,
    ) -> list[Ranked]:
        if not terms:
            return []
        group = self._unseen(hits, seen, terms)
        seen += terms
        return self._read(self._conditions.numbers_of(group), score)

    def _unseen(
        self, hits: conditions.Query, seen: list[str], terms: list[str]
    ) -> conditions.Query:
        group = conditions.all_of([hits, self._conditions.having_terms(terms)])
        if not seen:
            return group
        return conditions.without(
            group, self._conditions.having_terms(list(seen))
        )

    def _groups(
        self, hits: conditions.Query, sort: port.Sort
    ) -> list[tuple[str | float, list[str], int]]:
        """Return the values of hits: order keys, terms, and counts at most."""
        groups: dict[str | float, tuple[list[str], int]] = {}
        for key in self._conditions.keys_of(sort.field):
            field = layout.field_of(key)
            for text, folded, count in counting.list_values(
                self._conditions, hits, key
            ):
                form: str | float
                if text is None:
                    form = folded.partition(bodies.LONG)[0]
                else:
                    form = ordering.form_of(field, text)
                terms, known = groups.get(form, ([], 0))
                terms.append(f"{key}={folded}")
                groups[form] = (terms, known + count)
        return [
            (form, terms, count)
            for form, (terms, count) in sorted(
                groups.items(),
                key=lambda each: _rank_of(each[0]),
                reverse=sort.is_descending,
            )
        ]

    def _read(self, numbers: list[int], score: float | None) -> list[Ranked]:
        """Return documents in order, those behind the cursor."""
        scores: dict[int, float] = {}
        if self._has_score and score is None:
            scores = self._scores(numbers)
        is_admin = self._conditions.is_admin
        found = []
        for number, document in self._conditions.read(numbers).items():
            known = scores.get(number, 0.0) if score is None else score
            keys = tuple(
                ordering.key_of(document, known, sort, is_admin)
                for sort in self._sorts
            )
            position = cursors.Position(keys, document.id)
            if (
                self._after is None
                or ordering.compare_keys(position, self._after, self._sorts)
                > 0
            ):
                found.append(Ranked(number, document, position))
        found.sort(
            key=functools.cmp_to_key(
                lambda one, other: ordering.compare_keys(
                    one.position, other.position, self._sorts
                )
            )
        )
        return found

    def _scores(self, numbers: list[int]) -> dict[int, float]:
        found = dict.fromkeys(numbers, 0.0)
        if self._ranking and numbers:
            hits = self._conditions.searcher.search(
                self._weighed(self._conditions.having_numbers(numbers)),
                len(numbers),
            ).hits
            for number, (score, _) in zip(
                self._conditions.numbers_at([each for _, each in hits]),
                hits,
                strict=True,
            ):
                found[number] = score
        return found

    def _weighed(self, hits: conditions.Query) -> conditions.Query:
        """Return hits whose scores in Tantivy are ours."""
        return tantivy.Query.boolean_query(
            [
                (
                    tantivy.Occur.Must,
                    tantivy.Query.const_score_query(hits, 0.0),
                ),
                *(
                    (
                        tantivy.Occur.Should,
                        tantivy.Query.const_score_query(query, float(weight)),
                    )
                    for tiers in self._tiers
                    for weight, query in tiers
                ),
            ]
        )

    @functools.cached_property
    def _tiers(self) -> list[list[tuple[int, conditions.Query]]]:
        return [
            self._conditions.tiers(node, self._hits) for node in self._ranking
        ]

    def _count(self, hits: conditions.Query) -> int:
        return self._conditions.count(hits)

    def _equal(self, column: str, key: float) -> conditions.Query:
        return self._range(column, key, key, True)

    def _side(
        self, column: str, key: _Key, is_descending: bool, has_key: bool
    ) -> conditions.Query:
        """Return what comes behind a key of a column, or is equal."""
        if is_descending:
            return self._range(column, None, key, has_key)
        return self._range(column, key, None, has_key)

    def _range(
        self, column: str, low: _Key, high: _Key, has_key: bool
    ) -> conditions.Query:
        is_float = column in _COLUMNS.values()
        return tantivy.Query.range_query(
            self._conditions.schema,
            column,
            tantivy.FieldType.Float
            if is_float
            else tantivy.FieldType.Unsigned,
            low,
            high,
            has_key or low is None,
            has_key or high is None,
        )


def _stages_of(sort: port.Sort) -> list[_Stage]:
    if sort.field in _COLUMNS:
        return [_Stage(sort, _COLUMNS[sort.field])]
    if sort.field in layout.HEADS:
        count = layout.HEADS[sort.field]
        return [
            _Stage(sort, f"{sort.field}_{place}", place == count - 1)
            for place in range(count)
        ]
    return [_Stage(sort)]


def _starts_of(sort: port.Sort, key: _Key, count: int) -> list[_Key]:
    """Return where each stage of an order begins at a cursor."""
    if key is None or sort.field not in layout.HEADS:
        return [key] * count
    return [*layout.heads_of(sort.field, str(key))]


def _rank_of(key: str | float) -> tuple[int, float, str]:
    return (1, 0.0, key) if isinstance(key, str) else (0, key, "")


def _is_before(key: str | float, start: str | float, sort: port.Sort) -> bool:
    one, other = _rank_of(key), _rank_of(start)
    return one > other if sort.is_descending else one < other
