"""How far an operation is, step by step and resource by resource."""

import collections.abc
import dataclasses

from orch import clock
from orch import ids
from orch.flow import notes
from orch.flow import step_notes
from orch.model import event
from orch.model import operation
from orch.model import states
from orch.model import step
from orch.planner import plan
from orch.rpc import contract


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """What the events tell of one operation.

    :ivar resources: what was done to each so far, in the order of beginning
    :ivar told: newest event of each resource and action, in this attempt
    :ivar noted: state of each step that events do not tell of, by resource
        and kind, in this attempt
    """

    resources: collections.abc.Mapping[ids.ResourceId, contract.ProgressFacts]
    told: collections.abc.Mapping[
        tuple[ids.ResourceId, states.Action], event.Event
    ]
    noted: collections.abc.Mapping[tuple[ids.ResourceId, str], str]


def of(
    events: collections.abc.Iterable[event.Event],
    noted: collections.abc.Iterable[step.Noted] = (),
) -> Progress:
    """Return what the events of an operation tell, the oldest first.

    An event of the stack itself is the beginning of an attempt, or its end;
    signals that came meanwhile tell nothing of the operation.

    :param noted: how far the other steps of this attempt are
    """
    resources: dict[ids.ResourceId, contract.ProgressFacts] = {}
    told: dict[tuple[ids.ResourceId, states.Action], event.Event] = {}
    for each in events:
        if each.action is states.Action.SIGNAL:
            continue
        if each.resource_id is not None:
            before = resources.get(each.resource_id)
            resources[each.resource_id] = _after(before, each)
            told[each.resource_id, each.action] = each
        elif each.status is states.Status.IN_PROGRESS:
            told.clear()
    return Progress(
        resources,
        told,
        {(each.resource_id, each.kind): each.state for each in noted},
    )


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
    is_over = asked.state is states.OperationState.COMPLETE
    found = progress.noted.get((each.resource_id, each.kind))
    if found is None:
        action = notes.ACTIONS.get(plan.Kind(each.kind))
        newest = action and progress.told.get((each.resource_id, action))
        found = newest.status.value if newest else step.WAITING
    if found == step.WAITING and is_over:
        return step_notes.UNNEEDED
    is_open = asked.state in states.OPEN_STATES
    if found == step_notes.BEGUN and not is_open:
        # The operation has ended beside it.
        return step.WAITING
    return found


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
