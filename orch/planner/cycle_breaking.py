"""Breaks the circles of removals, so that a stack can always be deleted.

Two things may really need each other: one was skipped, and goes on with what
it needed before, while the other one was changed to need it. One of the two
has to let go of the other.
"""

import collections.abc

from orch import ids
from orch.graph import graph
from orch.model import resource
from orch.planner import draft
from orch.planner import plan

_BEFORE_REMOVAL = plan.REMOVING | {plan.Kind.KEEP}


def break_cycle(
    situation: draft.Situation, work: draft.Draft, circle: list[str]
) -> bool:
    """Let one removal in a circle wait no more for another one.

    The thing that was changed least lately no longer counts as needing what
    it needs: it may be the one that was skipped.

    :param circle: keys, each of which requires the next, the last the first
    :returns: whether there was a removal that need not wait
    """
    rows = {row.id: row for row in situation.existing}
    waits = [
        (first, then)
        for first, then in zip(circle, (*circle[1:], circle[0]), strict=True)
        if _is_between_removals(work.changes[first], work.changes[then])
    ]
    if not waits:
        return False
    first, then = min(waits, key=lambda wait: _changed_at(rows, work, wait[1]))
    work.edges[first] = [key for key in work.edges[first] if key != then]
    return True


def find_cycle(order_of: graph.Graph[str]) -> list[str]:
    """Return keys that wait for one another; none when all can be ordered."""
    if len(order_of.order()) == len(order_of):
        return []
    return list(order_of.find_cycle())


def _is_between_removals(first: plan.Change, then: plan.Change) -> bool:
    return (
        first.kind in _BEFORE_REMOVAL
        and then.kind in plan.REMOVING
        and first.resource_id != then.resource_id
    )


def _changed_at(
    rows: collections.abc.Mapping[ids.ResourceId, resource.Resource],
    work: draft.Draft,
    key: str,
) -> float:
    return rows[work.changes[key].resource_id].updated_at
