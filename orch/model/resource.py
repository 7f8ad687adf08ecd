"""A resource: one declared thing of a stack, as it really is."""

import collections.abc
import dataclasses

from orch import clock
from orch import ids
from orch.model import states


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What the rows say of one incarnation of a resource.

    A replacement is a new row with a new id under the same name.

    :ivar id: also the idempotency token that the plug-in leaves with its
        service, so that a lost answer can be found again
    :ivar type_name: as the template names it
    :ivar mapped_type: the type that the environment maps it to, if any
    :ivar attempt: how often its creation was begun
    :ivar is_outcome_unknown: a call was about to be made, and no answer was
        recorded: the thing may exist without our knowing its physical id
    :ivar requires: names of the resources it directly depends on
    :ivar properties: resolved properties of the last change
    :ivar attributes: attribute values that other parts of the template read
    :ivar data: what the plug-in keeps for itself
    :ivar deletion_policy: ``Delete``, ``Retain`` or ``Snapshot``
    :ivar replaced_by: the incarnation that took its place
    :ivar started_at: when the action that is or was last under way began
    :ivar operation_id: the operation that last changed it
    """

    id: ids.ResourceId
    stack_id: ids.StackId
    name: str
    type_name: str
    mapped_type: str | None = None
    action: states.Action = states.Action.INIT
    status: states.Status = states.Status.COMPLETE
    status_reason: str = ""
    physical_id: str | None = None
    attempt: int = 0
    is_outcome_unknown: bool = False
    requires: tuple[str, ...] = ()
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
    deletion_policy: str = "Delete"
    replaced_by: ids.ResourceId | None = None
    created_at: clock.Timestamp
    updated_at: clock.Timestamp
    started_at: clock.Timestamp | None = None
    operation_id: ids.OperationId | None = None

    @property
    def plugin_type(self) -> str:
        """Return the type of the plug-in that acts on it."""
        return self.mapped_type or self.type_name

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

    @property
    def is_there(self) -> bool:
        """Answer whether something of it may stand in the world."""
        return self.physical_id is not None or self.is_outcome_unknown
