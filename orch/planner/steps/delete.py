"""Incarnations that nothing wants any more are removed."""

from orch.model import resource
from orch.model import states
from orch.planner import draft
from orch.planner import plan


def apply(situation: draft.Situation, work: draft.Draft) -> None:
    """Add a removal for each row that no declaration stands for."""
    for row in situation.existing:
        if row.is_gone:
            continue
        if row.replaced_by is None and row.name in situation.desired:
            continue
        reason = "was replaced" if row.replaced_by else "is not wanted"
        work.add(removal(row, reason))


def removal(row: resource.Resource, reason: str) -> plan.Change:
    """Return the change that takes an incarnation out of the stack."""
    retained = row.deletion_policy.lower() == "retain"
    return plan.Change(
        kind=plan.Kind.RETAIN if retained else plan.Kind.DELETE,
        name=row.name,
        type_name=row.type_name,
        resource_id=row.id,
        requires=(),
        reason=reason,
        is_repeated=row.action is states.Action.DELETE,
    )
