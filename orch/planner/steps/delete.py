"""Remove incarnations that are no longer desired."""

from orch.model import breakpoints
from orch.model import resource
from orch.model import states
from orch.planner import compare
from orch.planner import draft
from orch.planner import plan


def apply(situation: draft.Situation, work: draft.Draft) -> None:
    """Add a removal for each row that no change of the plan uses.

    An incarnation that an uncertain update may replace is removed if it does.
    """
    unsure = {
        change.resource_id
        for change in work.changes.values()
        if change.replacement_id is not None
    }
    for row in situation.existing:
        if row.is_gone:
            if _is_held(situation, row):
                work.add(_gone(row))
            continue
        if _is_left_alone(situation, row) or _is_spared(situation, row):
            continue
        if row.id in work.chosen and row.id not in unsure:
            continue
        reason = _reason(situation, work, row)
        work.add(new_removal(situation, row, reason, row.id in unsure))


def new_removal(
    situation: draft.Situation,
    row: resource.Resource,
    reason: str,
    is_unsure: bool = False,
) -> plan.Change:
    """Return the change that removes an incarnation from the stack.

    A vanished one is removed as any other: what was made in addition to it
    still exists.
    """
    abandons_content = situation.is_abandoned(row)
    retained = abandons_content or row.deletion_policy.lower() == "retain"
    is_vanished = situation.is_vanished(row) or (
        row.is_vanished and row.name in situation.desired
    )
    if is_vanished:
        reason = compare.VANISHED.reason
    elif row.lacks_known_outcome and not retained:
        reason += "; its outcome is unknown: it is looked for first"
    return plan.Change(
        kind=plan.Kind.RETAIN if retained else plan.Kind.DELETE,
        name=row.name,
        type_name=row.type_name,
        resource_id=row.id,
        requires=(),
        reason=reason,
        abandons_content=abandons_content,
        is_repeated=row.action is states.Action.DELETE,
        is_certain=not is_unsure,
        is_vanished=is_vanished,
    )


def _is_left_alone(situation: draft.Situation, row: resource.Resource) -> bool:
    """Whether it is a leftover of the document that is being adopted.

    An adoption removes nothing; the next update does.
    """
    return (
        situation.action is states.Action.ADOPT
        and row.adopted_by is not None
        and row.is_being_deleted
    )


def _is_spared(situation: draft.Situation, row: resource.Resource) -> bool:
    """Whether a repair of other resources leaves it, wanted or not."""
    survey = situation.survey
    return (
        survey is not None
        and survey.narrowed_to is not None
        and row.id not in survey.narrowed_to
    )


def _is_held(situation: draft.Situation, row: resource.Resource) -> bool:
    """Whether a breakpoint holds the changes after a removal."""
    operation_id = situation.operation_id
    return operation_id is not None and bool(
        breakpoints.find_waiting(row, operation_id, "post")
    )


def _gone(row: resource.Resource) -> plan.Change:
    return plan.Change(
        kind=plan.Kind.GONE,
        name=row.name,
        type_name=row.type_name,
        resource_id=row.id,
        requires=(),
        reason="is held at a breakpoint",
    )


def is_failed_remnant(row: resource.Resource) -> bool:
    """Whether it is the useless remains of a failure."""
    if row.action is states.Action.CREATE:
        return row.status is states.Status.FAILED
    return row.action is states.Action.DELETE


def _reason(
    situation: draft.Situation, work: draft.Draft, row: resource.Resource
) -> str:
    if row.name not in situation.desired:
        return "is not wanted"
    if row.replaced_by is not None:
        return "was replaced"
    is_certain = row.id not in work.chosen
    return "is replaced" if is_certain else "if it is replaced"
