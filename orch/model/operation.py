"""An operation: one asked-for change of one stack."""

import collections.abc
import dataclasses

from orch import clock
from orch import ids
from orch.model import states


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What the rows say of one operation.

    :ivar options: flags and inputs of the action (``keep_going``, …); the
        messages on the bus carry ids only
    :ivar context: who asked, :meth:`RequestContext.to_stored`
    :ivar attempt: 1 at first, one more with each retry
    :ivar owner: the worker that runs it
    :ivar fence: grows with each claim; older writers touch no row
    :ivar lease_expires_at: by the database's clock
    :ivar deadline_at: when it fails for lack of time; database's clock
    :ivar superseded_by: the newer request that ended it
    :ivar total: changes in its plan
    :ivar done: changes that are complete
    :ivar failures: one map a failed resource: ``name``, ``type``,
        ``resource_id``, ``physical_id``, ``reason``
    """

    id: ids.OperationId
    stack_id: ids.StackId
    project_id: str
    action: states.Action
    state: states.OperationState
    options: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    context: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    attempt: int = 1
    owner: ids.WorkerId | None = None
    fence: int = 0
    lease_expires_at: clock.Timestamp | None = None
    deadline_at: clock.Timestamp | None = None
    superseded_by: ids.OperationId | None = None
    total: int = 0
    done: int = 0
    reason: str = ""
    failures: tuple[collections.abc.Mapping[str, object], ...] = ()
    created_at: clock.Timestamp
    started_at: clock.Timestamp | None = None
    finished_at: clock.Timestamp | None = None
