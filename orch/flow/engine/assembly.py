"""Assemble the engine of one operation."""

import collections.abc

from taskflow.persistence import models

from orch import clock
from orch.flow.engine import breakpoints
from orch.flow.engine import compiler
from orch.flow.engine import engine
from orch.flow.engine import persistence
from orch.flow.state import store
from orch.planner import plan


def assemble_engine(
    planned: plan.Plan,
    store: store.Store,
    *,
    clock_: clock.Clock,
    group_s: float,
    flush: collections.abc.Callable[[], None],
    gate: breakpoints.Gate | None = None,
) -> engine.Engine:
    """Return an engine that runs the plan and records it in the store.

    :param group_s: how long effect-free changes are gathered, in seconds
    :param flush: called once a tick
    :param gate: decides which changes are held; ``None`` for none
    """
    operation = store.operation
    name = f"{operation.action} {store.stack.name}"
    return engine.Engine(
        compiler.compile_plan(name, planned, store),
        models.FlowDetail(name, operation.id),
        persistence.Backend(
            {"store": store, "plan": planned, "batched": True}
        ),
        {
            "clock": clock_,
            "group_s": group_s,
            "keep_going": bool(operation.options.get("keep_going")),
            "flush": flush,
            "gate": gate,
        },
    )
