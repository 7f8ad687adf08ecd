"""Resources as trees."""

from orchclient import models
from orchclient.console import trees
from tests import base
from tests.unit.orchclient.console import making

_INNER = models.StackIdentity("web-group", "2", "demo")


class TreeTests(base.TestCase):
    def test_stacks_in_the_stack_are_branches(self) -> None:
        nodes = trees.build_tree(
            [
                making.resource("10", stack=_INNER),
                making.resource("2", stack=_INNER),
                making.resource("group", nested=_INNER),
                making.resource("alone"),
            ],
            making.ROOT,
        )

        told = [each.path for node in nodes for each in node.walk()]
        self.assertEqual(
            [("alone",), ("group",), ("group", "2"), ("group", "10")], told
        )
        self.assertEqual({"2": ("group",)}, trees.child_stack_paths(nodes))

    def test_a_circle_ends(self) -> None:
        nodes = trees.build_tree(
            [making.resource("a", nested=making.ROOT)], making.ROOT
        )

        self.assertEqual([("a",)], [each.path for each in nodes[0].walk()])
