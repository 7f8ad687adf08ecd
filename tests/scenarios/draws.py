"""Random things, and random changes of things that are wanted already.

Bare random templates seldom have much to do with each other; most changes
that people make are small.
"""

import collections.abc
import dataclasses
import random

from tests.scenarios import shapes

NAMES = "abcdef"
_TYPES = ("Thing", "Thing", "Thing", "Other")
_POLICIES = ("Delete", "Delete", "Delete", "Retain", "Snapshot")
_VALUES = ("", "one")
LABELS = ("", "one", "two")

Shape = dict[str, shapes.ResourceShape]


def shape(chance: random.Random, slow: float = 0.0) -> Shape:
    """Return things, each of which needs only earlier ones."""
    found: Shape = {}
    for name in chance.sample(NAMES, chance.randint(1, len(NAMES))):
        found[name] = _draw_resource(chance, found, slow)
    return found


def changed(chance: random.Random, before: shapes.Shape) -> Shape:
    """Return things of which one to three are otherwise than before."""
    found = dict(shapes.plain(before))
    if not found:
        return shape(chance)
    for _ in range(chance.randint(1, 3)):
        found = chance.choice(_CHANGES)(chance, found)
    return found


def _draw_resource(
    chance: random.Random, among: Shape, slow: float = 0.0
) -> shapes.ResourceShape:
    return shapes.ResourceShape(
        type=chance.choice(_TYPES),
        value=chance.choice(_VALUES),
        label=chance.choice(LABELS),
        refs=_some(chance, among),
        fixed_refs=_some(chance, among),
        reads=_some(chance, among),
        after=_some(chance, among),
        policy=chance.choice(_POLICIES),
        slow=slow,
    )


def _some(chance: random.Random, among: Shape) -> tuple[str, ...]:
    if not among or chance.random() < 0.5:
        return ()
    most = min(2, len(among))
    return tuple(chance.sample(sorted(among), chance.randint(1, most)))


def _with(found: Shape, name: str, **values: object) -> Shape:
    thing = dataclasses.replace(found[name], **values)  # type: ignore[arg-type]
    return {**found, name: thing}


def _relabel(chance: random.Random, found: Shape) -> Shape:
    name = chance.choice(sorted(found))
    return _with(found, name, label=chance.choice(LABELS))


def _revalue(chance: random.Random, found: Shape) -> Shape:
    name = chance.choice(sorted(found))
    return _with(found, name, value=chance.choice(_VALUES))


def _retype(chance: random.Random, found: Shape) -> Shape:
    name = chance.choice(sorted(found))
    return _with(found, name, type=chance.choice(_TYPES))


def _change_policy(chance: random.Random, found: Shape) -> Shape:
    name = chance.choice(sorted(found))
    return _with(found, name, policy=chance.choice(_POLICIES))


def _rename(chance: random.Random, found: Shape) -> Shape:
    """Give a thing the name of none, or let two change their names."""
    old, new = chance.choice(sorted(found)), chance.choice(NAMES)
    return _renamed(found, {old: new, new: old})


def _invert(chance: random.Random, found: Shape) -> Shape:
    """Let each need those that needed it."""
    return {
        name: dataclasses.replace(
            thing,
            refs=_holders(found, name, "refs"),
            fixed_refs=_holders(found, name, "fixed_refs"),
            reads=_holders(found, name, "reads"),
            after=_holders(found, name, "after"),
        )
        for name, thing in found.items()
    }


def _holders(found: Shape, name: str, how: str) -> tuple[str, ...]:
    return tuple(
        other for other in sorted(found) if name in getattr(found[other], how)
    )


def with_another(chance: random.Random, found: Shape) -> Shape:
    """Return things with one more, unless all names are taken."""
    free = [name for name in NAMES if name not in found]
    if not free:
        return found
    slow = max(each.slow for each in found.values())
    return {**found, chance.choice(free): _draw_resource(chance, found, slow)}


def _remove(chance: random.Random, found: Shape) -> Shape:
    """Take one away, and what needs it from the others."""
    if len(found) == 1:
        return found
    gone = chance.choice(sorted(found))
    return {
        name: dataclasses.replace(
            thing,
            refs=_without(thing.refs, gone),
            fixed_refs=_without(thing.fixed_refs, gone),
            reads=_without(thing.reads, gone),
            after=_without(thing.after, gone),
        )
        for name, thing in found.items()
        if name != gone
    }


def _without(names: tuple[str, ...], gone: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != gone)


def _renamed(found: Shape, names: collections.abc.Mapping[str, str]) -> Shape:
    def all_of(these: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in these)

    return {
        names.get(name, name): dataclasses.replace(
            thing,
            refs=all_of(thing.refs),
            fixed_refs=all_of(thing.fixed_refs),
            reads=all_of(thing.reads),
            after=all_of(thing.after),
        )
        for name, thing in found.items()
    }


_CHANGES: tuple[
    collections.abc.Callable[[random.Random, Shape], Shape], ...
] = (
    *(_relabel, _revalue, _retype, _change_policy, _rename, _invert),
    *(with_another, _remove),
)
