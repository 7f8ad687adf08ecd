"""Graphs as DOT and SVG."""

import xml.etree.ElementTree as ET

from orchclient import graph_drawing
from tests import base

_SVG = "{http://www.w3.org/2000/svg}"


def _graph(edges: list[tuple[str, str]], *keys: str) -> graph_drawing.Graph:
    nodes = [graph_drawing.Node(key, key, "note") for key in keys]
    return graph_drawing.Graph("g", nodes, edges)


class LayerTests(base.TestCase):
    def test_each_is_below_all_that_lead_to_it(self) -> None:
        edges = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("a", "d")]

        rows = graph_drawing.layer_nodes(["d", "c", "b", "a"], edges)

        self.assertEqual([{"a"}, {"b", "c"}, {"d"}], [set(r) for r in rows])

    def test_neighbours_stand_near_each_other(self) -> None:
        edges = [("a", "z"), ("b", "y"), ("c", "x")]

        rows = graph_drawing.layer_nodes(["a", "b", "c", "x", "y", "z"], edges)

        self.assertEqual([["a", "b", "c"], ["z", "y", "x"]], rows)

    def test_a_cycle_does_not_hang(self) -> None:
        rows = graph_drawing.layer_nodes(["a", "b"], [("a", "b"), ("b", "a")])

        self.assertEqual([["a"], ["b"]], rows)

    def test_nothing(self) -> None:
        self.assertEqual([], graph_drawing.layer_nodes([], []))


class DotTests(base.TestCase):
    def test_names_are_quoted(self) -> None:
        text = graph_drawing.draw_dot(_graph([('a"b', "c\\")], 'a"b', "c\\"))

        self.assertIn('"a\\"b" -> "c\\\\";', text)
        self.assertIn('label="a\\"b\\nnote"', text)

    def test_edges_to_the_unknown_are_left_out(self) -> None:
        text = graph_drawing.draw_dot(_graph([("a", "gone"), ("a", "a")], "a"))

        self.assertNotIn("->", text)


class SvgTests(base.TestCase):
    def test_boxes_do_not_overlap_and_arrows_go_down(self) -> None:
        edges = [("a", "b"), ("a", "c")]
        root = ET.fromstring(
            graph_drawing.draw_svg(_graph(edges, "a", "b", "c"))
        )

        boxes = {}
        for group in root.iter(f"{_SVG}g"):
            box, text = group.find(f"{_SVG}rect"), group.find(f"{_SVG}text")
            assert box is not None and text is not None
            x, y = float(box.attrib["x"]), float(box.attrib["y"])
            boxes[text.text] = (x, y, x + float(box.attrib["width"]))

        self.assertLess(boxes["a"][1], boxes["b"][1])
        self.assertEqual(boxes["b"][1], boxes["c"][1])
        left, right = sorted((boxes["b"], boxes["c"]))
        self.assertLess(left[2], right[0])
        arrows = [
            p for p in root.iter(f"{_SVG}path") if "marker-end" in p.attrib
        ]
        self.assertEqual(2, len(arrows))
        width = float(root.attrib["width"])
        self.assertTrue(
            all(b[0] >= 0 and b[2] <= width for b in boxes.values())
        )

    def test_names_are_escaped(self) -> None:
        text = graph_drawing.draw_svg(_graph([], "<a & b>"))

        self.assertIn("&lt;a &amp; b&gt;", text)
        ET.fromstring(text)

    def test_nothing(self) -> None:
        ET.fromstring(graph_drawing.draw_svg(_graph([])))
