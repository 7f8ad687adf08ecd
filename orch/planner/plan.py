"""A plan: the ordered changes of an operation, as a value."""

import collections.abc
import dataclasses
import enum
import typing

from orch import ids
from orch.model import step


class Kind(enum.StrEnum):
    """The kinds of change to one resource.

    ``ADOPT`` puts an existing physical resource under the stack;
    ``UPDATE`` changes it in place; ``READ`` only reads attributes that others
    need, or writes a changed declaration into the row, and changes nothing;
    ``KEEP`` is the snapshot of a resource that is about to be removed;
    ``RETAIN`` forgets the resource and leaves the physical one in place;
    ``GONE`` is a removal that is complete, where a breakpoint still holds
    others. A replacement is a ``CREATE`` that names what it replaces,
    and the ``DELETE`` of that. Two are of no resource: ``FORGET`` removes a
    snapshot of the stack, and ``CLEAN_UP`` comes after all creations and
    changes, and before the removals, so that the old resources still exist
    after a failure.
    """

    CREATE = "create"
    ADOPT = "adopt"
    UPDATE = "update"
    READ = "read"
    CHECK = "check"
    SUSPEND = "suspend"
    RESUME = "resume"
    SNAPSHOT = "snapshot"
    KEEP = "keep"
    FORGET = "forget"
    DELETE = "delete"
    RETAIN = "retain"
    GONE = "gone"
    CLEAN_UP = "clean-up"


EXTERNAL_ID: typing.Final = "external_id"
"""A restricted action: to refer to another physical resource."""

INSERTING = frozenset({Kind.CREATE, Kind.ADOPT})
"""Kinds of change that may need a row which is not there yet."""

