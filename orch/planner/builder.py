"""Builds the plan of an operation by a pipeline of rules."""

import dataclasses

from orch.graph import graph
from orch.planner import draft
from orch.planner import errors
from orch.planner import plan
from orch.planner.steps import create
from orch.planner.steps import delete
from orch.planner.steps import order

STEPS = (create.apply, delete.apply, order.apply)


def build(situation: draft.Situation) -> plan.Plan:
    """Return what must happen so that what is wanted stands complete.

    The same call serves a first run, a retry and a takeover: what is
    complete drops out of the plan.

    :raises orch.planner.errors.Circular: the changes wait for one another
    """
    work = draft.Draft(
        current={row.name: row for row in situation.existing if row.is_current}
    )
    for step in STEPS:
        step(situation, work)
    order_of = graph.Graph[str]()
    for key, required in work.edges.items():
        order_of.add(key)
        for each in required:
            order_of.connect(key, each)
    order = order_of.order()
    if len(order) < len(order_of):
        names = " -> ".join(order_of.find_cycle())
        raise errors.Circular(f"these changes wait for one another: {names}")
    return plan.Plan(
        changes=tuple(
            dataclasses.replace(
                work.changes[key], requires=order_of.requires(key)
            )
            for key in order
        ),
        unchanged=tuple(work.unchanged),
    )
