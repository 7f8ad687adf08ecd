"""Cuts what was seen of a tree into pages.

Outer stacks come first, then those of the same depth by path, and in each
its resources by name. The place of a page is a path, so that it stays right
when resources come and go between two pages.
"""

import collections.abc
import dataclasses

from orch.engine.operations import seen as seen_

Place = tuple[int, tuple[str, ...]]
"""How many names a path has, and the names."""

_Stacks = collections.abc.Iterable[seen_.Member]
_Fits = collections.abc.Callable[[seen_.Thing], bool]


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """A stack of a page, and its things that the page tells of."""

    member: seen_.Member
    things: tuple[seen_.Thing, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """Some of what was seen.

    :ivar last: the path of its last thing where there may be more behind
        it; ``None`` for the last page
    """

    parts: tuple[Part, ...]
    last: str | None


def cut(
    members: _Stacks, fits: _Fits, limit: int | None, marker: str | None
) -> Page:
    """Return the page behind a place.

    A stack without things that fit is in the page in which it has its turn.

    :param fits: answers whether a thing is told of
    :param limit: things of the page at most; ``None`` for all, 0 for none,
        and for no page behind it
    :param marker: path of the last thing of the page before; ``None`` for
        the first page
    """
    if limit == 0:
        return Page((), None)
    after = None if marker is None else _place(marker)
    ordered = sorted(members, key=_place_of)
    fitting = [
        (_place(thing.path), thing)
        for member in ordered
        for thing in sorted(member.things, key=lambda each: each.row.name)
        if fits(thing)
    ]
    rest = [each for each in fitting if after is None or each[0] > after]
    chosen = rest if limit is None else rest[:limit]
    is_last = len(chosen) == len(rest)
    until = None if is_last else chosen[-1][0]
    told: dict[Place, list[seen_.Thing]] = {}
    for (depth, names), thing in chosen:
        told.setdefault((depth, (*names[:-1], "")), []).append(thing)
    parts = [
        Part(each, tuple(told.get(_place_of(each), ())))
        for each in ordered
        if _place_of(each) in told or _is_within(_place_of(each), after, until)
    ]
    return Page(tuple(parts), None if is_last else chosen[-1][1].path)


def _is_within(place: Place, after: Place | None, until: Place | None) -> bool:
    return (after is None or place > after) and (
        until is None or place < until
    )


def _place(path: str) -> Place:
    names = tuple(path.split("/"))
    return len(names), names


def _place_of(member: seen_.Member) -> Place:
    """Return where a stack has its turn: before the first of its things."""
    return _place(f"{member.path}/" if member.path else "")
