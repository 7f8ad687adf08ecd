"""How deep lists and maps may be nested in what others send.

One limit for all texts and bodies: far below what packing a value for the bus
or the database can take, so that no value which was accepted fails later.
"""

import json
import typing

MAX_DEPTH: typing.Final = 200
_SCALARS: typing.Final = frozenset({str, int, float, bool, type(None)})


class TooDeepError(ValueError):
    """A value is nested deeper than is accepted."""

    def __init__(self, limit: int = MAX_DEPTH) -> None:
        """Say how deep is allowed."""
        super().__init__(f"Lists and maps are nested more than {limit} deep.")


def parse_json(text: str | bytes) -> typing.Any:
    """Return the value that a JSON text stands for.

    :raises TooDeepError: it is nested too deep
    :raises ValueError: it is no JSON
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise TooDeepError from None
    check_depth(value)
    return value


def check_depth(value: object, limit: int = MAX_DEPTH) -> None:
    """Raise TooDeepError if a value is nested too deep.

    It needs no stack of its own, however deep the value is.

    :param limit: -1 for none
    """
    level = _containers([value])
    depth = 0
    while level:
        depth += 1
        if 0 <= limit < depth:
            raise TooDeepError(limit)
        below: list[object] = []
        for one in level:
            below.extend(one.values() if isinstance(one, dict) else one)
        level = _containers(below)


def _containers(
    values: list[object],
) -> list[dict[object, object] | list[object]]:
    # Most values are scalars, and isinstance takes long to tell.
    return [
        one
        for one in values
        if type(one) not in _SCALARS and isinstance(one, dict | list)
    ]
