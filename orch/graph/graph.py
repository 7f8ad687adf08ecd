"""A directed graph: requirements, order and cycles of its nodes.

Nothing here knows what the nodes are. All walks take time that grows with
the number of nodes and edges, and have their own stack: a chain of any
length is as safe as a flat set.
"""

import collections.abc
import heapq
import itertools
import typing

Node = typing.TypeVar("Node", bound=collections.abc.Hashable)


class Graph(typing.Generic[Node]):
    """Nodes in the order in which they were added, and their requirements."""

    def __init__(self) -> None:
        self._requires: dict[Node, dict[Node, None]] = {}

    def add(self, node: Node) -> None:
        """Add a node to the graph; an existing one stays unchanged."""
        self._requires.setdefault(node, {})

    def connect(self, node: Node, required: Node) -> None:
        """Add an edge: ``node`` comes after ``required``."""
        self._requires.setdefault(required, {})
        self._requires.setdefault(node, {})[required] = None

    def __contains__(self, node: object) -> bool:
        return node in self._requires

    def __len__(self) -> int:
        return len(self._requires)

    def __iter__(self) -> collections.abc.Iterator[Node]:
        return iter(self._requires)

    def requires(self, node: Node) -> tuple[Node, ...]:
        """Return the direct requirements of a node, in the order given."""
        return tuple(self._requires[node])

    def edges(self) -> collections.abc.Iterator[tuple[Node, Node]]:
        """Return all pairs of a node and one that it requires."""
        for node, required in self._requires.items():
            for one in required:
                yield node, one

    def dependents(self) -> dict[Node, list[Node]]:
        """Return for each node those that directly require it."""
        found: dict[Node, list[Node]] = {node: [] for node in self._requires}
        for node, required in self.edges():
            found[required].append(node)
        return found

    def order(self) -> list[Node]:
        """Return the nodes so that each comes after all that it requires.

        Among nodes that may come at once, the one added first comes first.
        Nodes of a cycle, and those that require one, are left out: the
        result is shorter than the graph exactly when it has a cycle.
        """
        numbers = itertools.count()
        return self.order_by(lambda _: next(numbers))

    def order_by(
        self, rank: collections.abc.Callable[[Node], typing.Any]
    ) -> list[Node]:
        """Return the nodes as :meth:`order` does, but equals by rank.

        Among nodes that may come at once, the one of the lowest rank comes
        first.

        :param rank: gives what can be compared, once for each node; never the
            same for two
        """
        missing = {node: len(all_) for node, all_ in self._requires.items()}
        dependents = self.dependents()
        ready = [
            (rank(node), node) for node, count in missing.items() if not count
        ]
        heapq.heapify(ready)
        done: list[Node] = []
        while ready:
            node = heapq.heappop(ready)[1]
            done.append(node)
            for dependent in dependents[node]:
                missing[dependent] -= 1
                if missing[dependent] == 0:
                    heapq.heappush(ready, (rank(dependent), dependent))
        return done

    def find_cycle(self) -> tuple[Node, ...]:
        """Return the nodes of one cycle, each requiring the next.

        :returns: empty when there is none; the last requires the first
        """
        rest = dict.fromkeys(self._requires)
        for node in self.order():
            del rest[node]
        if not rest:
            return ()
        # Each node that is left requires another one that is left, so
        # walking along requirements must come back to where it has been.
        seen: dict[Node, int] = {}
        path: list[Node] = []
        node = next(iter(rest))
        while node not in seen:
            seen[node] = len(path)
            path.append(node)
            node = next(one for one in self._requires[node] if one in rest)
        return tuple(path[seen[node] :])
