"""Puts what depends on each other in order, or says where it circles."""

import collections.abc
import typing

from orch.graph import graph
from orch.planner import errors

Node = typing.TypeVar("Node", bound=collections.abc.Hashable)


def sort(nodes: graph.Graph[Node]) -> list[Node]:
    """Return all nodes, each after what it requires.

    :raises orch.planner.errors.Circular: they wait for one another
    """
    sorted_ = nodes.order()
    if len(sorted_) < len(nodes):
        names = " -> ".join(str(each) for each in nodes.find_cycle())
        raise errors.Circular(f"these changes wait for one another: {names}")
    return sorted_
