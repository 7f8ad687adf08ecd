"""The conclusion of an operation: what is written with its last rows."""

import collections.abc
import dataclasses
import enum
import typing

from orch import errors
from orch import ids
from orch.events import recorder
from orch.flow import call_pool
from orch.metrics import catalogue
from orch.model import operation
from orch.model import states


class RunOutcome(enum.Enum):
    """How the run of an operation ended."""

    COMPLETE = "complete"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CANCELLED = "cancelled"


_INTERRUPTION_REASONS = {
    RunOutcome.FAILED: "another resource failed before this one was taken up",
    RunOutcome.TIMED_OUT: "the operation's time was over",
    RunOutcome.CANCELLED: "the operation was cancelled",
}

_STATE_LABELS: typing.Final = {
    states.OperationState.COMPLETE: "complete",
    states.OperationState.SUPERSEDED: "superseded",
}
_OUTCOME_LABELS: typing.Final = {
    RunOutcome.TIMED_OUT: "timed_out",
    RunOutcome.CANCELLED: "cancelled",
}


class TimedOut(call_pool.HungCall):
    """The operation timed out before the resource was complete."""

    code = "orch.operation.timed_out"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """The end of an operation: written with the last rows, or not at all.

    :ivar stack_columns: what changes of the stack
    :ivar operation_columns: what changes of the operation
    :ivar facts: events and notifications of it
    :ivar accepted_operations: operations that were accepted by this ending
    :ivar snapshot_columns: what changes of the snapshot that it takes
    :ivar drops_resources: nothing of the stack is left, no snapshot of
        its own either
    :ivar dropped: rows whose physical resources are gone
    :ivar tree_change: by how much the number of the tree's resources grows
    :ivar cut_short: child stacks whose operations end with it
    :ivar superseded_facts: given the newer operation's id, returns what is
        told of the end of a superseded one
    :ivar hands_on: it did nothing: its successor may return to what was before
    :ivar continued: it did nothing: the operation that it has superseded
        continues; :data:`restoration.SUPERSEDED` of its options
    """

    stack_columns: collections.abc.Mapping[str, object]
    operation_columns: collections.abc.Mapping[str, object]
    facts: recorder.Facts
    accepted_operations: tuple[operation.Operation, ...] = ()
    snapshot_columns: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    drops_resources: bool = False
    dropped: tuple[ids.ResourceId, ...] = ()
    tree_change: int = 0
    cut_short: tuple[ids.StackId, ...] = ()
    superseded_facts: (
        collections.abc.Callable[[ids.OperationId], recorder.Facts] | None
    ) = None
    hands_on: bool = False
    continued: object = None


Conclude = collections.abc.Callable[[operation.StopReason | None], Conclusion]
"""Returns how an operation ends, given its stop reason."""


def decide_outcome(
    outcome: RunOutcome,
    stop_reason: operation.StopReason | None,
    *,
    is_complete: bool,
    has_failures: bool,
) -> RunOutcome:
    """Return the outcome of a run.

    :param outcome: what is known of it so far
    :param is_complete: whether every change has succeeded
    """
    if stop_reason is operation.StopReason.CANCELLED and not is_complete:
        return RunOutcome.CANCELLED
    if outcome is RunOutcome.COMPLETE and has_failures:
        return RunOutcome.FAILED
    return outcome


def interruption_reason(
    outcome: RunOutcome, stop_reason: operation.StopReason | None
) -> str | None:
    """Return why a change was not started, or ``None``.

    A change of a superseded operation goes on in the next one.
    """
    if stop_reason is operation.StopReason.SUPERSEDED:
        return None
    return _INTERRUPTION_REASONS.get(outcome)


def timeout_error(error: BaseException | None) -> TimedOut:
    """Return the timeout error of a change, with its last error."""
    text = "the operation's time was over"
    if error is not None:
        text += f"; the last try failed: {errors.kind_of(error)}: {error}"
    return TimedOut(text)


def count_end(
    operation_: operation.Operation,
    outcome: RunOutcome,
    stop_reason: operation.StopReason | None,
    conclusion: Conclusion,
) -> None:
    """Count the end of an operation, once it is written, for the metrics.

    :param outcome: how its run ended
    :param stop_reason: with which the conclusion was written
    """
    state = states.OperationState(str(conclusion.operation_columns["state"]))
    if state in _STATE_LABELS:
        became = _STATE_LABELS[state]
    elif stop_reason is operation.StopReason.CANCELLED:
        became = _OUTCOME_LABELS[RunOutcome.CANCELLED]
    else:
        became = _OUTCOME_LABELS.get(outcome, "failed")
    labels = operation_.action.value, became
    catalogue.OPERATIONS_ENDED.count(*labels)
    finished_at = conclusion.operation_columns["finished_at"]
    if operation_.started_at is not None and isinstance(finished_at, float):
        catalogue.OPERATION_S.observe(
            finished_at - operation_.started_at, *labels
        )
