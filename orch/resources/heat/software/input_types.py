"""Convert the value of an input by its type.

Types are those of parameters in templates; see the guide of HOT.
"""

import collections.abc
import math
import typing

from orch import errors
from orch import json_depth

Values = collections.abc.Mapping[str, object]

_TRUE = frozenset({"1", "t", "true", "on", "y", "yes"})
_FALSE = frozenset({"0", "f", "false", "off", "n", "no"})


def convert_input(declared: Values, value: object) -> object:
    """Return a value as the type of an input has it; ``None`` stays.

    :param declared: the input; without a ``type`` the value stays as it is
    :raises orch.errors.Invalid: it is none of that type; the value itself
        is not told, it may be a secret
    """
    kind = str(declared.get("type"))
    if value is None or kind not in _CONVERSIONS:
        return value
    try:
        return _CONVERSIONS[kind](value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise errors.Invalid(
            f"The value of the input {declared['name']} is no {kind}; give"
            " another one in input_values, or declare another type"
        ) from None


def _text(value: object) -> object:
    """Return the text of a scalar; agents write the others as JSON."""
    if isinstance(value, bool | int | float):
        return str(value)
    return value


def _number(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise TypeError
    try:
        return int(value)
    except ValueError:
        found = float(value)
    # JSON has neither infinity nor what is no number.
    if not math.isfinite(found):
        raise ValueError
    return found


def _boolean(value: object) -> object:
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError


def _json(value: object) -> object:
    found = value
    if isinstance(value, str):
        found = json_depth.parse_json(value)
    if not isinstance(found, dict | list):
        raise TypeError
    return found


def _list(value: object) -> object:
    if isinstance(value, list):
        return [_text(one) for one in value]
    if not isinstance(value, str):
        raise TypeError
    return [one.strip() for one in value.split(",")] if value else []


_CONVERSIONS: typing.Final[
    collections.abc.Mapping[str, collections.abc.Callable[[object], object]]
] = {
    "String": _text,
    "Number": _number,
    "Boolean": _boolean,
    "Json": _json,
    "CommaDelimitedList": _list,
}
