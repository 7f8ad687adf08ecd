"""Bounds what one notification says, so that every bus takes it."""

import collections.abc
import typing

from orch.db import types

MAX_LENGTH: typing.Final = 1_000_000
"""How long a payload is at most, as JSON."""

MAX_FAILED_NAMED: typing.Final = 100
"""How many resources it names that have failed, where all are too many."""

_MAX_TEXT_LENGTH: typing.Final = 255
_MAX_LIST_LENGTH: typing.Final = 1_000
"""How long texts and lists are, in characters, where every bit counts."""

_LARGE: typing.Final = ("template", "outputs", "parameters", "properties")


def shrink_payload(
    payload: collections.abc.Mapping[str, object],
    limit: int = MAX_LENGTH,
) -> collections.abc.Mapping[str, object]:
    """Return a payload that is not too long.

    What makes it so is null, in this order until it fits: the template, the
    outputs, the parameters, the properties. Then fewer of the resources that
    have failed are named.

    :param limit: how long it is at most, as JSON
    """
    if json_length(payload) <= limit:
        return payload
    found = dict(payload)
    for key in _LARGE:
        # Null in place of what is empty would be longer.
        if json_length(found.get(key)) > json_length(None):
            found[key] = None
            if json_length(found) <= limit:
                return found
    failed = found.get("failed_resources")
    if isinstance(failed, list):
        found["failed_resources"] = failed[:MAX_FAILED_NAMED]
    return found


def find_smaller(
    payload: collections.abc.Mapping[str, object],
) -> collections.abc.Mapping[str, object] | None:
    """Return what says less, for a bus that refuses a payload.

    It leaves out what :func:`shrink_payload` does until half is left; where
    that is not enough, long texts are cut short and long lists are empty.

    :returns: ``None`` where nothing is left to leave out
    """
    found = shrink_payload(payload, json_length(payload) // 2)
    if found == payload:
        found = {key: _shrink_value(value) for key, value in payload.items()}
    return None if found == payload else found


def _shrink_value(value: object) -> object:
    if isinstance(value, str) and len(value) > _MAX_TEXT_LENGTH:
        return f"{value[: _MAX_TEXT_LENGTH - 1]}…"
    if isinstance(value, list) and json_length(value) > _MAX_LIST_LENGTH:
        return []
    if isinstance(value, dict):
        return {key: _shrink_value(each) for key, each in value.items()}
    return value


def json_length(value: object) -> int:
    """Return how many characters a value has as JSON."""
    return len(types.dump(value))
