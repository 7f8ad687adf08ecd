"""Plan an action on all existing resources, such as suspend or check."""

import collections.abc
import dataclasses
import typing

from orch.model import resource
from orch.model import states
from orch.planner import draft
from orch.planner import plan

Rule = collections.abc.Callable[[resource.Resource], bool]


@dataclasses.dataclass(frozen=True, slots=True)
class _Act:
    """How an action is applied to the resources of a stack.

    :ivar applies: whether there is anything to do with a row
    :ivar is_repeatable: what an earlier operation did is done again
    :ivar is_forward: after what a resource requires; backward: before it;
        ``None``: all at once
    """

    kind: plan.Kind
    applies: Rule
    is_repeatable: bool
    is_forward: bool | None


def _was_made(row: resource.Resource) -> bool:
    return row.is_in_place or row.action is states.Action.CHECK


def _may_resume(row: resource.Resource) -> bool:
    """Whether it may be suspended, whatever was done with it since."""
    return row.is_at_rest and row.action is not states.Action.DELETE


_ACTS: typing.Final = {
    states.Action.SUSPEND: _Act(plan.Kind.SUSPEND, _was_made, False, False),
    states.Action.RESUME: _Act(plan.Kind.RESUME, _may_resume, False, True),
    states.Action.CHECK: _Act(plan.Kind.CHECK, _was_made, True, None),
    states.Action.SNAPSHOT: _Act(plan.Kind.SNAPSHOT, _was_made, True, None),
}

ACTIONS = frozenset(_ACTS)
"""Actions on existing resources that leave the desired state unchanged."""


def apply(situation: draft.Situation, work: draft.Draft) -> None:
    """Add the action for each existing resource where it is not done yet."""
    act = _ACTS[situation.action]
    for row in work.current.values():
        if row.name in situation.exclusions.skip:
            continue
        work.chosen.add(row.id)
        is_unfinished = _is_unfinished(situation, row)
        if not is_unfinished and (
            not act.applies(row) or _is_done(situation, act, row)
        ):
            work.unchanged.append(row.name)
            continue
        work.add(
            plan.Change(
                kind=act.kind,
                name=row.name,
                type_name=row.type_name,
                resource_id=row.id,
                requires=(),
                reason="never created" if is_unfinished else "exists",
                is_repeated=row.action is situation.action
                and row.operation_id == situation.operation_id,
                unfinished=row.action if is_unfinished else "",
            )
        )
    if act.is_forward is None:
        return
    for row in work.current.values():
        for required in row.requires:
            _connect(work, row.name, required, act.is_forward)


def _is_unfinished(situation: draft.Situation, row: resource.Resource) -> bool:
    """Whether a check finds a resource whose creation had failed.

    One that was never started is no fault: it waits for the next update.
    """
    return (
        situation.action is states.Action.CHECK
        and row.status is states.Status.FAILED
        and not _was_made(row)
    )


def _is_done(
    situation: draft.Situation, act: _Act, row: resource.Resource
) -> bool:
    if row.action is not situation.action or not row.is_complete:
        return False
    is_mine = row.operation_id == situation.operation_id
    return is_mine or not act.is_repeatable


def _connect(
    work: draft.Draft, name: str, required: str, is_forward: bool
) -> None:
    first, second = (required, name) if is_forward else (name, required)
    if first in work.creates and second in work.creates:
        work.edges[work.creates[second]].append(work.creates[first])
