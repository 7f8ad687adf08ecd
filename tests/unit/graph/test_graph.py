"""Orders and circles of a graph."""

import time

from orch.graph import graph
from tests import base


def _graph(**requires: str) -> graph.Graph[str]:
    made: graph.Graph[str] = graph.Graph()
    for node, required in requires.items():
        made.add(node)
        for one in required:
            made.connect(node, one)
    return made


class GraphTest(base.TestCase):
    def test_each_node_comes_after_what_it_requires(self) -> None:
        order = _graph(d="bc", b="a", c="a", a="").order()

        self.assertEqual({"a", "b", "c", "d"}, set(order))
        self.assertEqual("a", order[0])
        self.assertEqual("d", order[-1])

    def test_nodes_that_may_come_at_once_keep_their_order(self) -> None:
        self.assertEqual(["z", "y", "x"], _graph(z="", y="", x="").order())

    def test_nodes_that_may_come_at_once_come_by_their_rank(self) -> None:
        # Without what it requires "a" would come first.
        made = _graph(a="z", c="", z="", b="")

        self.assertEqual(["b", "c", "z", "a"], made.order_by(str))
        self.assertEqual([], _graph(a="b", b="a").order_by(str))

    def test_a_circle_and_what_requires_it_have_no_order(self) -> None:
        self.assertEqual(["d"], _graph(a="b", b="a", c="a", d="").order())

    def test_a_circle_is_found_without_what_leads_to_it(self) -> None:
        circle = _graph(top="x", x="y", y="z", z="x", free="").find_cycle()

        self.assertEqual({"x", "y", "z"}, set(circle))
        following = circle[1:] + circle[:1]
        pairs = set(zip(circle, following, strict=True))
        self.assertEqual({("x", "y"), ("y", "z"), ("z", "x")}, pairs)

    def test_a_node_that_requires_itself_is_a_circle(self) -> None:
        self.assertEqual(("a",), _graph(a="a").find_cycle())

    def test_without_a_circle_none_is_found(self) -> None:
        self.assertEqual((), _graph(a="b", b="c").find_cycle())

    def test_dependents_are_requirements_turned_round(self) -> None:
        self.assertEqual(
            {"a": ["b", "c"], "b": ["c"], "c": []},
            _graph(a="", b="a", c="ab").dependents(),
        )

    def test_a_chain_of_any_length_needs_no_recursion(self) -> None:
        made: graph.Graph[int] = graph.Graph()
        for node in range(1, 50_000):
            made.connect(node, node - 1)

        self.assertEqual(50_000, len(made.order()))
        made.connect(0, 49_999)
        self.assertEqual(50_000, len(made.find_cycle()))

    def test_time_grows_with_the_edges(self) -> None:
        small, large = (
            min(_time_of(size) for _ in range(3)) for size in (2_000, 8_000)
        )

        # Four times the size; were it quadratic, 16 times the time.
        self.assertLess(large, 10 * small)


def _time_of(size: int) -> float:
    made: graph.Graph[int] = graph.Graph()
    for node in range(10, size):
        for step in range(1, 11):
            made.connect(node, node - step)
    begun = time.process_time()
    made.order()
    return time.process_time() - begun
