"""Places in the value of a property, which drift policies may name.

A place has the name that reports show: the property, then the keys of maps and
indexes of lists that lead to it, with dots between (``update.body.size``). Of
lists only those of equal lengths are compared element by element.
"""

import collections
import collections.abc
import dataclasses
import difflib
import enum
import json
import typing

Names = tuple[str, ...]
"""Names of the places that a place is in, the property first, then its own."""


class _Missing(enum.Enum):
    MISSING = "missing"


_MISSING = _Missing.MISSING
_MAX_ELEMENTS: typing.Final = 1000
"""Elements of lists that are matched with each other."""
_MAX_WORK: typing.Final = 1_000_000
"""Equal pairs of elements, times elements, that a match of two lists takes."""
IsWhole = collections.abc.Callable[[object], bool]
"""Whether a map or list is compared as a whole."""


class DifferenceKind(enum.StrEnum):
    """How the element of a list whose length differs is in only one value."""

    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PlaceDifference:
    """The narrowest place at which two values differ, with its values there.

    :ivar name: of the place; of a list whose length differs, its own
    :ivar index: of an element that was removed, in the expected list; of an
        added one, in the live list
    :ivar expected: ``None`` where nothing is
    :ivar live: ``None`` where nothing is
    """

    name: str
    kind: DifferenceKind = DifferenceKind.CHANGED
    index: int | None = None
    expected: object = None
    live: object = None


def list_names(name: str, value: object) -> collections.abc.Iterator[str]:
    """Yield the names of all places in a value of a property, its own too."""
    yield name
    for key, (part,) in _parts(value):
        yield from list_names(f"{name}.{key}", part)


def list_differing(
    names: Names, expected: object, live: object
) -> collections.abc.Iterator[Names]:
    """Yield the narrowest places at which two values differ."""
    for place, _, _ in _differing(names, expected, live):
        yield place


def list_differences(
    name: str,
    expected: object,
    live: object,
    is_whole: IsWhole = lambda _: False,
) -> collections.abc.Iterator[PlaceDifference]:
    """Yield the differences of two values, place by place.

    Of lists of different lengths each element that was removed or added is
    one.

    :param name: of the property
    """
    for place, ours, theirs in _differing((name,), expected, live, is_whole):
        matcher = _match(ours, theirs)
        if matcher is not None:
            yield from _list_elements(place[-1], matcher, ours, theirs)
        else:
            yield PlaceDifference(
                name=place[-1],
                expected=None if ours is _MISSING else ours,
                live=None if theirs is _MISSING else theirs,
            )


def _match(
    expected: object, live: object
) -> difflib.SequenceMatcher[str] | None:
    """Return what matches the elements of two lists.

    :returns: ``None`` for other values, and where it would take long
    """
    if not (isinstance(expected, list) and isinstance(live, list)):
        return None
    least, most = sorted((len(expected), len(live)))
    if most > _MAX_ELEMENTS:
        return None
    ours, theirs = (
        [json.dumps(each, sort_keys=True, default=str) for each in value]
        for value in (expected, live)
    )
    counts = collections.Counter(theirs)
    if least * sum(counts[each] for each in ours) > _MAX_WORK:
        return None
    return difflib.SequenceMatcher(None, ours, theirs, autojunk=False)


def _list_elements(
    name: str,
    matcher: difflib.SequenceMatcher[str],
    expected: typing.Any,
    live: typing.Any,
) -> collections.abc.Iterator[PlaceDifference]:
    """Yield the elements that only one of two lists has."""
    for tag, start, end, live_start, live_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        for index in range(start, end):
            yield PlaceDifference(
                name=name,
                kind=DifferenceKind.REMOVED,
                index=index,
                expected=expected[index],
            )
        for index in range(live_start, live_end):
            yield PlaceDifference(
                name=name,
                kind=DifferenceKind.ADDED,
                index=index,
                live=live[index],
            )


def _differing(
    names: Names,
    expected: object,
    live: object,
    is_whole: IsWhole = lambda _: False,
) -> collections.abc.Iterator[tuple[Names, object, object]]:
    """Yield the narrowest places at which two values differ, with both."""
    if expected == live:
        return
    parts = []
    if not (is_whole(expected) or is_whole(live)):
        parts = list(_parts(expected, live))
    for key, (ours, theirs) in parts:
        yield from _differing(_below(names, key), ours, theirs, is_whole)
    if not parts:
        yield names, expected, live


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
