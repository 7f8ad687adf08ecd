"""``kill -9`` amid moves into a stack in a stack, and out of it."""

import typing

import yaml

from tests.chaos import templates
from tests.chaos import test_move
from tests.support import rest


class InTreeTestCase(test_move.MoveTestCase):
    """Two things go into a stack of their own stack, and out again."""

    def begin(self) -> None:
        """Make the tree on the system that was started."""
        self.prepare()
        self.moving = tuple(templates.names("t", 3)[:2])
        root = self.tree("s", templates.flat("t", 3))
        self.stacks = (root, self.child_of(root))

    def tree(self, name: str, wanted: templates.Template) -> rest.Stack:
        """Make a stack with an inner one, of a file."""
        resources = typing.cast(dict[str, object], wanted["resources"])
        resources["inner"] = {"type": "inner.yaml"}
        text = yaml.safe_dump(templates.flat(f"{name}i", 1))
        asked = self.create(name, wanted, files={"inner.yaml": text})
        self.client.wait(asked.stack, "CREATE_COMPLETE")
        return asked.stack

    def child_of(self, stack: rest.Stack) -> rest.Stack:
        rows = self.client.resources(stack)
        held = rows["inner"]["physical_resource_id"]
        found = self.client.ask("GET", f"/stacks/{held}")
        shown = typing.cast(dict[str, rest.Json], found)["stack"]
        return rest.Stack(str(shown["stack_name"]), str(shown["id"]))

    def roots(self) -> list[rest.Stack]:
        """Return the outermost stacks."""
        return [self.stacks[0]]

    def end(self, source: rest.Stack, target: rest.Stack) -> None:
        """An update has nothing to do; all goes with the tree."""
        for each in self.roots():
            answer = self.client.ask("PATCH", f"{each.path}/preview", {})
            told = typing.cast(dict[str, rest.Json], answer)
            changes = told["resource_changes"]
            for kind in ("added", "deleted", "replaced", "updated"):
                self.assertEqual([], changes[kind], kind)
        for each in self.roots():
            self.client.delete(each)
            self.client.wait(each, "DELETE_COMPLETE")
        self.assertEqual([], self.world.names())


class EmbeddedTests(InTreeTestCase, test_move.EmbeddedTests):
    pass


class DistributedTests(InTreeTestCase, test_move.DistributedTests):
    pass


class TwoTreesTestCase(InTreeTestCase):
    """They go from the inner stack of one tree to that of another."""

    def begin(self) -> None:
        """Make the trees on the system that was started."""
        self.prepare()
        self.moving = ("t-0", "t-1")
        self.trees = [
            self.tree("s", templates.flat("a", 1)),
            self.tree("r", templates.flat("b", 1)),
        ]
        first = self.trees[0]
        wanted = yaml.safe_dump(templates.flat("t", 3))
        self.client.ask("PATCH", first.path, {"files": {"inner.yaml": wanted}})
        self.client.wait(first, "UPDATE_COMPLETE")
        source, target = map(self.child_of, self.trees)
        self.stacks = (source, target)

    def roots(self) -> list[rest.Stack]:
        """Return the outermost stacks."""
        return self.trees


class TwoTreesTests(TwoTreesTestCase, test_move.EmbeddedTests):
    pass
