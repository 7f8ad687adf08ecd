"""A resource: one declared resource of a stack, as it really is."""

import collections.abc
import dataclasses
import operator
import typing

from orch import clock
from orch import ids
from orch import redacted
from orch.model import marked
from orch.model import presigned
from orch.model import secret_types
from orch.model import states

_CREATING_ACTIONS = frozenset(
    {states.Action.INIT, states.Action.CREATE, states.Action.ADOPT}
)

_MAX_SECRET_LENGTH: typing.Final = 4096
"""Characters of a text that is looked for; a private key has fewer."""
VANISHED: typing.Final = "It is not there any more"
"""Reason of a removal that first makes sure of that."""
RETURNED: typing.Final = "Left in place: it had vanished"
"""Start of the reason of a resource whose removal found it after all."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSummary:
    """What lists show of one incarnation of a resource.

    A replacement is a new row with a new id under the same name.

    :ivar id: also the idempotency token that the plug-in leaves with its
        service, so that a lost answer can be found again
    :ivar type_name: as the template names it
    :ivar requires: names of the resources it directly depends on
    :ivar replaced_by: the incarnation that took its place
    """

    id: ids.ResourceId
    stack_id: ids.StackId
    name: str
    type_name: str
    action: states.Action = states.Action.INIT
    status: states.Status = states.Status.COMPLETE
    status_reason: str = ""
    physical_id: str | None = None
    requires: tuple[str, ...] = ()
    replaced_by: ids.ResourceId | None = None
    created_at: clock.Timestamp
    updated_at: clock.Timestamp

    @property
    def is_gone(self) -> bool:
        """Answer whether it was removed for good."""
        return (
            self.action is states.Action.DELETE
            and self.status is states.Status.COMPLETE
        )

    @property
    def is_current(self) -> bool:
        """Answer whether it stands for its name."""
        return self.replaced_by is None and not self.is_gone


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Resource(ResourceSummary):
    """What the rows say of one incarnation of a resource.

    :ivar mapped_type: the type that the environment maps it to, if any
    :ivar external_id: id of the thing that it stands for and never made
    :ivar attempt: how often its creation was begun, a call whose answer was
        lost and that was made again included
    :ivar is_outcome_unknown: a call was about to be made, and no answer was
        recorded: the thing may exist without our knowing its physical id;
        after a failed check: its health is unknown; of a creation with a
        physical id: a caller has answered that it is this one, and it has
        not been looked at since
    :ivar required_ids: the incarnations of them that it was made or changed
        upon; while it is changed also those that it had until then
    :ivar properties: resolved properties as they stand: those of its
        creation or of the last update that was completed; after attempts
        that were left half way, how it may stand other than as
        ``desired_properties``
    :ivar desired_properties: resolved properties that an update tries to bring
        about; ``None`` while none is under way and none has failed
    :ivar snapshot_data: what the plug-in keeps of the snapshot that was taken
        last
    :ivar baseline: what its properties were in the world right after its
        last change, or what was accepted as such since; ``None`` where that
        is not known
    :ivar attributes: attribute values that other parts of the template read
    :ivar data: what the plug-in keeps for itself
    :ivar hooks: what has become of its breakpoints, see
        ``model.breakpoints``
    :ivar signals: what signals have left, as the plug-in keeps it
    :ivar deletion_policy: ``Delete``, ``Retain`` or ``Snapshot``
    :ivar is_at_rest: it was told to suspend, and has not resumed since,
        whatever else has been done with it
    :ivar started_at: when the action that is or was last under way began
    :ivar operation_id: the operation that last changed it; ``None`` where a
        user has marked it unhealthy
    :ivar changed_at: when an action that may change its physical resource was
        last begun, or ended; ``None`` where only ``updated_at`` is known
    :ivar adopted_by: the operation that was told to take its thing over,
        which stood before; ``None`` for what the stack has made
    :ivar id_scope: where its physical id names one physical resource, as a
        hash; ``None`` where that is not known (yet)
    :ivar is_unverified: it was adopted without being seen, so it does not
        keep other projects from adopting it
    :ivar taken_from: the stack that owns its physical resource until its
        adoption starts; ``None`` where it owns that itself
    """

    mapped_type: str | None = None
    external_id: str | None = None
    attempt: int = 0
    is_outcome_unknown: bool = False
    required_ids: tuple[ids.ResourceId, ...] = ()
    properties: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    attributes: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    data: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    metadata: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    desired_properties: collections.abc.Mapping[str, object] | None = None
    snapshot_data: collections.abc.Mapping[str, object] | None = None
    baseline: collections.abc.Mapping[str, object] | None = None
    hooks: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    signals: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    deletion_policy: str = "Delete"
    is_at_rest: bool = False
    started_at: clock.Timestamp | None = None
    operation_id: ids.OperationId | None = None
    adopted_by: ids.OperationId | None = None
    id_scope: str | None = None
    is_unverified: bool = False
    taken_from: ids.StackId | None = None
    changed_at: clock.Timestamp | None = None

    @property
    def has_secrets(self) -> bool:
        """Whether anything that is stored of it is sensitive."""
        if self.plugin_type in secret_types.TYPES:
            return True
        # It runs for each row that is stored: most have few documents.
        for each in self._documents:
            if each and marked.find_sensitive(each):
                return True
        return False

    @property
    def _documents(
        self,
    ) -> tuple[collections.abc.Mapping[str, object] | None, ...]:
        """What of it may be sensitive."""
        return (
            self.properties,
            self.desired_properties,
            self.attributes,
            self.metadata,
        )

    def secret_texts(self, *, is_plain: bool = False) -> frozenset[str]:
        """Return the texts of what is sensitive in it.

        Short ones would be found everywhere, and a script is nowhere else as
        a whole: what is sensitive in it is known by its parts.

        :param is_plain: without what only has the name of a secret
        """
        found = set[str]()
        if self.plugin_type in secret_types.TYPES:
            found.add(
                secret_types.secret_of(
                    self.plugin_type, self.attributes, self.data
                )
            )
        # It runs for each event, of resources that mostly have no secret.
        for values in self._documents:
            if not values:
                continue
            find = marked.paths_of if is_plain else marked.find_sensitive
            paths = find(values)
            if paths:
                found |= marked.texts(values, paths)
        if not found:
            return frozenset()
        return frozenset(
            each
            for each in found
            if redacted.SHORTEST <= len(each) <= _MAX_SECRET_LENGTH
        )

    @property
    def shown_id(self) -> str | None:
        """The physical id; ``******`` where it has something sensitive of it.

        What is written down of a resource has this one: it is read when the
        values that the id was made of may be gone.
        """
        found = self.physical_id
        if not found:
            return found
        if presigned.has_presigned(found) or redacted.has_any(
            found, self.secret_texts()
        ):
            return redacted.TEXT
        return found

    @property
    def plugin_type(self) -> str:
        """Return the type of the plug-in that acts on it."""
        return self.mapped_type or self.type_name

    @property
    def is_in_place(self) -> bool:
        """Answer whether it was made, and nothing began to remove it.

        A later action may be under way or may have failed; a check that
        found fault is another matter: what stands is not what was made.
        """
        if self.action in _CREATING_ACTIONS:
            return self.is_complete
        if self.action is states.Action.CHECK:
            has_failed = self.status is states.Status.FAILED
            return self.is_outcome_unknown or not has_failed
        return self.action is not states.Action.DELETE

    @property
    def has_begun_unchanging(self) -> bool:
        """Whether an action is in progress that has changed nothing yet."""
        return (
            self.status is states.Status.IN_PROGRESS
            and self.changed_at is not None
            and self.started_at is not None
            and self.changed_at < self.started_at
        )

    @property
    def has_failed_check(self) -> bool:
        """Whether a check has found a fault, which need not last.

        What a user has marked as unhealthy is replaced, whatever is read of
        it.
        """
        return (
            self.action is states.Action.CHECK
            and self.status is states.Status.FAILED
            and not self.is_outcome_unknown
            and self.physical_id is not None
            and self.external_id is None
            and self.operation_id is not None
        )

    @property
    def may_be_good(self) -> bool:
        """Whether its creation failed, and left a physical resource.

        That may only have been too slow, or have been repaired since.
        """
        return (
            self.action is states.Action.CREATE
            and self.status is states.Status.FAILED
            and self.physical_id is not None
        )

    @property
    def is_complete(self) -> bool:
        """Answer whether its last action was completed."""
        return (
            self.status is states.Status.COMPLETE
            and self.action is not states.Action.INIT
        )

    @property
    def lacks_known_outcome(self) -> bool:
        """Whether its creation may have left something without known id."""
        return self.is_outcome_unknown and self.physical_id is None

    @property
    def is_answered(self) -> bool:
        """Whether its id is an answer that has not been looked at yet."""
        return (
            self.is_outcome_unknown
            and self.physical_id is not None
            and self.action is states.Action.CREATE
        )

    @property
    def is_answerable(self) -> bool:
        """Whether only a person may know what its creation has made."""
        return self.status is states.Status.FAILED and (
            self.lacks_known_outcome or self.is_answered
        )

    @property
    def may_have_surplus(self) -> bool:
        """Whether several calls to create it may have taken effect."""
        return self.attempt > 1 and self.adopted_by is None

    @property
    def is_being_deleted(self) -> bool:
        """Whether its removal has begun."""
        return self.action is states.Action.DELETE

    @property
    def is_vanished(self) -> bool:
        """Whether its removal has begun as that of a vanished one."""
        return self.is_being_deleted and self.status_reason.startswith(
            VANISHED
        )

    @property
    def acting_properties(self) -> collections.abc.Mapping[str, object]:
        """Return what the action under way works with."""
        is_updating = (
            self.action is states.Action.UPDATE
            and self.status is states.Status.IN_PROGRESS
        )
        if is_updating and self.desired_properties is not None:
            return self.desired_properties
        return self.properties

    @property
    def is_unadopted(self) -> bool:
        """Answer whether its thing stood before, and is not taken over yet.

        Until it is, nothing may be done to the thing.
        """
        was_begun = (
            self.is_unfinished
            and self.started_at is not None
            and self.taken_from is None
        )
        return (
            self.adopted_by is not None
            and self.action in _CREATING_ACTIONS
            and not self.is_complete
            and not was_begun
        )

    @property
    def is_unfinished(self) -> bool:
        """Whether it was adopted before its creation was complete."""
        return (
            self.adopted_by is not None
            and self.action is states.Action.CREATE
            and not self.is_complete
        )

    @property
    def is_abandoned(self) -> bool:
        """Answer whether its thing is being let go of, and stands on."""
        return (
            self.adopted_by is not None
            and self.action is states.Action.DELETE
            and self.deletion_policy == "Retain"
        )

    @property
    def is_there(self) -> bool:
        """Answer whether something of it may stand in the world."""
        return self.physical_id is not None or self.is_outcome_unknown


_NAMES = tuple(each.name for each in dataclasses.fields(Resource))
_VALUES = operator.attrgetter(*_NAMES)


def replace(
    row: Resource, columns: collections.abc.Mapping[str, object]
) -> Resource:
    """Return the row with other columns.

    As ``dataclasses.replace``, in half the time: a row has many columns, and
    each change of a plan passes here four times.
    """
    values = dict(zip(_NAMES, _VALUES(row), strict=True))
    values.update(columns)
    make: collections.abc.Callable[..., Resource] = Resource
    return make(**values)
