"""Tags of AWS, lists of ``Key`` and ``Value``, as the maps of services."""

import collections.abc
import typing

_KEY: typing.Final = "Key"
_VALUE: typing.Final = "Value"


def to_map(given: object) -> dict[str, str]:
    """Return tags as a map of texts."""
    return {str(each[_KEY]): str(each[_VALUE]) for each in _maps(given)}


def from_map(
    found: collections.abc.Mapping[str, object],
) -> list[dict[str, str]]:
    """Return tags, by a map of texts, in the order of their keys."""
    return [{_KEY: key, _VALUE: str(found[key])} for key in sorted(found)]


def _maps(
    given: object,
) -> list[collections.abc.Mapping[str, object]]:
    listed = given if isinstance(given, list | tuple) else ()
    return [each for each in listed if isinstance(each, dict)]
