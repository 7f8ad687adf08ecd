"""Places in the value of a property, which drift policies may name.

A place has the name that reports show: the property, then the keys of maps and
indexes of lists that lead to it, with dots between (``update.body.size``). Of
lists only those of equal lengths are compared element by element.
"""

import collections.abc
import enum

Names = tuple[str, ...]
"""Names of the places that a place is in, the property first, then its own."""


class _Missing(enum.Enum):
    MISSING = "missing"


_MISSING = _Missing.MISSING


def list_names(name: str, value: object) -> collections.abc.Iterator[str]:
    """Yield the names of all places in a value of a property, its own too."""
    yield name
    for key, (part,) in _parts(value):
        yield from list_names(f"{name}.{key}", part)


def list_differing(
    names: Names, expected: object, live: object
) -> collections.abc.Iterator[Names]:
    """Yield the narrowest places at which two values differ."""
    if expected == live:
        return
    parts = list(_parts(expected, live))
    for key, (ours, theirs) in parts:
        yield from list_differing(_below(names, key), ours, theirs)
    if not parts:
        yield names


def combine_values(
    names: Names,
    expected: object,
    live: object,
    takes_live: collections.abc.Callable[[Names], bool],
) -> object:
    """Return a value with the expected or the live one at each place."""
    parts = list(_parts(expected, live))
    if not parts:
        return live if takes_live(names) else expected
    combined = {
        key: combine_values(_below(names, key), ours, theirs, takes_live)
        for key, (ours, theirs) in parts
    }
    if isinstance(expected, list):
        return list(combined.values())
    found = {k: part for k, part in combined.items() if part is not _MISSING}
    is_absent = not found and _MISSING in (expected, live)
    return _MISSING if is_absent else found


def _below(names: Names, key: object) -> Names:
    return (*names, f"{names[-1]}.{key}")


def _parts(
    *values: object,
) -> collections.abc.Iterator[tuple[object, tuple[object, ...]]]:
    """Yield the parts of maps, or of lists of one length, side by side.

    A map that is missing on one side is compared key by key too.

    :returns: key or index, with the part of each value; nothing for values
        that are compared as a whole
    """
    if any(isinstance(each, collections.abc.Mapping) for each in values):
        values = tuple({} if each is _MISSING else each for each in values)
    maps = [x for x in values if isinstance(x, collections.abc.Mapping)]
    lists = [each for each in values if isinstance(each, list)]
    if len(maps) == len(values):
        for key in dict.fromkeys(key for each in maps for key in each):
            yield key, tuple(each.get(key, _MISSING) for each in maps)
    elif len(lists) == len(values) and len({*map(len, lists)}) == 1:
        yield from enumerate(zip(*lists, strict=True))