REMOVING = frozenset({Kind.DELETE, Kind.RETAIN, Kind.GONE})
"""Kinds of change after which the resource is gone."""


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """One step of a plan: the change of one incarnation of a resource.

    :ivar requires: keys of the changes that must be complete before
    :ivar reason: why it is in the plan, for people
    :ivar is_repeated: an earlier attempt may have begun the same change
    :ivar is_outcome_unknown: that attempt ended without an answer
    :ivar external_id: physical id of the resource to adopt
    :ivar takes_over: it becomes the stack's own, to change and to remove;
        otherwise it is only watched
    :ivar is_unfinished: of an adoption: the creation was not complete where
        the resource comes from, and is completed here
    :ivar only_finds: it creates nothing: what an earlier attempt has left is
        searched for
    :ivar abandons_content: the child stack of a retained resource is
        abandoned, too
    :ivar is_vanished: the physical resource does not exist any more
    :ivar replaces: the incarnation whose place the new one takes
    :ivar preserves_properties: it continues with the properties of its start
    :ivar replaces_failed: where the physical resource turns out to have
        failed, or to be gone, the operation is planned anew to replace it
    :ivar changed: properties that an update is known to change
    :ivar is_certain: false when only the run can tell whether anything is
        to be done, because it depends on values that are known only then
    :ivar replacement_id: of an uncertain update: the incarnation that is
        created if it cannot be changed in place
    :ivar restricted: what must not be done to it: ``update``, ``replace``,
        :data:`EXTERNAL_ID`; a certain update that bears any is refused
    :ivar notes_only: the live state is the desired one already, and only
        the row is updated
    :ivar unfinished: of a check: what the resource has never completed, so
        that there is nothing to look at and it is not well
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
    takes_over: bool = False
    is_unfinished: bool = False
    only_finds: bool = False
    abandons_content: bool = False
    is_vanished: bool = False
    replaces: ids.ResourceId | None = None
    preserves_properties: bool = False
    replaces_failed: bool = False
    changed: tuple[str, ...] = ()
    is_certain: bool = True
    replacement_id: ids.ResourceId | None = None
    restricted: tuple[str, ...] = ()
    notes_only: bool = False
    unfinished: str = ""

    @property
    def key(self) -> str:
        """Return the key of this change, unique in its plan."""
        return change_key(self.kind, self.name, self.resource_id)


@dataclasses.dataclass(frozen=True, slots=True)
class Return:
    """A replaced incarnation that becomes the current one again.

    :ivar resource_id: the one that is current again
    :ivar replaces: the one that was current until now
    """

    name: str
    resource_id: ids.ResourceId
    replaces: ids.ResourceId


@dataclasses.dataclass(frozen=True, slots=True)
class OmittedRow:
    """An unfinished incarnation that the plan omits."""

    name: str
    resource_id: ids.ResourceId


@dataclasses.dataclass(frozen=True, slots=True)
class Unread:
    """A physical resource that could not be read; its row is used.

    :ivar reason: why, for people
    """

    name: str
    resource_id: ids.ResourceId
    reason: str


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """The desired and the existing properties of a resource.

    :ivar before: existing properties, live or by the row; ``None`` when it
        does not exist
    :ivar after: desired properties, ``template.world.UNKNOWN`` in place of
        those that are known only during the run; ``None`` when the
        resource is to go
    :ivar changed: names of those that differ or may differ
    :ivar replacing: those among them that need a replacement
    """

    before: collections.abc.Mapping[str, object] | None
    after: collections.abc.Mapping[str, object] | None
    changed: tuple[str, ...] = ()
    replacing: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """The changes of an operation, each after all that it requires.

    :ivar unchanged: names of declared resources that are complete
    :ivar returns: replaced incarnations that are current again
    :ivar skipped: those that stay as they are, by request
    :ivar orphans: those that are forgotten by request, and left in place
    :ivar unread: physical resources that could not be read
    :ivar differences: by name of the resource, where anything was compared;
        values of hidden parameters may be among them, so it is not stored
    """

    changes: tuple[Change, ...]
    unchanged: tuple[str, ...] = ()
    returns: tuple[Return, ...] = ()
    skipped: tuple[OmittedRow, ...] = ()
    orphans: tuple[OmittedRow, ...] = ()
    unread: tuple[Unread, ...] = dataclasses.field(default=(), compare=False)
    differences: collections.abc.Mapping[str, Difference] = dataclasses.field(
        default_factory=dict, compare=False
    )

    def to_stored(self) -> dict[str, object]:
        """Return the plan as JSON values, for a row or a preview."""
        return {
            "changes": [dataclasses.asdict(each) for each in self.changes],
            "unchanged": list(self.unchanged),
            "returns": [dataclasses.asdict(each) for each in self.returns],
            "skipped": [dataclasses.asdict(each) for each in self.skipped],
            "orphans": [dataclasses.asdict(each) for each in self.orphans],
        }

    def steps(self) -> tuple[step.Step, ...]:
        """Return the kind and the resource of each change, in order."""
        return tuple(
            step.Step(each.kind.value, each.name, each.resource_id)
            for each in self.changes
            if each.kind is not Kind.CLEAN_UP
        )

    def describe(self) -> str:
        """Return the plan as text, one change a line, in order."""
        names = {each.key: each for each in self.changes}
        lines = [f"orphan {each.name}" for each in self.orphans]
        lines += [f"skip {each.name}" for each in self.skipped]
        lines += [f"return {each.name}" for each in self.returns]
        lines += [
            _line(each, [names[key] for key in each.requires])
            for each in self.changes
        ]
        return "\n".join(lines)


def without_changes(
    planned: Plan, idle: collections.abc.Collection[Change]
) -> Plan:
    """Return a plan without changes that turn out needless.

    Their resources stay as they are; what waited for them waits for what
    they waited for.
    """
    if not idle:
        return planned
    left_out: dict[str, tuple[str, ...]] = {}
    changes = []
    for change in planned.changes:
        requires: dict[str, None] = {}
        for each in change.requires:
            requires.update(dict.fromkeys(left_out.get(each, (each,))))
        if change in idle:
            left_out[change.key] = tuple(requires)
        else:
            changes.append(
                dataclasses.replace(change, requires=tuple(requires))
            )
    names = tuple(each.name for each in idle)
    if not any(each.name for each in changes):
        changes = []
    return dataclasses.replace(
        planned,
        changes=tuple(changes),
        unchanged=planned.unchanged + names,
    )


def find_overtaken(planned: Plan) -> frozenset[ids.ResourceId]:
    """Return the incarnations that are created, then updated, by a plan."""
    changed = {
        each.resource_id
        for each in planned.changes
        if each.kind is Kind.UPDATE
    }
    return frozenset(
        each.resource_id
        for each in planned.changes
        if each.preserves_properties and each.resource_id in changed
    )


def new_clean_up() -> Change:
    """Return the change after which removals begin."""
    return Change(
        kind=Kind.CLEAN_UP,
        name="",
        type_name="",
        resource_id=ids.ResourceId(""),
        requires=(),
        reason="all else is complete",
    )


def change_key(kind: Kind, name: str, resource_id: ids.ResourceId) -> str:
    """Return the key that a change of this kind has in any plan."""
    return f"{kind}:{name}:{resource_id[:8]}"


def _line(change: Change, after: collections.abc.Sequence[Change]) -> str:
    names = ", ".join(f"{each.kind.value} {each.name}" for each in after)
    ending = f" after {names}" if names else ""
    doubt = "" if change.is_certain else "perhaps "
    return (
        f"{doubt}{change.kind.value} {change.name} ({change.reason}){ending}"
    )
