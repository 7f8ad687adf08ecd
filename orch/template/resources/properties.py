"""Values of properties: coerced to their types, completed, and checked.

The rules are Heat's: what counts as a text, a number, a boolean; what an
explicit ``null`` becomes; which defaults are filled in.
"""

import collections.abc
import math

from orch.model import marked
from orch.plugin import schema
from orch.template import errors
from orch.template import problems
from orch.template import world
from orch.template.parameters import constraints
from orch.template.parameters import types

Values = dict[str, object]
SENSITIVE = "its value, which is sensitive,"
Found = collections.abc.Callable[[problems.Fault], None]
"""Told of each thing that is wrong."""

_EMPTY: dict[schema.Type, object] = {
    schema.Type.STRING: "",
    schema.Type.INTEGER: 0,
    schema.Type.NUMBER: 0,
    schema.Type.BOOLEAN: False,
}


class Coercer:
    """Coerces the properties of one type of resource.

    Made once for a type: what its schema says of nested parts and of
    defaults is worked out here, not for each resource.
    """

    def __init__(self, properties: schema.Properties) -> None:
        self._parts = {one.name: _Part(one) for one in properties}
        self._former = {
            former: one.name
            for one in properties
            for former in one.former_names
        }
        self._defaults = {
            one.name: self._parts[one.name].value(one.default, (), _ignore)
            for one in properties
            if one.default is not None
        }

    @property
    def names(self) -> collections.abc.Iterable[str]:
        """The names of all properties."""
        return self._parts

    def unknown(
        self, names: collections.abc.Iterable[str], path: errors.Path
    ) -> collections.abc.Iterator[problems.Fault]:
        """Return a fault for each name that no property has."""
        for name in names:
            if name not in self._parts and name not in self._former:
                yield UnknownProperty(
                    (*path, name),
                    f"Unknown Property {name}",
                    advice=problems.suggest_name(name, self._parts),
                )

    def coerce(
        self,
        given: collections.abc.Mapping[str, object],
        path: errors.Path,
        found: Found,
    ) -> Values:
        """Return all properties, defaults filled in, absent ones ``None``.

        :param given: resolved values; former names count for present ones
        :param found: told of values that are wrong; they are then ``None``
        """
        written = self._written(given, path, found) if self._former else {}
        values: Values = {}
        for name, part in self._parts.items():
            key = written.get(name, name)
            if key in given:
                values[name] = part.value(given[key], (*path, key), found)
            elif name in self._defaults:
                values[name] = self._defaults[name]
            else:
                values[name] = None
                if part.declared.required:
                    why = f"Property {name} not assigned"
                    found(problems.Fault(path, why, bare=why))
        return values

    def current_path(self, path: marked.Path) -> marked.Path:
        """Return a path with present names of properties for former ones."""
        if not path:
            return path
        name = self._former.get(str(path[0]), path[0])
        part = self._parts.get(str(name))
        return (name, *(part.current_path(path[1:]) if part else path[1:]))

    def omit_sensitive(
        self,
        fault: problems.Fault,
        path: errors.Path,
        sensitive: marked.Paths,
    ) -> None:
        """Let a fault tell nothing of what is sensitive in properties.

        :param path: of the properties
        :param sensitive: paths of that, as seen from there
        """
        steps = self.current_path(fault.path[len(path) :])
        around = [each for each in sensitive if steps[: len(each)] == each]
        if isinstance(fault, UnknownProperty):
            # It tells of a name, and not of the value of that.
            around = [each for each in around if len(each) < len(steps)]
            is_sensitive = bool(around)
        else:
            is_sensitive = bool(steps and marked.below(sensitive, *steps))
        if is_sensitive:
            depth = min(map(len, around), default=len(steps))
            fault.path = fault.path[: len(path) + depth]
            fault.omit_value()

    def _written(
        self,
        given: collections.abc.Mapping[str, object],
        path: errors.Path,
        found: Found,
    ) -> dict[str, str]:
        """Return what properties are called here, where by a former name."""
        written: dict[str, str] = {}
        for former, name in self._former.items():
            if former not in given:
                continue
            if name in given or name in written:
                found(
                    problems.Fault(
                        (*path, former),
                        f"{former} is a former name of {name}, which is given"
                        " too",
                        advice=f"Give {name} alone.",
                    )
                )
            else:
                written[name] = former
        return written


def _ignore(fault: problems.Fault) -> None:
    """Forget what is wrong with a default: it is the plug-in's."""


class UnknownProperty(problems.Fault):
    """No property has the name that its path ends with."""


class WrongType(problems.Fault):
    """A value is not of the type that its property has."""


class _Part:
    """One property, or one part of a list or map."""

    __slots__ = ("_fields", "_items", "declared")

    def __init__(self, declared: schema.Property) -> None:
        self.declared = declared
        self._fields = Coercer(declared.fields) if declared.fields else None
        self._items = _Part(declared.items) if declared.items else None

    def value(self, value: object, path: errors.Path, found: Found) -> object:
        """Return one value, coerced and checked."""
        declared = self.declared
        if value is world.UNKNOWN:
            return value
        if value is None:
            value = declared.default
            if value is None:
                value = _EMPTY.get(declared.type)
        try:
            coerced = self._coerced(value, path, found)
        except (ValueError, TypeError, OverflowError) as error:
            bare = f"{SENSITIVE} is no {declared.type.value}"
            found(WrongType(path, str(error), bare=bare))
            return None
        for constraint in declared.constraints:
            why = constraints.find_failure(constraint, coerced, declared.type)
            if why:
                breach = constraints.failure_text(constraint)
                bare = constraint.description or f"{SENSITIVE} {breach}"
                found(problems.Fault(path, why, bare=bare))
        return coerced

    def current_path(self, path: marked.Path) -> marked.Path:
        """Return a path in it with present names for former ones."""
        if self._fields is not None:
            return self._fields.current_path(path)
        if self._items is not None and path:
            return (path[0], *self._items.current_path(path[1:]))
        return path

    def _coerced(
        self, value: object, path: errors.Path, found: Found
    ) -> object:
        kind = self.declared.type
        if kind is schema.Type.MAP:
            return self._map(value, path, found)
        if kind is schema.Type.LIST:
            return self._list(value, path, found)
        convert = _CONVERT.get(kind)
        return convert(value) if convert else value

    def _map(self, value: object, path: errors.Path, found: Found) -> object:
        if value is None:
            value = {}
        if not isinstance(value, dict):
            if self.declared.is_parameter and isinstance(value, str | list):
                return value
            raise TypeError(f'"{value}" is not a map'[:400])
        if self._fields is not None:
            for fault in self._fields.unknown(value, path):
                found(fault)
            return self._fields.coerce(value, path, found)
        if self._items is not None:
            return {
                key: self._items.value(one, (*path, key), found)
                for key, one in value.items()
            }
        return value

    def _list(self, value: object, path: errors.Path, found: Found) -> object:
        if value is None:
            value = []
        if self.declared.is_parameter and isinstance(value, str):
            value = types.TYPES["comma_delimited_list"].parse(value)
        if not isinstance(value, list):
            raise TypeError(f'"{value!r}" is not a list'[:400])
        if self._items is None:
            return value
        return [
            self._items.value(one, (*path, place), found)
            for place, one in enumerate(value)
        ]


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


_CONVERT: collections.abc.Mapping[
    schema.Type, collections.abc.Callable[[object], object]
] = {
    schema.Type.STRING: _string,
    schema.Type.NUMBER: types.to_number,
    schema.Type.INTEGER: _integer,
    schema.Type.BOOLEAN: _boolean,
}
