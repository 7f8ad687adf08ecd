"""Sort dependent nodes, or report their cycle."""

import collections.abc
import typing

from orch import errors
from orch.graph import graph


class CircularPlan(errors.Invalid):
    """Changes wait for one another in a cycle; none can start."""

    code = "orch.plan.circular"


Node = typing.TypeVar("Node", bound=collections.abc.Hashable)


def sort_nodes(nodes: graph.Graph[Node]) -> list[Node]:
    """Return all nodes, each after what it requires.

    :raises orch.planner.errors.CircularPlan: they wait for one another
    """
    sorted_ = nodes.order()
    if len(sorted_) < len(nodes):
        names = " -> ".join(str(each) for each in nodes.find_cycle())
        raise CircularPlan(f"these changes wait for one another: {names}")
    return sorted_
