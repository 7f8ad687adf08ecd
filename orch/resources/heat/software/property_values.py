"""Values of properties that types of software resources have."""

import collections.abc
import typing

Values = collections.abc.Mapping[str, object]


def normalise_declared(found: object) -> list[dict[str, object]]:
    """Return inputs or outputs as they are kept: without what says nothing."""
    return [
        {
            name: value
            for name, value in one.items()
            if value is not None and value is not False
        }
        for one in typing.cast("list[Values]", found or [])
    ]


def to_mapping(found: object) -> dict[str, object]:
    """Return a map; an empty one where nothing is given."""
    return dict(typing.cast("Values", found or {}))
