"""Finds a rack for each of many objects under rules; it knows no stacks."""

import collections
import collections.abc
import dataclasses
import typing

_MAX_STEPS: typing.Final = 20_000

Capacity = collections.abc.Mapping[str, collections.abc.Mapping[str, int]]
"""How many objects of each type go into each rack."""


class NoPlace(Exception):  # noqa: N818 - it names what was found out
    """There is no arrangement; the text says which rule prevents it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Bundle:
    """Objects that go on one rack.

    :ivar paths: of the objects
    :ivar takes: how much room of each type
    :ivar rack: where it was before; empty if nowhere
    :ivar is_fixed: it stays there
    """

    paths: tuple[str, ...]
    takes: collections.abc.Mapping[str, int]
    rack: str = ""
    is_fixed: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Spread:
    """Objects that go on several racks.

    :ivar about: what they are, for people
    :ivar over: at least so many racks, or as many as there are objects
    :ivar max_per_rack: so many of them on one rack; ``None`` for any number
    """

    about: str
    paths: frozenset[str]
    over: int = 1
    max_per_rack: int | None = None

    @property
    def min_racks(self) -> int:
        """Return how many racks there have to be."""
        return min(self.over, len(self.paths))


class Bonds:
    """Which objects belong together; bound to one is bound to all."""

    def __init__(self, paths: collections.abc.Iterable[str]) -> None:
        """Begin with nothing bound."""
        self._heads = {path: path for path in paths}

    def bind(self, paths: collections.abc.Sequence[str]) -> None:
        """Bind those of the paths that are known."""
        known = [each for each in paths if each in self._heads]
        for other in known[1:]:
            self._heads[self._head(other)] = self._head(known[0])

    def groups(self) -> list[tuple[str, ...]]:
        """Return all objects, those that are bound in one tuple."""
        found: dict[str, list[str]] = collections.defaultdict(list)
        for path in self._heads:
            found[self._head(path)].append(path)
        return [tuple(each) for each in found.values()]

    def _head(self, path: str) -> str:
        while self._heads[path] != path:
            self._heads[path] = self._heads[self._heads[path]]
            path = self._heads[path]
        return path


def place(
    bundles: collections.abc.Sequence[Bundle],
    capacity: Capacity,
    spreads: collections.abc.Sequence[Spread],
) -> dict[str, str]:
    """Return the rack of each object, by path.

    Objects keep their racks where there is an arrangement with that.

    :param bundles: what is fixed is on a rack that exists
    :raises NoPlace: there is none at all, or none was found
    """
    _check_capacity(bundles, capacity)
    standing = [each for each in bundles if each.rack in capacity]
    fixed = [each for each in bundles if each.is_fixed]
    found = _Search(bundles, capacity, spreads, standing).run()
    if found is None and len(fixed) < len(standing):
        found = _Search(bundles, capacity, spreads, fixed).run()
    if found is not None:
        return found
    raise NoPlace(_explain(bundles, capacity, spreads))


class _Search:
    """Tries racks for one bundle after the other, and takes back."""

    def __init__(
        self,
        bundles: collections.abc.Sequence[Bundle],
        capacity: Capacity,
        spreads: collections.abc.Sequence[Spread],
        kept: collections.abc.Sequence[Bundle],
    ) -> None:
        self._free = {rack: dict(each) for rack, each in capacity.items()}
        self._spreads = spreads
        self._of: dict[str, list[int]] = collections.defaultdict(list)
        for number, spread in enumerate(spreads):
            for path in spread.paths:
                self._of[path].append(number)
        self._counts: list[collections.Counter[str]] = [
            collections.Counter() for _ in spreads
        ]
        self._left = [len(each.paths) for each in spreads]
        self._steps = 0
        self._kept = kept
        names = {id(each) for each in kept}
        # Large ones first: they have the least choice.
        self._rest = sorted(
            (each for each in bundles if id(each) not in names),
            key=lambda each: (-sum(each.takes.values()), each.paths),
        )
        self.found: dict[str, str] = {}

    def run(self) -> dict[str, str] | None:
        """Return an arrangement; ``None`` where none was found."""
        for each in self._kept:
            if not self._fits(each, each.rack):
                return None
            self._put(each, each.rack)
        return self.found if self._place_rest() else None

    def _place_rest(self) -> bool:
        """Place the bundles without racks; own stack, as trees are large."""
        tried: list[collections.abc.Iterator[str]] = []
        where: list[str] = []
        while True:
            if len(where) == len(self._rest):
                return self._is_spread()
            if len(tried) == len(where):
                bundle = self._rest[len(where)]
                tried.append(iter(self._choices(bundle)))
            rack = next(tried[-1], None)
            self._steps += 1
            if rack is not None and self._steps < _MAX_STEPS:
                self._put(self._rest[len(where)], rack)
                where.append(rack)
                if self._can_spread():
                    continue
            elif self._steps >= _MAX_STEPS or not where:
                return False
            else:
                tried.pop()
            self._take(self._rest[len(where) - 1], where.pop())

    def _choices(self, bundle: Bundle) -> list[str]:
        """Return the racks that it fits on, the best one first."""
        concerned = {
            number for path in bundle.paths for number in self._of[path]
        }

        def rank(rack: str) -> tuple[bool, int, int, str]:
            news = sum(
                not self._counts[number][rack]
                and len(self._counts[number]) < self._spreads[number].min_racks
                for number in concerned
            )
            free = sum(self._free[rack].get(each, 0) for each in bundle.takes)
            return rack != bundle.rack, -news, -free, rack

        fitting = [rack for rack in self._free if self._fits(bundle, rack)]
        return sorted(fitting, key=rank)

    def _fits(self, bundle: Bundle, rack: str) -> bool:
        if any(
            self._free[rack].get(each, 0) < count
            for each, count in bundle.takes.items()
        ):
            return False
        added = collections.Counter(
            number for path in bundle.paths for number in self._of[path]
        )
        for number, count in added.items():
            most = self._spreads[number].max_per_rack
            if most is not None and self._counts[number][rack] + count > most:
                return False
        return True

    def _put(self, bundle: Bundle, rack: str, sign: int = 1) -> None:
        for each, count in bundle.takes.items():
            self._free[rack][each] -= sign * count
        for path in bundle.paths:
            if sign > 0:
                self.found[path] = rack
            else:
                del self.found[path]
            for number in self._of[path]:
                counts = self._counts[number]
                counts[rack] += sign
                self._left[number] -= sign
                if not counts[rack]:
                    del counts[rack]

    def _take(self, bundle: Bundle, rack: str) -> None:
        self._put(bundle, rack, -1)

    def _can_spread(self) -> bool:
        """Whether enough objects are left for racks that lack some."""
        return all(
            len(counts) + left >= spread.min_racks
            for counts, left, spread in zip(
                self._counts, self._left, self._spreads, strict=True
            )
        )

    def _is_spread(self) -> bool:
        return all(
            len(counts) >= spread.min_racks
            for counts, spread in zip(self._counts, self._spreads, strict=True)
        )


def _check_capacity(
    bundles: collections.abc.Sequence[Bundle], capacity: Capacity
) -> None:
    """Do nothing where there is room for each alone, and for all in sum.

    :raises NoPlace: there is not
    """
    wanted: collections.Counter[str] = collections.Counter()
    for bundle in bundles:
        wanted.update(bundle.takes)
        if not bundle.is_fixed and not any(
            all(
                free.get(each, 0) >= count
                for each, count in bundle.takes.items()
            )
            for free in capacity.values()
        ):
            raise NoPlace(
                f"no rack has room for {_listed(bundle.takes)} together:"
                f" {', '.join(bundle.paths)}"
            )
    for each, count in wanted.items():
        free = sum(max(one.get(each, 0), 0) for one in capacity.values())
        if count > free:
            raise NoPlace(
                f"there is room for {free} {each} in all racks, and the stack"
                f" has {count}"
            )


def _explain(
    bundles: collections.abc.Sequence[Bundle],
    capacity: Capacity,
    spreads: collections.abc.Sequence[Spread],
) -> str:
    """Return which rule cannot be kept, as far as one alone is to blame."""
    for spread in spreads:
        concerned = [
            each for each in bundles if spread.paths.intersection(each.paths)
        ]
        able = [
            rack
            for rack, free in capacity.items()
            if any(
                all(
                    free.get(each, 0) >= count
                    for each, count in bundle.takes.items()
                )
                for bundle in concerned
            )
        ]
        if len(able) < spread.min_racks:
            return (
                f"{spread.about} should be on {spread.min_racks} racks, and"
                f" {len(able)} {'has' if len(able) == 1 else 'have'} room"
            )
        if len(concerned) < spread.min_racks:
            return (
                f"{spread.about} should be on {spread.min_racks} racks, and"
                " has to be together with others so that there are"
                f" {len(concerned)} parts"
            )
        if spread.max_per_rack is not None and (
            spread.max_per_rack * len(able) < len(spread.paths)
        ):
            return (
                f"{spread.about} should be at most {spread.max_per_rack}"
                f" on one rack, and there are {len(spread.paths)} for"
                f" {len(able)} racks"
            )
    return "there is no way to keep all rules on racks at once"


def _listed(takes: collections.abc.Mapping[str, int]) -> str:
    return " and ".join(f"{count} {each}" for each, count in takes.items())
