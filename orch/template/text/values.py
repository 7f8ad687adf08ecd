"""Questions about values that many functions ask, and texts of values."""

import collections.abc
import json
import typing

from orch.plugin import function


def is_list(value: object) -> typing.TypeGuard[list[object]]:
    """Answer whether the value is a list."""
    return isinstance(value, list)


def is_map(value: object) -> typing.TypeGuard[dict[str, object]]:
    """Answer whether the value is a map."""
    return isinstance(value, dict)


def need_list(name: str, arguments: object) -> list[object]:
    """Return the arguments of a function that takes a list as written.

    :raises TypeError: they are something else
    """
    arguments = plain_items(arguments)
    if not is_list(arguments):
        raise TypeError(f'Arguments to "{name}" must be a list')
    return arguments


def need_map(name: str, arguments: object) -> dict[str, object]:
    """Return the arguments of a function that takes a map as written.

    :raises TypeError: they are something else
    """
    arguments = plain_items(arguments)
    if not is_map(arguments):
        raise TypeError(f'Arguments to "{name}" must be a map')
    return arguments


class Container(function.Node):
    """A list or map that has nodes in it."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[object] | dict[str, object]) -> None:
        super().__init__()
        self.parts = parts


def plain_items(value: object) -> object:
    """Return a list or map as written, its members not resolved yet."""
    return value.parts if isinstance(value, Container) else value


def as_json(value: object) -> str:
    """Return the value as JSON text, keys sorted."""
    return json.dumps(value, sort_keys=True)


def unique_values(values: collections.abc.Iterable[object]) -> list[object]:
    """Return the values without those that equal an earlier one."""
    found: dict[object, object] = {}
    for value in values:
        found.setdefault(_hashable(value), value)
    return list(found.values())


def without_values(
    values: collections.abc.Iterable[object],
    dropped: collections.abc.Iterable[object],
) -> list[object]:
    """Return the values that equal none of ``dropped``."""
    known = set(map(_hashable, dropped))
    return [value for value in values if _hashable(value) not in known]


def _hashable(value: object) -> collections.abc.Hashable:
    """Return what equals the same of another value when they are equal."""
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return frozenset((key, _hashable(one)) for key, one in value.items())
    return value


def position(value: object, step: object) -> object:
    """Return the step; digits count as a number where a list wants one.

    :raises ValueError: the list wants a number, and the step is none
    """
    if isinstance(value, list | str) and isinstance(step, str):
        return int(step)
    return step


def value_at(value: object, path: collections.abc.Iterable[object]) -> object:
    """Return the part of a value that a path of keys and positions names.

    Texts have positions too, as they have in Heat.

    :raises KeyError, IndexError, TypeError: there is no such part
    """
    for step in path:
        if not isinstance(step, str | int):
            raise TypeError("steps of a path are strings or numbers")
        if isinstance(value, dict):
            value = value[step]
        elif not isinstance(value, list | str) or isinstance(step, str):
            raise TypeError("the path goes on where the value ends")
        else:
            value = value[step]
    return value
