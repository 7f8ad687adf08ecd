"""Read-only values, frozen only where they are accessed.

A view of a thousand resources costs nothing until a plug-in reads it, and
then only what it reads.
"""

import collections.abc
import typing


class FrozenMapping(collections.abc.Mapping[str, object]):
    """A mapping that is read-only at any depth.

    Lists are returned as tuples, mappings as frozen ones.
    """

    __slots__ = ("_values",)

    _values: collections.abc.Mapping[str, object]

    def __init__(self, values: collections.abc.Mapping[str, object]) -> None:
        """Wrap these values; their owner must not change them any more."""
        object.__setattr__(self, "_values", values)

    def __getitem__(self, key: str) -> object:
        """Return one value, frozen."""
        return freeze(self._values[key])

    def __iter__(self) -> collections.abc.Iterator[str]:
        """Iterate over the keys."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return how many keys there are."""
        return len(self._values)

    def __repr__(self) -> str:
        """Return the text of the mapping."""
        return f"FrozenMapping({dict(self)!r})"

    def __setattr__(self, name: str, value: object) -> None:
        """Raise AttributeError: the object is frozen.

        :raises AttributeError: always
        """
        raise AttributeError(f"{name} cannot be set: the values are frozen")

    def __delattr__(self, name: str) -> None:
        """Raise AttributeError: the object is frozen.

        :raises AttributeError: always
        """
        raise AttributeError(f"{name} cannot go: the values are frozen")


def freeze(value: object) -> object:
    """Return a JSON value as a read-only one."""
    if isinstance(value, FrozenMapping):
        return value
    if isinstance(value, collections.abc.Mapping):
        return FrozenMapping(value)
    if isinstance(value, list | tuple):
        return tuple(freeze(each) for each in value)
    return value


def thaw(value: object) -> typing.Any:
    """Return a frozen value as dicts and lists, for ``json`` and the like."""
    if isinstance(value, collections.abc.Mapping):
        return {key: thaw(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(each) for each in value]
    return value
