"""The order of hits: the same from every index.

Text is ordered as it is compared, by code points of its beginning; of a
property numbers stand before text, and texts that look like a number are
numbers. Of several values the least counts, or the greatest where the
greatest come first. What has no value comes last either way, and what is
equal by id.
"""

import collections.abc
import typing

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import port
from orch.search.query import matching
from orch.search.query import nodes
from orch.search.query import values

Key: typing.TypeAlias = str | float | None
"""A value that a document is ordered by; ``None`` where it has none."""

SCORE: typing.Final = "score"
NEWEST: typing.Final = "\0newest"
"""Stands for when a document was last changed, or made."""

MAX_KEY_LENGTH: typing.Final = 200
"""How many characters of a text count in an order."""

WEIGHTS: typing.Final = {"name": 8, "path": 4, "type": 2, "tags": 2}
"""What a hit in a field is worth; in all else 1."""


class Position(typing.NamedTuple):
    """The last document of a page.

    :ivar keys: what it was ordered by, one for each sort
    :ivar id: of the document
    """

    keys: tuple[Key, ...]
    id: str


def sorts_of(query: port.Query) -> tuple[port.Sort, ...]:
    """Return the order of a query, that by id left out."""
    if query.sort:
        return query.sort
    is_ranked = any(True for _ in ranking(query.node))
    return (port.Sort(SCORE if is_ranked else NEWEST, True),)


def ranking(
    node: nodes.Node,
) -> collections.abc.Iterator[nodes.Words | nodes.Term]:
    """Return the parts of a query that add to the score of what they fit.

    Words add :data:`WEIGHTS` of the best field that has them, and so do
    terms of fields that may have them as words; what must not be there adds
    nothing.
    """
    match node:
        case nodes.Words():
            yield node
        case nodes.Term(field) if values.is_worded(field):
            yield node
        case nodes.And(parts) | nodes.Or(parts):
            for each in parts:
                yield from ranking(each)


def score_of(
    document: documents.Document, node: nodes.Node, is_admin: bool
) -> float:
    """Return the score of a document that matches."""
    return float(
        sum(_find_weight(document, each, is_admin) for each in ranking(node))
    )


def _find_weight(
    document: documents.Document,
    node: nodes.Words | nodes.Term,
    is_admin: bool,
) -> int:
    tiers: list[tuple[int, tuple[str, ...]]]
    if node.field:
        tiers = [(WEIGHTS.get(node.field, 1), (node.field,))]
    else:
        tiers = [(8, ("name",)), (4, ("path",)), (2, ("type", "tags"))]
    for weight, names in tiers:
        for name in names:
            for field, value in values.find_values(document, name, is_admin):
                if matching.is_value_match(node, field, value):
                    return weight
    if node.field:
        return 0
    everything = values.find_anywhere(document, is_admin)
    return int(
        any(matching.is_value_match(node, *each) for each in everything)
    )


def key_of(
    document: documents.Document,
    score: float,
    sort: port.Sort,
    is_admin: bool,
) -> Key:
    """Return the sort key of a document; ``None`` where it has no value."""
    if sort.field == SCORE:
        return score
    if sort.field == NEWEST:
        when = document.updated_at
        return document.created_at if when is None else when
    found = {
        form_of(field, value)
        for field, value in values.find_values(document, sort.field, is_admin)
    }
    if not found:
        return None
    choose = max if sort.is_descending else min
    return choose(found, key=_rank_of)


def form_of(field: str, value: documents.Scalar) -> str | float:
    """Return one value of a field in sortable form."""
    if field in values.MOMENTS or not values.is_native(field):
        number = values.number_of(value)
        if number is not None:
            return number
    return tokenizer.fold_value(values.text_of(value))[:MAX_KEY_LENGTH]


def _rank_of(key: str | float) -> tuple[int, float, str]:
    return (1, 0.0, key) if isinstance(key, str) else (0, key, "")


def compare_keys(
    one: Position,
    other: Position,
    sorts: collections.abc.Sequence[port.Sort],
) -> int:
    """Return below 0 where one comes before the other, 0 where it is it."""
    for sort, mine, theirs in zip(sorts, one.keys, other.keys, strict=True):
        if mine == theirs and type(mine) is type(theirs):
            continue
        if mine is None or theirs is None:
            return 1 if mine is None else -1
        left, right = _rank_of(mine), _rank_of(theirs)
        if left == right:
            continue
        is_less = left < right
        if sort.is_descending or sort.field == SCORE:
            is_less = not is_less
        return -1 if is_less else 1
    left_id = tokenizer.fold_value(one.id), one.id
    right_id = tokenizer.fold_value(other.id), other.id
    return (left_id > right_id) - (left_id < right_id)
