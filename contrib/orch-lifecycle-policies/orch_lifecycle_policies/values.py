"""Values of properties: their places, and their texts for users."""

import collections.abc
import json

from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values

_EACH = "*"
_MAX_LENGTH = 80


def at(
    value: object, path: collections.abc.Sequence[str]
) -> collections.abc.Iterator[object]:
    """Return the values at a path; those in a list one by one.

    :param path: names of keys, places in lists, or ``*`` for each of them
    :returns: none where there is nothing; ``pattern.UNKNOWN`` for what is
        not known, be it the value or something that it is in
    """
    if value is lifecycle_operation.UNKNOWN:
        yield lifecycle_operation.UNKNOWN
    elif not path:
        if isinstance(value, tuple):
            for each in value:
                yield from at(each, ())
        else:
            yield value
    else:
        for each in _below(value, path[0]):
            yield from at(each, path[1:])


def _below(value: object, step: str) -> collections.abc.Iterable[object]:
    if isinstance(value, collections.abc.Mapping):
        if step == _EACH:
            return value.values()
        return (value[step],) if step in value else ()
    if isinstance(value, tuple):
        if step == _EACH:
            return value
        if step.isdecimal() and int(step) < len(value):
            return (value[int(step)],)
    return ()


def number(value: object) -> float | None:
    """Return a number, be it written as text; ``None`` for all others."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def describe_value(value: object) -> str:
    """Return a value for people, cut short."""
    text = json.dumps(
        read_only_values.thaw(value), ensure_ascii=False, default=str
    )
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"
