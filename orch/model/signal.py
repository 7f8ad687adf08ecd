"""A signal that was taken, of which no event tells yet."""

import dataclasses

from orch import clock
from orch import ids
from orch.model import states


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class UnreportedSignal:
    """What an event has to tell, once the stack's events can be numbered.

    Whoever runs an operation of the stack numbers its events alone.

    :ivar status: how the resource stood, or ``FAILED`` for a refused signal
    """

    id: str
    stack_id: ids.StackId
    resource_id: ids.ResourceId
    resource_name: str
    resource_type: str
    physical_id: str | None
    status: states.Status
    reason: str
    created_at: clock.Timestamp
