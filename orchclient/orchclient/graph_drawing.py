"""Draws directed graphs: as DOT, and as SVG without any other program.

It knows nothing of stacks: nodes have a title, a second line and colours.
"""

import collections.abc
import dataclasses
import xml.sax.saxutils as sax

_CHAR = 7.4
_PADDING = 12
_HEIGHT = 44
_GAP_X = 24
_GAP_Y = 48
_MARGIN = 16
_SWEEPS = 8

Edges = collections.abc.Sequence[tuple[str, str]]


@dataclasses.dataclass(frozen=True, slots=True)
class Node:
    """A box.

    :ivar fill: a colour, ``#rrggbb``; ``stroke`` likewise
    """

    key: str
    title: str
    note: str = ""
    fill: str = "#ffffff"
    stroke: str = "#444444"

    @property
    def width(self) -> float:
        """Return the width of its box, in pixels."""
        max_length = max(len(self.title), len(self.note))
        return max_length * _CHAR + 2 * _PADDING


@dataclasses.dataclass(frozen=True, slots=True)
class Graph:
    """Boxes and arrows.

    :ivar edges: keys of two nodes, from and to; others are left out
    """

    name: str
    nodes: collections.abc.Sequence[Node]
    edges: Edges

    def known_edges(self) -> list[tuple[str, str]]:
        """Return the edges of which both ends are nodes, each once."""
        keys = {each.key for each in self.nodes}
        return [
            (tail, head)
            for tail, head in dict.fromkeys(self.edges)
            if tail in keys and head in keys and tail != head
        ]


def draw_dot(graph: Graph) -> str:
    """Draw a graph in the language of Graphviz."""
    lines = [
        f"digraph {_quoted(graph.name)} {{",
        "  rankdir=TB;",
        '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
    ]
    for node in graph.nodes:
        label = _quoted(f"{node.title}\n{node.note}".strip())
        lines.append(
            f"  {_quoted(node.key)} [label={label},"
            f' fillcolor="{node.fill}", color="{node.stroke}"];'
        )
    lines.extend(
        f"  {_quoted(tail)} -> {_quoted(head)};"
        for tail, head in graph.known_edges()
    )
    return "\n".join([*lines, "}", ""])


def draw_svg(graph: Graph) -> str:
    """Draw a graph as an SVG image, arrows pointing down."""
    rows = layer_nodes([each.key for each in graph.nodes], graph.known_edges())
    nodes = {each.key: each for each in graph.nodes}
    places, width, height = _places(rows, nodes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}"'
        f' height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        ' font-family="sans-serif" font-size="13">',
        f"<title>{sax.escape(graph.name)}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4"'
        ' markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#777777"/></marker></defs>',
    ]
    parts.extend(
        _arrow(places[tail], places[head])
        for tail, head in graph.known_edges()
    )
    parts.extend(_box(node, places[node.key]) for node in graph.nodes)
    return "\n".join([*parts, "</svg>", ""])


def layer_nodes(
    keys: collections.abc.Sequence[str], edges: Edges
) -> list[list[str]]:
    """Arrange the keys in rows, each below all that have an edge to it.

    Within a row they are near to what they are joined with. An edge that
    closes a cycle does not count.
    """
    heads: dict[str, list[str]] = {key: [] for key in keys}
    tails: dict[str, list[str]] = {key: [] for key in keys}
    for tail, head in edges:
        heads[tail].append(head)
        tails[head].append(tail)
    left = {key: len(tails[key]) for key in keys}
    rows: list[list[str]] = []
    ready = [key for key in keys if not left[key]]
    while left:
        if not ready:
            # A cycle: break it at what comes first.
            ready = [next(iter(left))]
        rows.append(ready)
        for key in ready:
            del left[key]
        below: list[str] = []
        for key in ready:
            for head in heads[key]:
                if head in left:
                    left[head] -= 1
                    if left[head] == 0:
                        below.append(head)
        ready = below
    return _untangled(rows, heads, tails)


def _untangled(
    rows: list[list[str]],
    heads: dict[str, list[str]],
    tails: dict[str, list[str]],
) -> list[list[str]]:
    """Order each row by the mean place of neighbours (barycenter sweeps)."""
    place = {key: at / len(row) for row in rows for at, key in enumerate(row)}
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        near = tails if is_down else heads
        for row in rows if is_down else reversed(rows):
            weight = {
                key: sum(place[each] for each in near[key]) / len(near[key])
                if near[key]
                else place[key]
                for key in row
            }
            row.sort(key=lambda key: weight[key])
            for at, key in enumerate(row):
                place[key] = at / len(row)
    return rows


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """Upper left corner and width of a box."""

    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def _places(
    rows: list[list[str]], nodes: dict[str, Node]
) -> tuple[dict[str, _Place], float, float]:
    widths = [
        sum(nodes[key].width for key in row) + _GAP_X * (len(row) - 1)
        for row in rows
    ]
    widest = max(widths, default=0)
    found = {}
    y = float(_MARGIN)
    for row, row_width in zip(rows, widths, strict=True):
        x = _MARGIN + (widest - row_width) / 2
        for key in row:
            found[key] = _Place(x, y, nodes[key].width)
            x += nodes[key].width + _GAP_X
        y += _HEIGHT + _GAP_Y
    height = max(y - _GAP_Y, _MARGIN) + _MARGIN
    return found, widest + 2 * _MARGIN, height


def _arrow(tail: _Place, head: _Place) -> str:
    from_y, to_y = tail.y + _HEIGHT, head.y
    bend = max((to_y - from_y) / 2, _GAP_Y / 2)
    return (
        f'<path d="M{tail.middle:.1f},{from_y:.1f}'
        f" C{tail.middle:.1f},{from_y + bend:.1f}"
        f" {head.middle:.1f},{to_y - bend:.1f}"
        f' {head.middle:.1f},{to_y:.1f}" fill="none" stroke="#777777"'
        ' marker-end="url(#tip)"/>'
    )


def _box(node: Node, place: _Place) -> str:
    middle = f"{place.middle:.1f}"
    return (
        f'<g><rect x="{place.x:.1f}" y="{place.y:.1f}"'
        f' width="{place.width:.1f}" height="{_HEIGHT}" rx="6"'
        f' fill="{node.fill}" stroke="{node.stroke}"/>'
        f'<text x="{middle}" y="{place.y + 18:.1f}" text-anchor="middle"'
        f' font-weight="bold">{sax.escape(node.title)}</text>'
        f'<text x="{middle}" y="{place.y + 35:.1f}" text-anchor="middle"'
        f' font-size="11">{sax.escape(node.note)}</text></g>'
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n") + '"'
