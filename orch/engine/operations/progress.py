"""How far an operation is, step by step and resource by resource."""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import ids
from orch.flow import notes
from orch.model import event
from orch.model import operation
from orch.model import states
from orch.model import step
from orch.planner import plan
from orch.rpc import contract

_WAITING: typing.Final = "WAITING"
_UNNEEDED: typing.Final = "UNNEEDED"


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """What the events tell of one operation.

    :ivar resources: what was done to each so far, in the order of beginning
    :ivar told: newest event of each resource and action, in this attempt
    """

    resources: collections.abc.Mapping[ids.ResourceId, contract.ProgressFacts]
    told: collections.abc.Mapping[
        tuple[ids.ResourceId, states.Action], event.Event
    ]


def of(events: collections.abc.Iterable[event.Event]) -> Progress:
    """Return what the events of an operation tell, the oldest first.

    An event of the stack itself is the beginning of an attempt, or its end.
    """
    resources: dict[ids.ResourceId, contract.ProgressFacts] = {}
    told: dict[tuple[ids.ResourceId, states.Action], event.Event] = {}
    for each in events:
        if each.resource_id is not None:
            before = resources.get(each.resource_id)
            resources[each.resource_id] = _after(before, each)
            told[each.resource_id, each.action] = each
        elif each.status is states.Status.IN_PROGRESS:
            told.clear()
    return Progress(resources, told)


def steps(
    found: collections.abc.Iterable[step.Step],
    asked: operation.Operation,
    progress: Progress,
) -> list[contract.StepFacts]:
    """Return the steps of an operation's plan, each with its state."""
    return [
        contract.StepFacts(
            kind=each.kind,
            resource_name=each.name,
            state=_state(each, asked, progress),
        )
        for each in found
    ]


def _state(
    each: step.Step, asked: operation.Operation, progress: Progress
) -> str:
    kind = plan.Kind(each.kind)
    is_over = asked.state is states.OperationState.COMPLETE
    action = notes.ACTIONS.get(kind)
    if action is None:
        return states.Status.COMPLETE.value if is_over else _WAITING
    newest = progress.told.get((each.resource_id, action))
    if newest is not None:
        return newest.status.value
    # The run has found that it changes nothing.
    return _UNNEEDED if is_over else _WAITING


def _after(
    before: contract.ProgressFacts | None, newest: event.Event
) -> contract.ProgressFacts:
    begins = newest.status is states.Status.IN_PROGRESS
    started_at: clock.Timestamp | float | None = newest.created_at
    if not begins:
        started_at = before["started_at"] if before else None
    return contract.ProgressFacts(
        name=newest.resource_name,
        type_name=newest.resource_type,
        action=newest.action.value,
        status=newest.status.value,
        reason=newest.reason,
        started_at=started_at,
        finished_at=None if begins else newest.created_at,
    )
