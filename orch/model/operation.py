"""An operation: one asked-for change of one stack."""

import collections.abc
import dataclasses
import enum
import typing

from orch import clock
from orch import ids
from orch.model import origin as origin_model
from orch.model import states

WITHIN: typing.Final = "within"
"""Option of a child operation: id and attempt of the parent's operation."""

ALONE: typing.Final = "alone"
"""Option: a user has retried the operation at the stack's own address."""


class Attempt(typing.TypedDict):
    """One attempt of an operation; ``number`` counts from 1."""

    number: int
    requested_by: str | None
    state: str
    reason: str
    started_at: float | None
    finished_at: float | None


class StopReason(enum.Enum):
    """Why a running operation begins nothing more.

    A ``SUPERSEDED`` one leaves the rest to the newer request; a
    ``CANCELLED`` one fails where it stands, and nothing goes back.
    """

    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What the rows say of one operation.

    :ivar options: flags and inputs of the action (``keep_going``, …); the
        messages on the bus carry ids only
    :ivar template_hash: content hash of the template that it brings about;
        ``None`` when nothing is to be left
    :ivar environment_hash: of the inputs beside it, see ``model.stack``
    :ivar context: whose rights it has, and who asked,
        :meth:`RequestContext.to_stored`
    :ivar depth: of its stack in the tree, 0 for a root
    :ivar attempt: 1 at first, one more with each retry
    :ivar owner: the worker that runs it
    :ivar fence: grows with each claim; older writers touch no row
    :ivar lease_expires_at: by the database's clock
    :ivar deadline_at: when it fails for lack of time; database's clock
    :ivar superseded_by: the newer request that ended it
    :ivar is_cancelled: it was asked to end where it stands
    :ivar next_try_at: when a blocked one goes on by itself; database's
        clock, ``None`` when it waits for a user
    :ivar total: changes in its plan
    :ivar done: changes that are complete
    :ivar failures: one map a failed resource: ``name``, ``type``,
        ``resource_id``, ``physical_id``, ``reason``
    :ivar attempts: those before this one
    """

    id: ids.OperationId
    stack_id: ids.StackId
    project_id: str
    action: states.Action
    state: states.OperationState
    options: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    template_hash: str | None = None
    environment_hash: str | None = None
    context: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    depth: int = 0
    attempt: int = 1
    owner: ids.WorkerId | None = None
    fence: int = 0
    lease_expires_at: clock.Timestamp | None = None
    deadline_at: clock.Timestamp | None = None
    superseded_by: ids.OperationId | None = None
    is_cancelled: bool = False
    next_try_at: clock.Timestamp | None = None
    total: int = 0
    done: int = 0
    reason: str = ""
    failures: tuple[collections.abc.Mapping[str, object], ...] = ()
    attempts: tuple[Attempt, ...] = ()
    created_at: clock.Timestamp
    started_at: clock.Timestamp | None = None
    finished_at: clock.Timestamp | None = None

    @property
    def requested_by(self) -> str | None:
        """Return the name of the requester; ``None`` where there is none."""
        return self.origin.requester.label

    @property
    def origin(self) -> origin_model.Origin:
        """Return what caused it, and who asked."""
        return origin_model.Origin.of(self.context)

    def this_attempt(self) -> Attempt:
        """Return what there is to tell of the newest attempt."""
        return Attempt(
            number=self.attempt,
            requested_by=self.requested_by,
            state=self.state.value,
            reason=self.reason,
            started_at=self.started_at,
            finished_at=self.finished_at,
        )

    @property
    def parent_id(self) -> ids.OperationId | None:
        """Return the operation of the parent stack that this one belongs to.

        ``None`` for one that begins here: at a root, or at the address of a
        child stack.
        """
        within = self.options.get(WITHIN)
        if not isinstance(within, list) or self.options.get(ALONE):
            return None
        return ids.OperationId(within[0])

    @property
    def stop_reason(self) -> StopReason | None:
        """Return why it begins nothing more; a newer request comes first."""
        if self.superseded_by is not None:
            return StopReason.SUPERSEDED
        return StopReason.CANCELLED if self.is_cancelled else None
