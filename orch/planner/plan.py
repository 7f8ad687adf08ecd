"""A plan: the ordered changes of an operation, as a value."""

import collections.abc
import dataclasses
import enum

from orch import ids


class Kind(enum.StrEnum):
    """What a change does to one resource.

    ``ADOPT`` takes a thing that stands already under the stack's eyes;
    ``RETAIN`` forgets the resource and leaves the thing itself alone.
    """

    CREATE = "create"
    ADOPT = "adopt"
    DELETE = "delete"
    RETAIN = "retain"


MAKING = frozenset({Kind.CREATE, Kind.ADOPT})
"""Kinds of change after which the resource stands."""


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """One step of a plan: what happens to one incarnation of a resource.

    :ivar requires: keys of the changes that must be complete before
    :ivar reason: why it is in the plan, for people
    :ivar is_repeated: an earlier attempt may have begun the same change
    :ivar is_outcome_unknown: that attempt ended without an answer
    :ivar external_id: physical id of the thing to adopt
    :ivar replaces: the incarnation whose place the new one takes
    """

    kind: Kind
    name: str
    type_name: str
    resource_id: ids.ResourceId
    requires: tuple[str, ...]
    reason: str
    is_repeated: bool = False
    is_outcome_unknown: bool = False
    external_id: str | None = None
    replaces: ids.ResourceId | None = None

    @property
    def key(self) -> str:
        """Return the name of this change, unique in its plan."""
        return key(self.kind, self.name, self.resource_id)


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """The changes of an operation; each stands after all it requires.

    :ivar unchanged: names of declared resources that are complete
    """

    changes: tuple[Change, ...]
    unchanged: tuple[str, ...] = ()

    def to_stored(self) -> dict[str, object]:
        """Return the plan as JSON values, for a row or a preview."""
        return {
            "changes": [dataclasses.asdict(each) for each in self.changes],
            "unchanged": list(self.unchanged),
        }

    def describe(self) -> str:
        """Return the plan as text, one change a line, in order."""
        names = {each.key: each for each in self.changes}
        return "\n".join(
            _line(each, [names[key] for key in each.requires])
            for each in self.changes
        )


def key(kind: Kind, name: str, resource_id: ids.ResourceId) -> str:
    """Return the name that a change of this kind has in any plan."""
    return f"{kind.value}:{name}:{resource_id[:8]}"


def _line(change: Change, after: collections.abc.Sequence[Change]) -> str:
    names = ", ".join(f"{each.kind.value} {each.name}" for each in after)
    ending = f" after {names}" if names else ""
    return f"{change.kind.value} {change.name} ({change.reason}){ending}"
