"""Leave resources out of the plan that the operation excludes."""

import dataclasses

from orch.model import resource
from orch.planner import draft
from orch.planner import plan
from orch.planner.steps import changes


def without_orphans(
    situation: draft.Situation,
) -> tuple[draft.Situation, tuple[plan.OmittedRow, ...]]:
    """Return the situation without the orphaned incarnations.

    :returns: also the incarnations to be forgotten
    """
    orphaned = situation.exclusions.orphaned
    if not orphaned:
        return situation, ()
    rows = situation.existing
    return (
        dataclasses.replace(
            situation, existing=[row for row in rows if row.id not in orphaned]
        ),
        tuple(
            plan.OmittedRow(row.name, row.id)
            for row in rows
            if row.id in orphaned and not row.is_gone
        ),
    )


def apply(situation: draft.Situation, work: draft.Draft) -> None:
    """Retain each incarnation of a skipped resource unchanged."""
    skip = situation.exclusions.skip
    for row in situation.existing:
        if row.name not in skip or row.is_gone:
            continue
        work.chosen.add(row.id)
        if not row.is_complete:
            work.skipped.append(plan.OmittedRow(row.name, row.id))


def restore_replaced(situation: draft.Situation, work: draft.Draft) -> None:
    """Make the predecessor of a skipped replacement current again.

    References to the resource then lead to the existing physical resource.
    """
    maker = changes.ChangeBuilder(situation, work)
    standing: dict[str, resource.Resource] = {}
    for each in situation.existing:
        if each.name in situation.exclusions.skip and each.is_in_place:
            standing[each.name] = each
    for name, older in standing.items():
        row = work.current.get(name)
        if row is not None and not row.is_in_place:
            maker.take_back(older, row)
