"""Refuse keys of ours in requests where they mean nothing.

Heat ignores what it does not know, and clients made for it send such keys: so
do we. But a key of ours that is passed over, or that is mistyped, is a request
that is not done. Which keys each request takes is in its OpenAPI schema.
"""

import collections.abc
import functools
import typing

from orch import errors
from orch.api.openapi import bodies
from orch.api.openapi import operations

Check = collections.abc.Callable[[object], None]
Schema = collections.abc.Mapping[str, object]

_SHORT: typing.Final = 4
"""Of words up to this length one letter may differ, of others two."""


def check_of(method: str, path: str) -> Check:
    """Return what checks the bodies of one method of one address.

    :param path: as in ``orch.api.routes``
    """
    found = operations.TABLE.get(f"{method} {path}")
    body = found.body if found is not None else None
    return functools.partial(check_keys, body or {})


def check_keys(schema: Schema, body: object) -> None:
    """Raise Invalid if a body has a key of ours that means nothing there.

    :raises orch.errors.Invalid: with a problem for each key
    """
    problems = list(_problems(schema, body, ""))
    if problems:
        raise errors.Invalid(
            " ".join(each.message for each in problems), problems
        )


def _problems(
    schema: Schema, body: object, place: str
) -> collections.abc.Iterator[errors.Problem]:
    known = _map(schema.get("properties"))
    if not known or not isinstance(body, dict):
        return
    given = {key: value for key, value in body.items() if value is not None}
    for key, value in given.items():
        path = f"{place}{str(key)[:80]}"
        if key in known:
            lacking = _lacking(schema, key, given)
            if lacking:
                yield errors.Problem(
                    f"{path} means nothing without {lacking}.", path
                )
            for each in _objects(_map(known[key])):
                yield from _problems(each, value, f"{path}.")
        elif key in bodies.OWN:
            yield errors.Problem(
                f"{path} means nothing in this request: leave it out.", path
            )
        elif key not in _known_keys():
            meant = _find_meant(str(key))
            if meant is not None:
                yield errors.Problem(
                    f"{path} is unknown: did you mean {meant}?", path
                )


def _lacking(
    schema: Schema, key: str, given: collections.abc.Mapping[str, object]
) -> str:
    """Return the keys that one needs and that are not given; empty for none.

    It may need each of some, or any of some.
    """
    every = _list(_map(schema.get("dependentRequired")).get(key))
    for each in every:
        if given.get(each, False) is False:
            return str(each)
    needed = _map(_map(schema.get("dependentSchemas")).get(key))
    some = [
        str(name)
        for each in _list(needed.get("anyOf"))
        for name in _list(each.get("required"))
    ]
    if all(given.get(each, False) is False for each in some):
        return " or ".join(some)
    return ""


def _objects(schema: Schema) -> collections.abc.Iterator[Schema]:
    """Return the schemas of the objects that a value may be."""
    alternatives = _list(schema.get("anyOf"))
    if not alternatives:
        yield schema
    for each in alternatives:
        yield from _objects(_map(each))


@functools.cache
def _known_keys() -> frozenset[str]:
    """Return the keys that any request takes."""
    return frozenset(
        key
        for each in operations.TABLE.values()
        for key in _map((each.body or {}).get("properties"))
    )


def _find_meant(key: str) -> str | None:
    """Return the key of ours that a word is nearly the same as."""
    near = [
        (distance, each)
        for each in sorted(bodies.OWN)
        if (distance := _distance(key, each))
        <= (1 if len(each) <= _SHORT else 2)
    ]
    return min(near)[1] if near else None


def _distance(one: str, other: str) -> int:
    """Return how many letters have to change to make one word another.

    Words whose lengths differ by more than two count as far apart.
    """
    if abs(len(one) - len(other)) > 2:
        return len(other)
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one):
        before, row[0] = row[0], place + 1
        for column, wanted in enumerate(other):
            cost = before + (letter != wanted)
            before = row[column + 1]
            row[column + 1] = min(cost, before + 1, row[column] + 1)
    return row[-1]


def _map(found: object) -> Schema:
    return found if isinstance(found, dict) else {}


def _list(found: object) -> list[typing.Any]:
    return found if isinstance(found, list) else []
