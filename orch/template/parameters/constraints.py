"""Checks values against the constraints of parameters and properties."""

import json

from orch.plugin import schema
from orch.template.parameters import custom_constraints
from orch.template.parameters import types
from orch.template.text import regex
from orch.template.text import values

Types = frozenset[schema.Type]

_NUMBERS = frozenset({schema.Type.INTEGER, schema.Type.NUMBER})
_ALLOWED_ON: dict[type[schema.Constraint], tuple[str, Types]] = {
    schema.Range: ("Range", _NUMBERS),
    schema.Modulo: ("Modulo", _NUMBERS),
    schema.Length: (
        "Length",
        frozenset({schema.Type.STRING, schema.Type.LIST, schema.Type.MAP}),
    ),
    schema.AllowedValues: (
        "AllowedValues",
        _NUMBERS | {schema.Type.STRING, schema.Type.BOOLEAN, schema.Type.LIST},
    ),
    schema.AllowedPattern: (
        "AllowedPattern",
        frozenset({schema.Type.STRING}),
    ),
    schema.CustomConstraint: (
        "CustomConstraint",
        _NUMBERS | {schema.Type.STRING, schema.Type.BOOLEAN, schema.Type.LIST},
    ),
}


def find_misuse(
    constraint: schema.Constraint, kind: schema.Type
) -> str | None:
    """Return why values of a type cannot have that constraint, if so."""
    name, allowed = _ALLOWED_ON[type(constraint)]
    if kind in allowed:
        return None
    return f"{name} constraint invalid for {kind.value}"


def find_failure(
    constraint: schema.Constraint,
    value: object,
    kind: schema.Type,
    spend: regex.Spend = regex.spend_nothing,
) -> str | None:
    """Return why the value does not keep to the constraint, if so.

    :param spend: told of the work that a pattern of a user makes
    :raises orch.template.errors.TooLarge: a pattern takes too long
    """
    why: str | None = None
    try:
        match constraint:
            case schema.AllowedPattern():
                why = _allowed_pattern(constraint, value, spend)
            case schema.Range():
                why = _range(constraint, value)
            case schema.Length():
                why = _length(constraint, value)
            case schema.AllowedValues():
                why = _allowed_values(constraint, value, kind)
            case schema.Modulo():
                why = _modulo(constraint, value)
            case schema.CustomConstraint():
                why = custom_constraints.find_failure(constraint.name, value)
    except (ValueError, TypeError, OverflowError, ArithmeticError) as error:
        why = str(error)
    return (constraint.description or why) if why else None


def failure_text(constraint: schema.Constraint) -> str:
    """Return the end of a sentence on a value that does not keep to it.

    The sentence may be told to anybody: nothing of the value is in it.
    """
    match constraint:
        case schema.Range():
            return _outside_bounds(constraint)
        case schema.Length():
            return f"has a length that {_outside_bounds(constraint)}"
        case schema.AllowedValues():
            return f"is not an allowed value {_json(list(constraint.values))}"
        case schema.Modulo(step=step, offset=offset):
            return f"is not a multiple of {step} with an offset of {offset})"
        case schema.AllowedPattern():
            return f'does not match pattern "{constraint.pattern}"'
    assert isinstance(constraint, schema.CustomConstraint)
    return f"does not validate {constraint.name}"


def _range(constraint: schema.Range, value: object) -> str | None:
    number = types.to_number(value)
    low, high = constraint.minimum, constraint.maximum
    if (low is not None and number < low) or (
        high is not None and number > high
    ):
        return f"{value} {_outside_bounds(constraint)}"
    return None


def _length(constraint: schema.Length, value: object) -> str | None:
    if not isinstance(value, str | list | dict):
        return f"{value} has no length"
    size = len(value)
    low, high = constraint.minimum, constraint.maximum
    if (low is not None and size < low) or (high is not None and size > high):
        return f"length ({size}) {_outside_bounds(constraint)}"
    return None


def _outside_bounds(bounds: schema.Range | schema.Length) -> str:
    return f"is out of range (min: {bounds.minimum}, max: {bounds.maximum})"


def _modulo(constraint: schema.Modulo, value: object) -> str | None:
    number = types.to_number(value)
    if number % constraint.step == constraint.offset:
        return None
    return f"{value} {failure_text(constraint)}"


def _allowed_values(
    constraint: schema.AllowedValues, value: object, kind: schema.Type
) -> str | None:
    if isinstance(value, list):
        is_fine = not values.without_values(value, constraint.values)
    else:
        allowed = [_as(kind, one) for one in constraint.values]
        is_fine = _as(kind, value) in allowed
    if is_fine:
        return None
    return f"{_json(value)} {failure_text(constraint)}"


def _as(kind: schema.Type, value: object) -> object:
    """Return the value as its type compares it.

    :raises ValueError: it is none of that type
    """
    try:
        if kind in _NUMBERS:
            return types.to_number(value)
        if kind is schema.Type.BOOLEAN:
            return types.TYPES["boolean"].parse(value)
    except (ValueError, TypeError):
        raise ValueError(
            f'Value "{value}" is invalid for data type "{kind.value}"'
        ) from None
    if kind is schema.Type.STRING and isinstance(value, int | float):
        return str(value)
    return value


def _json(value: object) -> str:
    return json.dumps(value, default=str)


def _allowed_pattern(
    constraint: schema.AllowedPattern, value: object, spend: regex.Spend
) -> str | None:
    if isinstance(value, str):
        match = regex.Pattern(constraint.pattern, 0, spend).match(value)
        # As Heat does: the first way to match decides, not the longest.
        if match is not None and match.end() == len(value):
            return None
    return f'"{value}" {failure_text(constraint)}'
