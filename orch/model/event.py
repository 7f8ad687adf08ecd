"""An event: a fact that happened, never changed."""

import dataclasses
import typing

from orch import clock
from orch import ids
from orch.model import states


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One fact about a stack or one of its resources.

    :ivar sequence: grows by one within a stack
    :ivar request_id: of the request that it came of
    :ivar resource_name: the stack's own name for a fact about the stack
    :ivar resource_id: the resource's row; ``None`` for the stack itself
    :ivar physical_id: the stack's id for a fact about the stack
    """

    stack_id: ids.StackId
    sequence: int
    operation_id: ids.OperationId | None
    request_id: str | None = None
    resource_name: str
    resource_type: str
    resource_id: ids.ResourceId | None
    physical_id: str | None
    action: states.Action
    status: states.Status
    reason: str
    created_at: clock.Timestamp

    @property
    def id(self) -> ids.EventId:
        """Return the UUID that clients know it by."""
        return ids.event_id(self.stack_id, self.sequence)


class ListedEvent(typing.NamedTuple):
    """What lists show of an :class:`Event`; tuples take half the time."""

    stack_id: ids.StackId
    sequence: int
    request_id: str | None
    resource_name: str
    resource_type: str
    physical_id: str | None
    action: states.Action
    status: states.Status
    reason: str
    created_at: clock.Timestamp

    @property
    def id(self) -> ids.EventId:
        """Return the UUID that clients know it by."""
        return ids.event_id(self.stack_id, self.sequence)
