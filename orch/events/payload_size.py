"""Bounds what one notification says, so that every bus takes it."""

import collections.abc
import typing

from orch.db import types

MOST_CHARACTERS: typing.Final = 1_000_000
"""How long a payload is at most, as JSON."""

MOST_NAMED: typing.Final = 100
"""How many resources it names that have failed, where all are too many."""

_LONGEST_TEXT: typing.Final = 255
_LONGEST_LIST: typing.Final = 1_000
"""How long texts and lists are, in characters, where every bit counts."""

_LARGE: typing.Final = ("template", "outputs", "parameters", "properties")


def bounded(
    payload: collections.abc.Mapping[str, object],
    most: int = MOST_CHARACTERS,
) -> collections.abc.Mapping[str, object]:
    """Return a payload that is not too long.

    What makes it so is null, in this order until it fits: the template, the
    outputs, the parameters, the properties. Then fewer of the resources that
    have failed are named.

    :param most: how long it is at most, as JSON
    """
    if length(payload) <= most:
        return payload
    found = dict(payload)
    for key in _LARGE:
        # Null in place of what is empty would be longer.
        if length(found.get(key)) > length(None):
            found[key] = None
            if length(found) <= most:
                return found
    failed = found.get("failed_resources")
    if isinstance(failed, list):
        found["failed_resources"] = failed[:MOST_NAMED]
    return found


def find_smaller(
    payload: collections.abc.Mapping[str, object],
) -> collections.abc.Mapping[str, object] | None:
    """Return what says less, for a bus that refuses a payload.

    It leaves out what :func:`bounded` does until half is left; where that is
    not enough, long texts are cut short and long lists are empty.

    :returns: ``None`` where nothing is left to leave out
    """
    found = bounded(payload, length(payload) // 2)
    if found == payload:
        found = {key: _shortened(value) for key, value in payload.items()}
    return None if found == payload else found


def _shortened(value: object) -> object:
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[: _LONGEST_TEXT - 1]}…"
    if isinstance(value, list) and length(value) > _LONGEST_LIST:
        return []
    if isinstance(value, dict):
        return {key: _shortened(each) for key, each in value.items()}
    return value


def length(value: object) -> int:
    """Return how many characters a value has as JSON."""
    return len(types.dump(value))
