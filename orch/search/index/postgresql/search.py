"""Answers from PostgreSQL: totals and facets, hits in order, statistics."""
# ruff: noqa: S608 - values are always given beside the statement

import collections
import collections.abc
import dataclasses
import functools
import typing

import sqlalchemy as sa

from orch.search.index import cursors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.postgresql import bodies
from orch.search.index.postgresql import columns
from orch.search.index.postgresql import conditions
from orch.search.index.postgresql import estimates
from orch.search.index.postgresql import fields
from orch.search.index.postgresql import newest
from orch.search.index.postgresql import schema as tables
from orch.search.index.postgresql import scopes
from orch.search.index.postgresql import scoring
from orch.search.index.postgresql import statements
from orch.search.index.postgresql import terms
from orch.search.index.postgresql import top_scored as tiers
from orch.search.query import nodes
from orch.search.query import values

_SHAPED = frozenset(terms.SHAPED)
_COUNTED = frozenset({*_SHAPED, "tags"})
_NUMBERED = {"project_id": "project", "owner": "owner"}
_WALKED = frozenset({ordering.NEWEST, "id", *values.MOMENTS, *fields.DETAILED})
_COLUMNS = ", ".join((*tables.SEARCHED, *tables.DETAILS[1:]))
_CURRENT = ", ".join(
    (
        *(f"x.{each}" for each in tables.SEARCHED),
        *(f"y.{each}" for each in tables.DETAILS[1:]),
    )
)
_LEAST_PART = 1 / 8
# Of longer values facets show nothing.
_LONGEST = 200

Counts: typing.TypeAlias = dict[str, collections.Counter[str]]


