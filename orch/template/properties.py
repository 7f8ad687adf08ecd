"""Values of properties: coerced to their types, completed, and checked.

The rules are Heat's: what counts as a text, a number, a boolean; what an
explicit ``null`` becomes; which defaults are filled in.
"""

import collections.abc
import math

from orch.plugin import schema
from orch.template import constraints
from orch.template import errors
from orch.template import parameter_types
from orch.template import problems
from orch.template import world

Values = dict[str, object]
Found = collections.abc.Callable[[problems.Fault], None]
"""Told of each thing that is wrong."""

_EMPTY: dict[schema.Type, object] = {
    schema.Type.STRING: "",
    schema.Type.INTEGER: 0,
    schema.Type.NUMBER: 0,
    schema.Type.BOOLEAN: False,
}


class Coercer:
    """Coerces the properties of one type of resource."""

    def __init__(self, properties: schema.Properties) -> None:
        self._properties = {one.name: one for one in properties}
        self._defaults = {
            one.name: _value(one, one.default, (), _ignore)
            for one in properties
            if one.default is not None
        }

    def unknown(
        self, names: collections.abc.Iterable[str], path: errors.Path
    ) -> collections.abc.Iterator[problems.Fault]:
        """Return a fault for each name that no property has."""
        for name in names:
            if name not in self._properties:
                yield problems.Fault(
                    (*path, name),
                    f"Unknown Property {name}",
                    advice=problems.suggest(name, self._properties),
                )

    def coerce(
        self,
        given: collections.abc.Mapping[str, object],
        path: errors.Path,
        found: Found,
    ) -> Values:
        """Return all properties, defaults filled in, absent ones ``None``.

        :param given: resolved values
        :param found: told of values that are wrong; they are then ``None``
        """
        values: Values = {}
        for name, one in self._properties.items():
            if name in given:
                values[name] = _value(one, given[name], (*path, name), found)
            elif name in self._defaults:
                values[name] = self._defaults[name]
            else:
                values[name] = None
                if one.required:
                    found(
                        problems.Fault(path, f"Property {name} not assigned")
                    )
        return values


def _ignore(fault: problems.Fault) -> None:
    """Forget what is wrong with a default: it is the plug-in's."""


def _value(
    declared: schema.Property, value: object, path: errors.Path, found: Found
) -> object:
    """Return one value, coerced and checked."""
    if value is world.UNKNOWN:
        return value
    if value is None:
        value = declared.default
        if value is None:
            value = _EMPTY.get(declared.type)
    try:
        coerced = _coerced(declared, value, path, found)
    except (ValueError, TypeError, OverflowError) as error:
        found(problems.Fault(path, str(error)))
        return None
    for constraint in declared.constraints:
        why = constraints.failure(constraint, coerced, declared.type)
        if why:
            found(problems.Fault(path, why))
    return coerced


def _coerced(
    declared: schema.Property, value: object, path: errors.Path, found: Found
) -> object:
    kind = declared.type
    if kind is schema.Type.STRING:
        return _string(value)
    if kind is schema.Type.NUMBER:
        return parameter_types.to_number(value)
    if kind is schema.Type.INTEGER:
        return _integer(value)
    if kind is schema.Type.BOOLEAN:
        return _boolean(value)
    if kind is schema.Type.MAP:
        return _map(declared, value, path, found)
    if kind is schema.Type.LIST:
        return _list(declared, value, path, found)
    return value


def _string(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    raise ValueError(f"Value must be a string; got {value!r}"[:400])


def _integer(value: object) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"Value '{value}' is not an integer")
    if not isinstance(value, str | int | float):
        raise TypeError(
            "int() argument must be a string, a bytes-like object or a real"
            f" number, not {type(value).__name__!r}"
        )
    try:
        return int(value)
    except ValueError:
        raise ValueError(f"Value '{value}' is not an integer") from None


def _boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word not in ("true", "false"):
        raise ValueError(f'"{word}" is not a valid boolean'[:400])
    return word == "true"


def _map(
    declared: schema.Property, value: object, path: errors.Path, found: Found
) -> object:
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise TypeError(f'"{value}" is not a map'[:400])
    if declared.fields:
        fields = Coercer(declared.fields)
        for fault in fields.unknown(value, path):
            found(fault)
        return fields.coerce(value, path, found)
    if declared.items is not None:
        return {
            key: _value(declared.items, one, (*path, key), found)
            for key, one in value.items()
        }
    return value


def _list(
    declared: schema.Property, value: object, path: errors.Path, found: Found
) -> object:
    if value is None:
        value = []
    if not isinstance(value, list):
        raise TypeError(f'"{value!r}" is not a list'[:400])
    if declared.items is None:
        return value
    return [
        _value(declared.items, one, (*path, place), found)
        for place, one in enumerate(value)
    ]
