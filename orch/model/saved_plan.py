"""A saved plan: run exactly as it is, or not at all."""

import collections.abc
import dataclasses

from orch import clock
from orch import ids
from orch.model import states


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SavedPlan:
    """The stored facts of a saved plan.

    :ivar options: those of the operation that it would be
    :ivar template_hash: as in ``model.operation``
    :ivar environment_hash: as in ``model.operation``
    :ivar basis: the state of the stack that it was made for; another text
        once the stack has moved on
    :ivar changes: :meth:`orch.planner.plan.Plan.to_stored`
    :ivar context: who asked, :meth:`RequestContext.to_stored`
    :ivar operation_id: the operation that ran it
    """

    id: str
    stack_id: ids.StackId
    action: states.Action
    options: collections.abc.Mapping[str, object]
    template_hash: str | None
    environment_hash: str | None
    basis: str
    changes: collections.abc.Mapping[str, object]
    context: collections.abc.Mapping[str, object]
    operation_id: ids.OperationId | None = None
    created_at: clock.Timestamp
