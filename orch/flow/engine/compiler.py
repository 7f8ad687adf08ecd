"""Compile a plan into a TaskFlow flow: an atom a change, an edge a need."""

import types

from taskflow import task
from taskflow.patterns import graph_flow
from taskflow.types import graph

from orch.flow.state import store
from orch.flow.tasks import act
from orch.flow.tasks import adopt
from orch.flow.tasks import base
from orch.flow.tasks import create
from orch.flow.tasks import delete
from orch.flow.tasks import snapshot
from orch.flow.tasks import update
from orch.planner import plan

TASKS: types.MappingProxyType[plan.Kind, type[base.ChangeTask]] = (
    types.MappingProxyType(
        {
            plan.Kind.CREATE: create.CreateTask,
            plan.Kind.ADOPT: adopt.AdoptTask,
            plan.Kind.CLEAN_UP: base.CleanUpTask,
            plan.Kind.GONE: base.CleanUpTask,
            plan.Kind.UPDATE: update.UpdateTask,
            plan.Kind.READ: update.UpdateTask,
            plan.Kind.SUSPEND: act.ActTask,
            plan.Kind.RESUME: act.ActTask,
            plan.Kind.CHECK: act.ActTask,
            plan.Kind.SNAPSHOT: snapshot.SnapshotTask,
            plan.Kind.KEEP: snapshot.FinalSnapshotTask,
            plan.Kind.FORGET: snapshot.DeleteSnapshotTask,
            plan.Kind.DELETE: delete.DeleteTask,
            plan.Kind.RETAIN: delete.RetainTask,
        }
    )
)


class PlanFlow(graph_flow.Flow):
    """A graph flow whose graph is built in one step.

    ``Flow.link`` copies the graph once an edge, which makes a flow of ten
    thousand atoms cost minutes; a plan has no cycle, so nothing need be
    tried on a copy.
    """

    def fill(
        self,
        atoms: dict[str, task.Task],
        edges: list[tuple[str, str]],
    ) -> None:
        """Add all atoms and edges at once.

        :param edges: pairs of names, the first before the second
        """
        filled = graph.DiGraph(name=self.name)
        filled.add_nodes_from(atoms.values())
        filled.add_edges_from(
            (atoms[before], atoms[after], {"manual": True})
            for before, after in edges
        )
        self._graph = filled.freeze()


def compile_plan(
    name: str, planned: plan.Plan, resources: store.Store
) -> PlanFlow:
    """Return the TaskFlow flow of a plan.

    :param name: the flow's name, for people
    :param resources: what the tasks act on
    """
    flow = PlanFlow(name)  # type: ignore[no-untyped-call]
    flow.fill(
        {
            change.key: TASKS[change.kind](change, resources)
            for change in planned.changes
        },
        [
            (required, change.key)
            for change in planned.changes
            for required in change.requires
        ],
    )
    return flow
