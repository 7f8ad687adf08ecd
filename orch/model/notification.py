"""A notification that waits in the outbox until the bus has taken it."""

import collections.abc
import dataclasses

from orch import clock
from orch import ids


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """One message for the consumers of ``orchestration.*``.

    :ivar number: position in the outbox, given by the database; 0 before
    :ivar event_type: ``orchestration.stack.create.start``
    :ivar priority: ``info`` or ``error``
    :ivar context: what consumers may read of who asked
    """

    number: int = 0
    stack_id: ids.StackId
    sequence: int
    event_type: str
    priority: str
    context: collections.abc.Mapping[str, object]
    payload: collections.abc.Mapping[str, object]
    created_at: clock.Timestamp


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RefusedNotification(Notification):
    """One that the bus refuses while it takes others.

    :ivar number: position among those that are refused
    :ivar reason: what the bus said
    """

    reason: str
    refused_at: clock.Timestamp
