"""Build the plan of an operation by a pipeline of rules."""

import collections.abc
import dataclasses

from orch import ids
from orch.graph import graph
from orch.model import resource
from orch.planner import draft
from orch.planner import plan
from orch.planner import sorting
from orch.planner.steps import act
from orch.planner.steps import declared
from orch.planner.steps import delete
from orch.planner.steps import exempt
from orch.planner.steps import order
from orch.planner.steps import snapshots

_BEFORE_REMOVAL = plan.REMOVING | {plan.Kind.KEEP}


def break_cycle(
    situation: draft.Situation, work: draft.Draft, circle: list[str]
) -> bool:
    """Remove one wait between removals from a cycle.

    The requirements of the resource that was changed least lately are dropped:
    it may be the one that was skipped.

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


_DESIRED_STATE_STEPS = (
    exempt.apply,
    exempt.restore_replaced,
    declared.apply,
    delete.apply,
    order.apply,
    snapshots.add_final_snapshots,
    snapshots.add_snapshot_deletions,
)
_ACTION_STEPS = (exempt.apply, act.apply)


def build_plan(situation: draft.Situation) -> plan.Plan:
    """Return the plan that brings a stack to its desired state.

    The same call serves a first run, a retry and a takeover: what is
    complete drops out of the plan.

    :raises orch.planner.sorting.CircularPlan: the changes wait for one another
    """
    situation, orphans = exempt.without_orphans(situation)
    work = draft.Draft(
        current={row.name: row for row in situation.existing if row.is_current}
    )
    acts = situation.action in act.ACTIONS
    for step in _ACTION_STEPS if acts else _DESIRED_STATE_STEPS:
        step(situation, work)
    order_of = _ordered(situation, work)
    return plan.Plan(
        changes=tuple(
            dataclasses.replace(
                work.changes[key], requires=order_of.requires(key)
            )
            for key in sorting.sort_nodes(order_of)
        ),
        unchanged=tuple(work.unchanged),
        returns=tuple(work.returns),
        skipped=tuple(work.skipped),
        orphans=orphans,
        unread=tuple(work.unread),
        differences=work.differences,
    )


def _ordered(
    situation: draft.Situation, work: draft.Draft
) -> graph.Graph[str]:
    """Return which change waits for which; no removals wait in a cycle."""
    order_of = _graph(work)
    while circle := find_cycle(order_of):
        if not break_cycle(situation, work, circle):
            break
        order_of = _graph(work)
    if work.weak:
        whole = _graph(work, work.weak)
        if not whole.find_cycle():
            order_of = whole
    return order_of


def _graph(
    work: draft.Draft, *more: collections.abc.Mapping[str, list[str]]
) -> graph.Graph[str]:
    order_of = graph.Graph[str]()
    for edges in (work.edges, *more):
        for key, required in edges.items():
            order_of.add(key)
            for each in required:
                order_of.connect(key, each)
    return order_of
