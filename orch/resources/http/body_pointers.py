"""Which places of a body are compared exactly, and which are ignored.

They are JSON pointers into the body of ``update``, or of ``create`` where that
is not given: the property ``comparison``.
"""

import collections.abc
import dataclasses
import itertools
import typing

from orch import errors
from orch.resources.http import pointer
from orch.resources.http import schemas

Map = collections.abc.Mapping[str, object]
Steps = tuple[str, ...]

_BODY: typing.Final = "body"
_EXACT: typing.Final = "exact_pointers"
_IGNORED: typing.Final = "ignored_pointers"


@dataclasses.dataclass(frozen=True, slots=True)
class BodyPointers:
    """The rules of one place of a body, and of all places in it.

    :ivar exact: steps from here to maps that are compared exactly
    :ivar ignored: steps from here to what is ignored
    :ivar is_exact: whether this place is compared exactly: it is in a map
        that is
    """

    exact: frozenset[Steps] = frozenset()
    ignored: frozenset[Steps] = frozenset()
    is_exact: bool = False

    @classmethod
    def of_properties(cls, properties: Map) -> "BodyPointers":
        """Return the rules of the whole body."""
        given = properties.get(schemas.COMPARISON.name)
        if not isinstance(given, collections.abc.Mapping):
            return _NONE
        exact, ignored = (
            frozenset(map(pointer.split_steps, given.get(name) or ()))
            for name in (_EXACT, _IGNORED)
        )
        return cls(exact, ignored, is_exact=() in exact)

    @property
    def is_ignored(self) -> bool:
        """Whether this place is ignored."""
        return () in self.ignored

    @property
    def has_exact(self) -> bool:
        """Whether this place is compared exactly, or one in it."""
        return self.is_exact or bool(self.exact)

    def below(self, step: object) -> "BodyPointers":
        """Return the rules of a key of this map, or index of this list."""
        if self in (_NONE, _ALL_EXACT):
            return self
        exact, ignored = (
            frozenset(each[1:] for each in steps if each[:1] == (str(step),))
            for steps in (self.exact, self.ignored)
        )
        is_exact = self.is_exact or () in exact
        return BodyPointers(exact, ignored, is_exact=is_exact)

    def preserve(self, sent: object, shown: object) -> object:
        """Return what is sent, with what is shown at the ignored places.

        So an update that replaces all of it leaves them as they are.
        """
        if self.is_ignored:
            return sent if shown is pointer.MISSING else shown
        if not self.ignored:
            return sent
        if isinstance(sent, list) and isinstance(shown, list):
            pairs = itertools.zip_longest(
                sent, shown[: len(sent)], fillvalue=pointer.MISSING
            )
            return [
                self.below(index).preserve(ours, theirs)
                for index, (ours, theirs) in enumerate(pairs)
            ]
        if not isinstance(sent, collections.abc.Mapping) or not isinstance(
            shown, collections.abc.Mapping
        ):
            return sent
        added = [
            each[0]
            for each in self.ignored
            if len(each) == 1 and each[0] in shown
        ]
        return {
            key: self.below(key).preserve(
                sent.get(key, pointer.MISSING), shown.get(key, pointer.MISSING)
            )
            for key in dict.fromkeys([*sent, *added])
        }


_NONE: typing.Final = BodyPointers()
_ALL_EXACT: typing.Final = BodyPointers(is_exact=True)


def check_pointers(properties: Map) -> None:
    """Raise Invalid if a pointer leads to no place of the body.

    A body that is not known yet is not looked at.

    :raises orch.errors.Invalid: it, or the pointer is none, or it contradicts
        another one
    """
    given = properties.get(schemas.COMPARISON.name)
    if not isinstance(given, collections.abc.Mapping):
        return
    body = _find_body(properties)
    for name in (_EXACT, _IGNORED):
        for index, text in enumerate(given.get(name) or ()):
            place = f"{schemas.COMPARISON.name}.{name}.{index}"
            if not pointer.is_valid(text):
                raise pointer.no_pointer_error(place, text)
            if body is not None:
                _check_place(place, text, name, *body)
    ignored = set(map(pointer.split_steps, given.get(_IGNORED) or ()))
    for index, text in enumerate(given.get(_EXACT) or ()):
        steps = pointer.split_steps(text)
        if any(steps[:size] in ignored for size in range(len(steps) + 1)):
            raise errors.property_error(
                f"{schemas.COMPARISON.name}.{_EXACT}.{index}",
                f"{text!r} lies in what {_IGNORED} has; remove one of them",
            )


def _find_body(properties: Map) -> tuple[str, object] | None:
    """Return the name of the body that is compared, and the body.

    :returns: ``None`` where it is not known yet
    """
    for declared in (schemas.UPDATE, schemas.CREATE):
        if declared.name not in properties:
            return None
        part = properties[declared.name]
        if isinstance(part, collections.abc.Mapping):
            return f"{declared.name}.{_BODY}", part.get(_BODY)
    return None


def _check_place(
    place: str, text: str, name: str, body_name: str, body: object
) -> None:
    """Raise Invalid if a pointer leads to no place of a body.

    What is ignored may be a key that the body does not have.
    """
    found = pointer.find_value(body, text)
    if name == _EXACT:
        if not isinstance(found, collections.abc.Mapping | list):
            raise errors.property_error(
                place,
                f"{text!r} leads to no map or list of {body_name}; only such"
                " a value can have more than was sent",
            )
        return
    parent = pointer.find_value(body, text.rpartition("/")[0])
    if not text or (
        found is pointer.MISSING
        and not isinstance(parent, collections.abc.Mapping)
    ):
        raise errors.property_error(
            place,
            f"{text!r} leads neither to a place in {body_name}, nor to a key"
            " of a map there",
        )
