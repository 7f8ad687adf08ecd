"""Cursors of pages: the same text from every index."""

import base64
import binascii
import collections.abc
import dataclasses
import hashlib
import typing

import orjson

from orch import errors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.query import nodes
from orch.search.query import values

Key: typing.TypeAlias = ordering.Key
Position: typing.TypeAlias = ordering.Position


def encode_cursor(query: port.Query, position: Position) -> str:
    """Return the cursor behind a document, for this query alone."""
    body = orjson.dumps([_fingerprint(query), position.keys, position.id])
    return base64.urlsafe_b64encode(body).decode("ascii").rstrip("=")


def decode_cursor(
    query: port.Query, *, is_all_text: bool = False
) -> Position | None:
    """Return the position of a cursor; ``None`` for the beginning.

    It may be forged: of what is in it only this is left, that each key is
    one that a document may be ordered by.

    :param is_all_text: in this index all is ordered by text, scores apart
    :raises orch.errors.Invalid: the cursor is none of this query
    """
    if query.after is None:
        return None
    try:
        padding = "=" * (-len(query.after) % 4)
        body = base64.b64decode(
            (query.after + padding).encode("ascii"), b"-_", validate=True
        )
        fingerprint, keys, document_id = orjson.loads(body)
    except (binascii.Error, ValueError, TypeError) as e:
        raise _invalid_cursor() from e
    is_ours = (
        fingerprint == _fingerprint(query)
        and isinstance(document_id, str)
        and isinstance(keys, list)
        and _are_keys(keys, ordering.sorts_of(query), is_all_text)
    )
    if not is_ours:
        raise _invalid_cursor()
    return Position(tuple(map(_bare, keys)), document_id)


def _are_keys(
    keys: list[object],
    sorts: collections.abc.Sequence[port.Sort],
    is_all_text: bool,
) -> bool:
    """Return whether documents may have these keys in that order."""
    return len(keys) == len(sorts) and all(
        _is_key(key, sort.field, is_all_text)
        for key, sort in zip(keys, sorts, strict=True)
    )


def _is_key(value: object, field: str, is_all_text: bool) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if field == ordering.SCORE:
        return is_number
    if value is None:
        return True
    is_text = isinstance(value, str)
    if is_all_text:
        return is_text
    if field == ordering.NEWEST or field in values.MOMENTS:
        return is_number
    return is_text or (is_number and not values.is_native(field))


def _bare(key: Key) -> Key:
    """Return numbers as documents have them: as such of 64 bits."""
    return float(key) if isinstance(key, int) else key


def _fingerprint(query: port.Query) -> str:
    """Return what makes the order and the choice of hits, in a few letters.

    Bounds are not in it: those that a query counts from now move on.
    """
    said = repr(
        (
            _without_bounds(query.node),
            sorted(query.kinds),
            query.sort,
            query.as_of,
            query.scope.is_admin,
        )
    )
    encoded = said.encode("utf-8", "backslashreplace")
    return hashlib.blake2b(encoded, digest_size=6).hexdigest()


def _without_bounds(node: nodes.Node) -> nodes.Node:
    match node:
        case nodes.Range(field):
            return nodes.Range(field)
        case nodes.And(parts) | nodes.Or(parts):
            bare = tuple(map(_without_bounds, parts))
            return dataclasses.replace(node, nodes=bare)
        case nodes.Not(inner):
            return nodes.Not(_without_bounds(inner))
        case _:
            return node


def _invalid_cursor() -> errors.Invalid:
    return errors.Invalid(
        "The cursor does not belong to this query. Leave it out to begin at"
        " the first hit, and repeat all else of the query that it came with."
    )
