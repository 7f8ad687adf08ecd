"""Updates that go by what things are, in trees of stacks: D-G4."""

import typing

from tests.functional import converging
from tests.support import rest

Json = converging.Json

_INNER = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string, default: old}
resources:
  one:
    type: Test::World::Listed
    properties: {label: {get_param: label}}
  two:
    type: Test::World::Single
    depends_on: one
    properties: {label: {get_param: label}}
outputs:
  id: {value: {get_resource: one}}
"""
_MIDDLE = """
heat_template_version: 2021-04-16
resources:
  inner: {type: inner.yaml}
"""
_FILES = {"inner.yaml": _INNER, "middle.yaml": _MIDDLE}


class TreesTests(converging.RealityTestCase):
    """A stack with two stacks in it, one of which has another in it."""

    def desired_template(self) -> Json:
        return converging.template(
            left={"type": "inner.yaml"},
            right={"type": "middle.yaml"},
            beside={"type": "Test::World::Listed"},
        )

    def tree(self) -> tuple[rest.Stack, dict[str, rest.Stack]]:
        """Make it; return the root and the stacks that hold things."""
        stack = self.client.create(
            self.name, self.desired_template(), files=_FILES
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        right = self.child_of(stack, "right")
        found = {
            "left": self.child_of(stack, "left"),
            "right": right,
            "inner": self.child_of(right, "inner"),
        }
        return stack, found

    def operations(self, stack: rest.Stack) -> int:
        found = self.client.get(f"{stack.path}/operations", "operations")
        return len(typing.cast(list[Json], found))

    def test_dg4_what_drifts_in_an_inner_stack_is_put_back(self) -> None:
        stack, inner = self.tree()
        ran = {name: self.operations(each) for name, each in inner.items()}
        self.world.relabel(inner["inner"].name, "two", "somebody's")
        shown = self.text_of_tree(stack)
        self.assertIn("update two (label drifted)", shown)
        self.assertNotIn("update one", shown)
        self.assertNotIn("update left", shown)

        calls = self.converge(stack, self.desired_template(), files=_FILES)

        self.assertEqual(["update two"], calls)
        self.assertEqual(
            {"old", ""}, {each.label for each in self.physical_resources()}
        )
        ran_since = {
            name: self.operations(each) - ran[name]
            for name, each in inner.items()
        }
        self.assertEqual({"left": 0, "right": 1, "inner": 1}, ran_since)

    def test_dg4_what_has_vanished_in_an_inner_stack_is_made_anew(
        self,
    ) -> None:
        stack, inner = self.tree()
        self.world.remove(inner["left"].name, "one")

        calls = self.converge(stack, self.desired_template(), files=_FILES)

        self.assertEqual(["delete one", "create one"], calls)
        self.assertEqual("", self.text_of_tree(stack))

    def test_dg4_a_tree_without_drift_costs_no_operation(self) -> None:
        stack, inner = self.tree()
        ran = {name: self.operations(each) for name, each in inner.items()}
        before = self.newest()
        plan = typing.cast(
            Json,
            self.preview(stack, self.desired_template(), files=_FILES)["plan"],
        )
        self.assertEqual([], plan["changes"])
        listed = [each for each in self.mine(before) if each.act == "list"]
        self.assertEqual(1, len(listed), "one look at all that is listed")

        self.converge(stack, self.desired_template(), files=_FILES)

        self.assertEqual(
            ran, {name: self.operations(each) for name, each in inner.items()}
        )

    def test_dg4_a_visit_that_changes_nothing_is_no_change(self) -> None:
        stack, inner = self.tree()
        for name in ("one", "two"):
            self.world.relabel(inner["left"].name, name, "new")
        files = {
            **_FILES,
            "inner.yaml": _INNER.replace("default: old", "default: new"),
        }
        before = self.newest()
        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": self.desired_template(),
                "files": files,
                "converge": True,
            },
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        names = self.writes(before)
        # Those of the other stack only: here all is as it is to be.
        self.assertEqual(["update one", "update two"], sorted(names))
        plan = typing.cast(
            Json,
            self.preview(stack, self.desired_template(), files=files)["plan"],
        )
        self.assertEqual([], plan["changes"])

    def text_of_tree(self, stack: rest.Stack) -> str:
        """Return the plans of all stacks, in one text."""
        plan = self.preview(stack, self.desired_template(), files=_FILES)[
            "plan"
        ]
        return "\n".join(_texts(typing.cast(Json, plan)))


def _texts(plan: Json) -> list[str]:
    found = [str(plan["text"])] if plan["text"] else []
    for change in typing.cast(list[Json], plan["changes"]):
        if "child_plan" in change:
            found += _texts(typing.cast(Json, change["child_plan"]))
    return found
