"""The best of very many hits, without looking at each of them.

Where one word ranks, there are four scores: for a name, a path, a type or
tag, and for all else (:data:`orch.search.index.ordering.WEIGHTS`). Hits are
taken from one score after the other, and within it in the order of ids, until
there are enough. Where a score seems to have many, enough of them are mostly
among the first ids; else they are found by the inverted index and sorted.
"""
# ruff: noqa: S608 - values are always given beside the statement

import collections.abc
import typing

import sqlalchemy as sa

from orch.search.index import cursors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.postgresql import conditions
from orch.search.index.postgresql import estimates
from orch.search.index.postgresql import fields
from orch.search.index.postgresql import statements
from orch.search.index.postgresql import terms
from orch.search.query import nodes

_MOST_HITS = 200
# So many ids are gone through for each hit that is wanted.
_IDS_FOR_HIT = 12

Row: typing.TypeAlias = sa.Row[typing.Any]


def find_word(query: port.Query) -> nodes.Words | None:
    """Return the only thing that ranks; ``None`` where it is not that easy."""
    if query.as_of is not None or query.limit + query.offset > _MOST_HITS:
        return None
    if [each.field for each in ordering.sorts_of(query)] != [ordering.SCORE]:
        return None
    ranking = list(ordering.ranking(query.node))
    found = ranking[0]
    is_easy = (
        len(ranking) == 1
        and isinstance(found, nodes.Words)
        and not found.field
        and is_conjunction(query.node)
    )
    return found if is_easy and isinstance(found, nodes.Words) else None


def is_conjunction(node: nodes.Node) -> bool:
    """Return whether all that ranks has to be in each hit."""
    if isinstance(node, nodes.And):
        return all(is_conjunction(each) for each in node.nodes)
    return not isinstance(node, nodes.Or)


class Tiers:
    """Hits of one query, from the best score to the least."""

    def __init__(
        self,
        connection: sa.Connection,
        made: conditions.Conditions,
        given: statements.Values,
        base: statements.Part,
        rest: statements.Part,
        word: nodes.Words,
        are_near: collections.abc.Callable[[int], bool],
    ) -> None:
        """Prepare to find.

        :param base: what each hit fits, without its project and kind
        :param rest: what is left of it where a hit is known to have the word
        :param are_near: whether of so many hits enough are met soon by going
            through the ids
        """
        self._are_near = are_near
        self._connection = connection
        self._made = made
        self._given = given
        self._base = base
        self._rest = rest
        self._word = word

    def find(
        self,
        scope: str,
        kinds: collections.abc.Mapping[str, int],
        position: cursors.Position | None,
        limit: int,
    ) -> list[Row]:
        """Return content, id and the score, twice, of the best hits.

        :param scope: condition of documents ``d`` that may be seen
        :param kinds: how many hits there are of each kind
        """
        found: list[Row] = []
        for score, part, own in self._tiers():
            if position is not None and score > float(position.keys[0] or 0):
                continue
            is_same = position is not None and score == position.keys[0]
            after = position.id if position is not None and is_same else None
            for kind in sorted(kinds):
                if len(found) < limit:
                    # What a shape has is told by other means than words.
                    is_sure = own is not None and own.pieces
                    base = self._rest if is_sure else self._base
                    whole = self._made.all_of([base, part])
                    where = self._where(whole, kind, scope, after)
                    is_many = self._are_near(kinds[kind]) and (
                        own is None or self._is_many(own)
                    )
                    found += self._take(
                        _Tier(where, score, kind, after),
                        is_many,
                        limit - len(found),
                    )
        return found

    def _tiers(
        self,
    ) -> list[tuple[int, statements.Part, statements.Part | None]]:
        """Return scores, with what hits of each fit, and what gives it."""
        weights = ordering.WEIGHTS
        made, word = self._made, self._word
        name = made.words(word.words, word.is_prefix, "name")
        path = made.words(word.words, word.is_prefix, "path")
        parts = [(weights["name"], name), (weights["path"], path)]
        shapes = self._shapes()
        if shapes:
            told = f"d.shape = ANY({self._given.add(shapes)}::bigint[])"
            parts.append((weights["type"], statements.Part("", told)))
        tiers = []
        others: list[statements.Part] = []
        for weight, part in parts:
            tiers.append((weight, made.all_of([*others, part]), part))
            others.append(made.none_of(part))
        return [*tiers, (1, made.all_of(others), None)]

    def _shapes(self) -> list[int]:
        """Return the shapes whose type or tags have the word."""
        checks = [
            conditions.stands_in(column, self._word, self._given)
            for column in ("(s.folded->>'type')", "g.tag")
        ]
        found = self._run(
            f"SELECT s.number FROM search_shapes s WHERE {checks[0]}"
            " OR EXISTS (SELECT FROM"
            " jsonb_array_elements_text(s.folded->'tags') g(tag)"
            f" WHERE {checks[1]})"
        )
        return [each[0] for each in found]

    def _where(
        self, part: statements.Part, kind: str, scope: str, after: str | None
    ) -> str:
        term = statements.Part(
            statements.quoted(terms.term("kind", kind, False, False))
        )
        whole = self._made.all_of([part, term])
        where = f"{scope} AND {whole.sql(self._given)}"
        if after is not None:
            where += f" AND d.id > {self._given.add(terms.clean(after))}"
        return where

    def _is_many(self, own: statements.Part) -> bool:
        # The planner takes what gives the score and what else has to hold
        # for independent, and what both say would count twice.
        where = own.sql(self._given)
        found = estimates.of(self._connection, where, self._given)
        return self._are_near(int(found))

    def _take(
        self, tier: "_Tier", is_many: bool, limit: int
    ) -> collections.abc.Sequence[Row]:
        if is_many:
            found = self._take_near(tier, limit)
            if len(found) == limit:
                return found
        # An expression, so that nothing goes through all ids.
        source = f"{statements.source_sql(tier.where)} WHERE {tier.where}"
        return self._run_hits(tier, source, "(d.id || '')", limit)

    def _take_near(
        self, tier: "_Tier", limit: int
    ) -> collections.abc.Sequence[Row]:
        """Return hits among the first ids of a kind."""
        # Ids begin with the kind: only its own are gone through.
        first, last = (self._given.add(tier.kind + sign) for sign in "/0")
        near = f"id >= {first} AND id < {last}"
        if tier.after is not None:
            near += f" AND id > {self._given.add(terms.clean(tier.after))}"
        source = statements.near_sql(
            tier.where,
            f"SELECT * FROM search_documents WHERE {near}"
            f" ORDER BY id LIMIT {_IDS_FOR_HIT * int(limit)}",
        )
        source += f" WHERE {tier.where}"
        return self._run_hits(tier, source, "d.id", limit)

    def _run_hits(
        self, tier: "_Tier", source: str, order: str, limit: int
    ) -> collections.abc.Sequence[Row]:
        score = f"{tier.score}::float8"
        return self._run(
            f"SELECT {fields.BODY_TEXT.format('x.')}, x.*"
            f" FROM (SELECT d.content, d.id, {score} AS score, {score} AS c0"
            f" FROM {source} ORDER BY {order} LIMIT {int(limit)}) x"
            " ORDER BY x.id"
        )

    def _run(self, sql: str) -> collections.abc.Sequence[Row]:
        return self._connection.exec_driver_sql(sql, self._given.all).all()


class _Tier(typing.NamedTuple):
    """Hits of one score and kind.

    :ivar where: condition of documents ``d``
    :ivar after: only ids that sort after it
    """

    where: str
    score: int
    kind: str
    after: str | None
