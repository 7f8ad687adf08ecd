"""The history of drift: what was found, by which look, and how it ended."""

import dataclasses
import enum

from orch import clock
from orch import ids


class Look(enum.StrEnum):
    """The reading of physical resources that found a drift.

    ``REQUEST``: an observation that a user requested; ``PERIOD``: one of the
    observer; ``NOTIFICATION``: one that followed the notification of a
    service; ``UPDATE``: the reading before or after a change by an update.
    """

    CHECK = "check"
    REQUEST = "request"
    PERIOD = "period"
    NOTIFICATION = "notification"
    UPDATE = "update"


class End(enum.StrEnum):
    """How a drift has ended.

    ``REPAIRED``: an operation has set it back; ``UPDATED``: one has changed or
    replaced what had drifted; ``CLEARED``: it was gone by itself;
    ``CHANGED``: it has another live value, which has an entry of its own;
    ``IGNORED``: a drift policy says to ignore it.
    """

    REPAIRED = "repaired"
    UPDATED = "updated"
    ACCEPTED = "accepted"
    CLEARED = "cleared"
    CHANGED = "changed"
    IGNORED = "ignored"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The drift of one property, or that a physical resource has vanished.

    :ivar path: names of resources from the root
    :ivar property: empty where the physical resource has vanished
    :ivar expected: its value in the baseline, redacted
    :ivar live: its value when it was found, redacted
    :ivar ended_by: ``None`` while it lasts
    """

    id: str
    root_id: ids.StackId
    stack_id: ids.StackId
    resource_id: ids.ResourceId
    path: str
    property: str
    expected: object
    live: object
    found_by: Look
    found_at: clock.Timestamp
    ended_by: End | None = None
    ended_at: clock.Timestamp | None = None