class Finding:
    """One query, on one connection, in one transaction."""

    def __init__(
        self, connection: sa.Connection, query: port.Query, many: int
    ) -> None:
        """Prepare to answer.

        :param many: with more hits the first of an order are met soon by
            going through it
        """
        self._many = many
        self._connection = connection
        self._query = query
        self._is_admin = query.scope.is_admin
        self._given = statements.Values()
        made = conditions.Conditions(self._given, self._is_admin)
        self._made = made
        self._part = made.part(query.node)
        self._scope = scopes.scope_sql(query, self._given, "d")
        self._shapes = None
        if query.as_of is None:
            self._shapes = scopes.shape_sql(query.node, self._given)
        self._former = self._former_sql()
        self._sorts = ordering.sorts_of(query)
        self._score = scoring.score_sql(query.node, made, self._given)
        self._kinds: collections.Counter[str] = collections.Counter()

    def answer(self) -> port.Found:
        """Return what fits.

        :raises orch.errors.Invalid: the cursor is none of this query
        """
        query = self._query
        position = cursors.decode_cursor(query)
        if query.scope.project_ids == frozenset():
            return self._nothing()
        total, counted = self._count()
        facets = {}
        for facet in query.facets:
            found = counted.get(facet.field)
            if found is None:
                found = self._values_of(facet.field) if total else None
            facets[facet.field] = _most(found or {}, facet.size)
        hits: tuple[port.Hit, ...] = ()
        if total and query.limit > 0:
            hits = self._hits(total, position)
        statistics = {
            each: self._numbers_of(each) for each in query.statistics
        }
        return port.Found(
            total=total, hits=hits, facets=facets, statistics=statistics
        )

    def _nothing(self) -> port.Found:
        return port.Found(
            total=0,
            hits=(),
            facets={each.field: () for each in self._query.facets},
            statistics={
                each: port.Statistics(0, None, None, 0.0)
                for each in self._query.statistics
            },
        )

    def _former_sql(self) -> str | None:
        """Return what has the documents of the moment that is asked for."""
        if self._query.as_of is None:
            return None
        moment = self._given.add(float(self._query.as_of))
        return (
            f"(SELECT {_CURRENT} FROM search_documents x"
            " JOIN search_details y ON y.id = x.id"
            f" WHERE y.valid_from <= {moment}"
            f" UNION ALL SELECT {_COLUMNS} FROM search_former"
            f" WHERE valid_from <= {moment} AND valid_to > {moment}) d"
            " CROSS JOIN LATERAL (SELECT d.name, d.path, d.physical_id,"
            " d.numbers) r"
        )

    def _run(self, sql: str) -> collections.abc.Sequence[typing.Any]:
        return self._connection.exec_driver_sql(sql, self._given.all).all()

    def _whole(self, part: statements.Part | None = None) -> statements.Part:
        """Return the node, and what of the scope the pieces tell.

        :param part: what it is instead of the node
        """
        scope = scopes.scope_part(self._query.scope)
        part = self._part if part is None else part
        if scope.pieces and (part.pieces or not scope.is_negative):
            return self._made.all_of([part, scope])
        return part

    def _where(self, part: statements.Part | None = None) -> str:
        """Return the condition of documents; their shapes are checked too."""
        return f"{self._whole(part).sql(self._given)} AND {self._scope}"

    def _from(self, *told: str) -> str:
        """Return what has the documents, for SQL that says this of them."""
        every = " ".join(told)
        if self._former is None:
            return statements.source_sql(every)
        return f"{self._former} JOIN search_shapes s ON s.number = d.shape"

    def _count(self) -> tuple[int, Counts]:
        """Return how many fit, and facets that shapes can tell."""
        fields = dict.fromkeys(each.field for each in self._query.facets)
        told = [each for each in fields if each in _COUNTED]
        shown = ", ".join(["s.kind", *(f"s.{each}" for each in told)])
        counts: Counts = {each: collections.Counter() for each in told}
        total = 0
        for kind, *found, number in self._counted(shown):
            total += number
            self._kinds[kind] += number
            for field, value in zip(told, found, strict=True):
                for each in value if field == "tags" else [value]:
                    if each.strip():
                        counts[field][each] += number
        return total, {each: +found for each, found in counts.items()}

    def _counted(
        self, shown: str
    ) -> collections.abc.Iterator[collections.abc.Sequence[typing.Any]]:
        """Yield columns of shapes, each with how many more fit, or fewer."""
        ways = [(1, self._part)]
        if self._shapes is not None or self._is_in_most():
            told = self._shapes or "TRUE"
            yield from self._run(_grouped(self._tallies_sql(told), shown))
            # What does not fit is sooner counted.
            ways = [(-1, self._made.none_of(self._part))]
        self._look_up()
        if self._shapes is None:
            for sign, part in ways:
                sql = _grouped(self._counted_sql(part), shown)
                for *found, number in self._run(sql):
                    yield *found, sign * number

    def _look_up(self) -> None:
        """Have documents found by the index over pieces alone, if they can.

        What a look at all contents takes the planner does not know.
        """
        if self._whole().pieces:
            self._connection.exec_driver_sql("SET LOCAL enable_seqscan = off")

    def _tallies_sql(self, shapes: str) -> str:
        """Return what counts all of some shapes, without a document."""
        scope = scopes.scope_sql(self._query, self._given, "t")
        return (
            "SELECT t.shape, sum(t.count) AS count FROM search_tallies t"
            " JOIN search_shapes s ON s.number = t.shape"
            f" WHERE {scope} AND {shapes} GROUP BY t.shape"
        )

    def _counted_sql(self, part: statements.Part) -> str:
        where = self._where(part)
        return (
            f"SELECT d.shape, count(*) AS count FROM {self._from(where)}"
            f" WHERE {where} GROUP BY d.shape"
        )

    def _is_in_most(self) -> bool:
        """Return whether more than half of all documents seem to fit."""
        if self._query.as_of is not None or not self._part.is_indexed:
            return False
        if self._every <= self._many:
            return False
        where = self._part.sql(self._given)
        found = estimates.of(self._connection, where, self._given)
        return 2 * found > self._every

    @functools.cached_property
    def _every(self) -> float:
        return estimates.every(self._connection)

    def _are_near(self, total: int) -> bool:
        """Return whether the first hits are among the first documents.

        Of these a few are gone through for each hit that is wanted.
        """
        return total > max(self._many, _LEAST_PART * self._every)

    def _values_of(self, field: str) -> collections.Counter[str] | None:
        """Return how many documents have each value of a field."""
        where = self._where()
        if field in _NUMBERED:
            column = _NUMBERED[field]
            sql = (
                f"SELECT i.value, c.count FROM (SELECT d.{column},"
                f" count(*) AS count FROM {self._from(where)}"
                f" WHERE {where} GROUP BY 1) c"
                f" JOIN search_ids i ON i.number = c.{column}"
            )
            found = {x: count for x, count in self._run(sql) if x.strip()}
            return collections.Counter(found)
        values_sql = columns.list_sql(field, self._is_admin, self._given)
        if values_sql is None:
            return None
        sql = (
            "SELECT x.value, count(*)"
            f" FROM {self._from(where, values_sql)},"
            f" LATERAL (SELECT DISTINCT value FROM {values_sql} AS y(value)"
            f" WHERE {columns.STRIPPED} <> ''"
            f" AND length(value) <= {_LONGEST}) x"
            f" WHERE {where} GROUP BY 1"
        )
        return collections.Counter(dict(map(tuple, self._run(sql))))

    def _numbers_of(self, field: str) -> port.Statistics:
        if field in values.MOMENTS:
            source = f"(VALUES (d.{field})) n(value)"
        else:
            numbers = fields.numbers_sql(field, self._is_admin, self._given)
            source = f"(SELECT n.value::float8 FROM {numbers}) n(value)"
        where = self._where()
        found = self._run(
            "SELECT count(n.value), min(n.value), max(n.value), sum(n.value)"
            f" FROM {self._from(where, source)}, LATERAL {source}"
            f" WHERE {where}"
        )
        count, least, greatest, total = found[0]
        return port.Statistics(count, least, greatest, total or 0.0)

    def _hits(
        self, total: int, position: cursors.Position | None
    ) -> tuple[port.Hit, ...]:
        joins: list[str] = []
        word = tiers.find_word(self._query) if total > self._many else None
        if word is not None and "s." not in self._part.check:
            return self._best(word, position)
        keys = None if position is None else position.keys
        order_of = columns.Order(self._given, self._is_admin, self._score)
        found_by: list[list[columns.Column]] = []
        is_walked = (
            self._shapes is not None
            and total > self._many
            and all(each.field in _WALKED for each in self._sorts)
        )
        for at, sort in enumerate(self._sorts):
            key = None if keys is None else keys[at]
            found_by.append(order_of.columns(sort, key, is_walked, joins))
        flat = [each for group in found_by for each in group]
        where = self._where()
        if is_walked:
            where = f"{self._scope} AND {self._shapes}"
        if position is not None:
            where += f" AND {order_of.after(flat, position.id)}"
        order = [
            f"{each.sql} {'DESC' if each.is_descending else 'ASC'} NULLS LAST"
            for each in flat
        ]
        shown = ", ".join(
            f"{each.sql} AS c{at}" for at, each in enumerate(flat)
        )
        score = "0.0" if is_walked else self._score
        offset = self._query.offset if position is None else 0
        # An expression, so that nothing goes through all ids in their order.
        identity = "d.id" if is_walked else "(d.id || '')"
        # By the index over moments: there are so many hits that the first
        # ones are near.
        setting = "SET LOCAL enable_sort = off; " if is_walked else ""
        told = " ".join([score, shown, *joins, where, *order])

        def run(source: str) -> collections.abc.Sequence[typing.Any]:
            return self._run(
                f"{setting}SELECT {tables.BODY.format('x.')}, x.*"
                f" FROM (SELECT d.content, d.id,"
                f" {score} AS score, {shown} FROM {source}"
                f" {' '.join(joins)} WHERE {where}"
                f" ORDER BY {', '.join([*order, identity])}"
                f" LIMIT {int(self._query.limit)} OFFSET {int(offset)}) x"
            )

        found = None
        if not is_walked and self._are_near(total):
            found = newest.find(
                self._connection,
                self._query,
                position,
                lambda few: run(statements.near_sql(told, few)),
            )
        if found is None:
            found = run(self._from(told))
        return tuple(self._hit(each, found_by) for each in found)

    def _best(
        self, word: nodes.Words, position: cursors.Position | None
    ) -> tuple[port.Hit, ...]:
        """Return hits of a word that very many have."""
        query = self._query
        best = tiers.Tiers(
            self._connection,
            self._made,
            self._given,
            self._whole(),
            scopes.scope_part(query.scope)
            if word is query.node
            else self._whole(),
            word,
            self._are_near,
        )
        offset = query.offset if position is None else 0
        plain = dataclasses.replace(
            query,
            scope=dataclasses.replace(query.scope, is_admin=True),
            kinds=frozenset(),
        )
        scope = scopes.scope_sql(plain, self._given, "d")
        found = best.find(scope, +self._kinds, position, query.limit + offset)
        found_by = [[columns.Column("", True)]]
        return tuple(self._hit(each, found_by) for each in found[offset:])

    def _hit(
        self,
        found: collections.abc.Sequence[typing.Any],
        found_by: list[list[columns.Column]],
    ) -> port.Hit:
        body, _, document_id, score, *rest = found
        keys: list[cursors.Key] = []
        for group in found_by:
            mine, rest = rest[: len(group)], rest[len(group) :]
            told = [each for each in mine if each is not None]
            keys.append(told[0] if told else None)
        document = bodies.document_of(body)
        if not self._is_admin:
            document = document.without_admin()
        position = cursors.Position(tuple(keys), document_id)
        cursor = cursors.encode_cursor(self._query, position)
        return port.Hit(document, float(score), cursor)


def _grouped(counted: str, shown: str) -> str:
    """Return what adds up counts of shapes that have the same columns."""
    count = shown.count(",") + 1
    return (
        f"SELECT {shown}, sum(c.count)::bigint FROM ({counted}) c"
        " JOIN search_shapes s ON s.number = c.shape"
        f" GROUP BY {', '.join(str(at + 1) for at in range(count))}"
    )


def _most(
    counts: collections.abc.Mapping[str, int], size: int
) -> tuple[tuple[str, int], ...]:
    """Return the most frequent values, then by value."""
    every = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return tuple(every[: max(0, size)])
