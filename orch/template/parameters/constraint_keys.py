"""Constraints as templates write them: HOT's words, CloudFormation's keys."""

import collections.abc
import typing

from orch.plugin import schema

BOUNDS: typing.Final[
    collections.abc.Mapping[str, collections.abc.Mapping[str, str]]
] = {
    "length": {"min": "MinLength", "max": "MaxLength"},
    "range": {"min": "MinValue", "max": "MaxValue"},
}
"""The keys of CloudFormation for each bound, by the word of HOT."""
VALUES: typing.Final[collections.abc.Mapping[str, str]] = {
    "allowed_values": "AllowedValues",
    "allowed_pattern": "AllowedPattern",
}
"""The keys of the other constraints that both have, by the word of HOT."""


def as_written(constraint: schema.Constraint) -> dict[str, object]:
    """Return the word of a constraint with its value, without description."""
    match constraint:
        case schema.Range():
            return {"range": _bounds(constraint)}
        case schema.Length():
            return {"length": _bounds(constraint)}
        case schema.Modulo(step=step, offset=offset):
            return {"modulo": {"step": step, "offset": offset}}
        case schema.AllowedValues():
            return {"allowed_values": list(constraint.values)}
        case schema.AllowedPattern():
            return {"allowed_pattern": constraint.pattern}
    assert isinstance(constraint, schema.CustomConstraint)
    return {"custom_constraint": constraint.name}


def _bounds(constraint: schema.Range | schema.Length) -> dict[str, object]:
    both = {"min": constraint.minimum, "max": constraint.maximum}
    return {name: bound for name, bound in both.items() if bound is not None}


def keys_of_constraint(constraint: schema.Constraint) -> dict[str, object]:
    """Return the keys of a constraint; none for one that has none there."""
    ((word, value),) = as_written(constraint).items()
    if isinstance(value, dict):
        keys = BOUNDS.get(word, {})
        return {keys[name]: value[name] for name in value if name in keys}
    return {VALUES[word]: value} if word in VALUES else {}
