"""Which policy holds for a drift: of a stack, a resource, a property, a place.

How it is stored is said at :class:`orch.model.observation.Watch`.
"""

import collections.abc
import dataclasses
import typing

from orch.model import drift_place
from orch.model import observation

_ANY = "*"
_DOT: typing.Final = "."
_POLICY = "policy"
_PROPERTIES = "properties"

Values = collections.abc.Mapping[str, object]
_Policy = observation.Policy

_COUNTED: typing.Final = (_Policy.REPAIR, _Policy.ADOPT, _Policy.REPORT)
"""The policies of what counts as drift."""


@dataclasses.dataclass(frozen=True, slots=True)
class SortedDrift:
    """The drift of one property, divided by the policies of its places.

    :ivar counted: what counts as drift; ``None`` for nothing
    :ivar accepted: what becomes the baseline; ``None`` for nothing
    :ivar blocked: names of places that would be changed with those to repair,
        and are not to be: then nothing of the property is repaired
    """

    counted: observation.Difference | None = None
    accepted: observation.Difference | None = None
    blocked: tuple[str, ...] = ()


class Policies:
    """The policies of one tree of stacks.

    The narrower one holds: that of a place in a property, or of a property,
    whichever pattern it stands under, before that of a resource, before that
    of the stack. Of several patterns the one with the most characters that are
    no ``*`` holds, a path without any before all; of equal ones the last in
    the alphabet.
    """

    def __init__(self, stored: Values) -> None:
        """Understand what a watch keeps; without anything all is reported.

        :param stored: ``policy`` of the watch
        """
        self._of_tree = _read(stored.get("stack")) or (
            observation.DEFAULT_POLICY
        )
        resources = _map(stored.get("resources"))
        self._patterns = [
            (pattern, _map(resources[pattern]))
            for pattern in sorted(resources, key=_rank, reverse=True)
        ]
        self._named: dict[str, dict[str, observation.Policy]] = {}
        self._places: dict[str, set[str]] = {}
        for pattern, said in self._patterns:
            for name, value in _map(said.get(_PROPERTIES)).items():
                policy = observation.Policy(str(value))
                self._named.setdefault(name, {})[pattern] = policy
                first, dot, _ = name.partition(_DOT)
                if dot:
                    self._places.setdefault(first, set()).add(name)

    def of_resource(self, path: str) -> observation.Policy:
        """Return what is done about a thing that has drifted as a whole.

        :param path: names of resources from the root to this one, with ``/``
            between them
        """
        for pattern, said in self._patterns:
            found = _read(said.get(_POLICY))
            if found is not None and is_match(pattern, path):
                return found
        return self._of_tree

    def of_property(self, path: str, *names: str) -> observation.Policy:
        """Return what is done about a property that has drifted.

        :param path: of its resource, as :meth:`of_resource`
        :param names: of the property; of a place in it, all of
            :data:`orch.model.drift_place.Names`
        """
        for name in reversed(names):
            for policy in self._of_name(path, name):
                return policy
        return self.of_resource(path)

    def has_places(self, path: str, name: str) -> bool:
        """Whether a policy names a place in a property."""
        return any(True for _ in self._of_places(path, name))

    def repairs(self, path: str, name: str) -> bool:
        """Whether a property, or a place in it, is to be repaired."""
        return _Policy.REPAIR in (
            self.of_property(path, name),
            *self._of_places(path, name),
        )

    def _of_places(
        self, path: str, name: str
    ) -> collections.abc.Iterator[observation.Policy]:
        for place in self._places.get(name.partition(_DOT)[0], ()):
            if place.startswith(name + _DOT):
                yield from self._of_name(path, place)

    def _of_name(
        self, path: str, name: str
    ) -> collections.abc.Iterator[observation.Policy]:
        """Yield the policies of a property or place, the narrowest first."""
        for pattern, policy in self._named.get(name, {}).items():
            if is_match(pattern, path):
                yield policy

    def sort(
        self,
        path: str,
        difference: observation.Difference,
        *,
        accepts: bool = True,
    ) -> SortedDrift:
        """Divide the drift of a property by the policies of its places.

        A repair sets a property as a whole: it has to be the policy of all
        places that have drifted.

        :param path: of its resource, as :meth:`of_resource`
        :param accepts: policies may accept drift; else it counts
        """
        name = difference.property
        if not self.has_places(path, name):
            policy = self.of_property(path, name)
            found = dataclasses.replace(difference, policy=policy)
            if policy is _Policy.ACCEPT and accepts:
                return SortedDrift(accepted=found)
            return SortedDrift(None if policy is _Policy.IGNORE else found)
        policies = {
            place: self.of_property(path, *place)
            for place in drift_place.list_differing(
                (name,), difference.expected, difference.live
            )
        }
        accepted = None
        if accepts:
            accepted = _part(difference, policies, _Policy.ACCEPT)
        if accepted is not None:
            difference = dataclasses.replace(
                difference, expected=accepted.live
            )
        blocked = tuple(
            place[-1]
            for place, policy in policies.items()
            if policy is not _Policy.REPAIR
            and _Policy.REPAIR in policies.values()
        )
        others = () if accepts else (_Policy.ACCEPT,)
        counted = _part(difference, policies, *_COUNTED, *others)
        if counted is not None and blocked:
            counted = dataclasses.replace(counted, policy=_Policy.REPORT)
        return SortedDrift(counted, accepted, blocked)


def _part(
    difference: observation.Difference,
    policies: collections.abc.Mapping[drift_place.Names, observation.Policy],
    *chosen: observation.Policy,
) -> observation.Difference | None:
    """Return the drift of the places that have one of some policies.

    :param chosen: the first one that a place has is that of the result
    :returns: ``None`` where no place has one
    """
    found = [each for each in chosen if each in policies.values()]
    if not found:
        return None
    live = drift_place.combine_values(
        (difference.property,),
        difference.expected,
        difference.live,
        lambda place: policies.get(place) in found,
    )
    return dataclasses.replace(difference, live=live, policy=found[0])


def _rank(pattern: str) -> tuple[bool, int, str]:
    """Return what orders patterns: the narrowest is the greatest."""
    length = len(pattern) - pattern.count(_ANY)
    return _ANY not in pattern, length, pattern


def is_match(pattern: str, path: str) -> bool:
    """Answer whether a pattern is of the whole path, in linear time."""
    first, *others = pattern.split(_ANY)
    if not others:
        return path == first
    last = others.pop()
    end = len(path) - len(last)
    if not (path.startswith(first) and path.endswith(last)):
        return False
    place = len(first)
    for part in others:
        place = path.find(part, place, end)
        if place < 0:
            return False
        place += len(part)
    return place <= end


def _read(value: object) -> observation.Policy | None:
    return None if value is None else observation.Policy(str(value))


def _map(value: object) -> Values:
    return value if isinstance(value, collections.abc.Mapping) else {}
