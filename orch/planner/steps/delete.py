"""Incarnations that nothing wants any more are removed."""

from orch.model import resource
from orch.model import states
from orch.planner import draft
from orch.planner import plan


def apply(situation: draft.Situation, work: draft.Draft) -> None:
    """Add a removal for each row that no declaration stands for."""
    for row in situation.existing:
        if _is_gone(row):
            continue
        if row.replaced_by is None and row.name in situation.desired:
            continue
        work.add(_removal(row))


def _is_gone(row: resource.Resource) -> bool:
    return (
        row.action is states.Action.DELETE
        and row.status is states.Status.COMPLETE
    )


def _removal(row: resource.Resource) -> plan.Change:
    retained = row.deletion_policy.lower() == "retain"
    return plan.Change(
        kind=plan.Kind.RETAIN if retained else plan.Kind.DELETE,
        name=row.name,
        type_name=row.type_name,
        resource_id=row.id,
        requires=(),
        reason="was replaced" if row.replaced_by else "is not wanted",
        is_repeated=row.action is states.Action.DELETE,
    )
