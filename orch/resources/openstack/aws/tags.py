"""Tags of AWS, lists of ``Key`` and ``Value``, as the maps of services."""

import collections.abc
import typing

from orch.resources.openstack import wire

_KEY: typing.Final = "Key"
_VALUE: typing.Final = "Value"


def to_map(given: object) -> dict[str, str]:
    """Return tags as a map of texts."""
    return {str(each[_KEY]): str(each[_VALUE]) for each in wire.to_maps(given)}


def from_map(
    found: collections.abc.Mapping[str, object],
) -> list[dict[str, str]]:
    """Return tags, by a map of texts, in the order of their keys."""
    return [{_KEY: key, _VALUE: str(found[key])} for key in sorted(found)]
