"""A notification that waits in the outbox until the bus has taken it."""

import collections.abc
import dataclasses
import typing
import uuid

from orch import clock
from orch import ids

_MESSAGES: typing.Final = uuid.UUID("5b0c3f5e-9d0d-4a8e-8f43-6f1d2b7c9a10")
"""Namespace of the ids of messages."""
_MICRO: typing.Final = 1_000_000


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """One message for the consumers of ``orchestration.*``.

    :ivar number: position in the outbox, given by the database; 0 before
    :ivar event_type: ``orchestration.stack.create.start``
    :ivar priority: ``info`` or ``error``
    :ivar context: what consumers may read of who asked
    :ivar created_at: when the event happened; the database's clock
    :ivar topic: the only one that has not taken it yet; ``None`` before it
        was published to any
    """

    number: int = 0
    stack_id: ids.StackId
    sequence: int
    event_type: str
    priority: str
    context: collections.abc.Mapping[str, object]
    payload: collections.abc.Mapping[str, object]
    created_at: clock.Timestamp
    topic: str | None = None

    @property
    def message_id(self) -> str:
        """Return the UUID of the message, the same each time that it is sent.

        By the event, not by the number: SQLite gives a number twice.
        """
        event = (
            self.event_type,
            self.stack_id,
            self.sequence,
            round(self.created_at * _MICRO),
            # Several of a stack may be told of at one moment.
            self.payload.get("deployment_id"),
        )
        return str(uuid.uuid5(_MESSAGES, " ".join(map(str, event))))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RefusedNotification(Notification):
    """One that the bus refuses while it takes others.

    :ivar number: position among those that are refused
    :ivar reason: what the bus said
    """

    reason: str
    refused_at: clock.Timestamp
