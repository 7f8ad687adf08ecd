"""Which policy holds for a drift: of a stack, a resource, a property.

How it is stored is said at :class:`orch.model.observation.Watch`.
"""

import collections.abc

from orch.model import observation

_ANY = "*"
_POLICY = "policy"
_PROPERTIES = "properties"

Values = collections.abc.Mapping[str, object]


class Policies:
    """The policies of one tree of stacks.

    The narrower one holds: that of a property, whichever pattern it stands
    under, before that of a resource, before that of the stack. Of several
    patterns the one with the most characters that are no ``*`` holds, a path
    without any before all; of equal ones the last in the alphabet.
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

    def of_property(self, path: str, name: str) -> observation.Policy:
        """Return what is done about a property that has drifted.

        :param path: of its resource, as :meth:`of_resource`
        """
        for pattern, said in self._patterns:
            found = _read(_map(said.get(_PROPERTIES)).get(name))
            if found is not None and is_match(pattern, path):
                return found
        return self.of_resource(path)


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
