"""Event sinks: where a tree's events go, and how far that is."""

import collections.abc
import dataclasses
import hashlib
import json

from orch import clock
from orch import ids
from orch.model import event

Declared = collections.abc.Mapping[str, object]


def key_of(declared: Declared) -> str:
    """Return what a sink is known by: the same for the same declaration."""
    text = json.dumps(declared, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class EventSink:
    """A sink of one tree.

    :ivar root_id: the outermost stack, whose environment names it
    :ivar declared: as the environment has it
    :ivar since: what happened before is not told; ``None``: no worker has
        seen the sink yet
    :ivar attempts: in vain, since the last event that was taken
    """

    root_id: ids.StackId
    sink_key: str
    project_id: str
    declared: Declared
    since: clock.Timestamp | None = None
    attempts: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class UndeliveredEvents:
    """Events of one stack that a sink has not received, in order.

    :ivar stack_id: whose
    """

    stack_id: ids.StackId
    events: tuple[event.Event, ...]
