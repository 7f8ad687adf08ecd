"""Stacks in stacks: the type for them, and their snapshots."""

import typing

from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
child_resource = nesting.child_resource
declare_resource = world_templates.declare_resource
template = world_templates.template


class StackTypeTests(nesting.NestedTestCase):
    """``OS::Heat::Stack``: the template stands in a property."""

    @staticmethod
    def of(label: str, **more: Json) -> Json:
        return {
            "type": "OS::Heat::Stack",
            "properties": {
                "template": nesting.INNER,
                "parameters": {"label": label},
                **more,
            },
        }

    def test_it_is_made_changed_and_read(self) -> None:
        outputs = {"all": {"value": {"get_attr": ["kid", "outputs", "said"]}}}
        stack = self.make({"kid": self.of("old")}, outputs=outputs)
        before = self.outputs(stack)
        kid = self.child_of(stack, "kid")

        self.update(
            stack,
            {**template(kid=self.of("new")), "outputs": outputs},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.update(
            stack,
            {**template(kid=self.of("new")), "outputs": outputs},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            ("old", "new"), (before["all"], self.outputs(stack)["all"])
        )
        self.assertEqual(
            ["UPDATE", "CREATE"],
            [each["action"] for each in self.operations(kid)],
        )

    def test_another_installation_is_refused_before_anything_is_made(
        self,
    ) -> None:
        kid = self.of("x", context={"region_name": "far"})

        error = self.assertRaises(
            rest.RefusedError, self.client.create, self.name, template(kid=kid)
        )

        self.assertEqual(400, error.status)
        self.assertIn("need a cloud, and this installation works", str(error))


class SnapshotTests(nesting.NestedTestCase):
    def take(self, stack: rest.Stack) -> str:
        found = typing.cast(
            Json, self.client.ask("POST", f"{stack.path}/snapshots", {})
        )
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        return str(found["id"])

    def test_going_back_reaches_what_is_stored_inside(self) -> None:
        stack = self.make({"kid": child_resource(label="old")})
        kid = self.child_of(stack, "kid")
        taken = self.take(stack)
        self.world.relabel(kid.name, "inner", "by hand")
        self.change(stack, {"kid": child_resource(label="new")})

        self.client.ask("POST", f"{stack.path}/snapshots/{taken}/restore")
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual("old", self.labels()["inner"])
        self.assertEqual("RESTORE_COMPLETE", self.state(kid))

    def test_what_was_stored_inside_and_lost_goes_with_it(self) -> None:
        stack = self.make({"kid": child_resource()})
        kid = self.child_of(stack, "kid").name
        self.world.order(
            self.name,
            "snapshot",
            "inner",
            how="permanent",
            moment="after",
            times=1,
        )
        begun = self.client.ask("POST", f"{stack.path}/snapshots", {})
        self.client.wait(stack, "SNAPSHOT_FAILED")
        self.assertEqual(1, len(self.world.snapshots(kid)))
        taken = typing.cast(typing.Any, begun)["id"]

        self.client.ask("DELETE", f"{stack.path}/snapshots/{taken}")

        self.assertEqual([], self.world.snapshots(kid))

    def test_it_goes_with_the_snapshot_of_the_stack_around(self) -> None:
        stack = self.make({"kid": child_resource(label="old")})
        kid = self.child_of(stack, "kid")
        taken = self.take(stack)
        kept = self.world.snapshots(kid.name)

        self.client.ask("DELETE", f"{stack.path}/snapshots/{taken}")

        self.assertEqual(1, len(kept))
        self.assertEqual([], self.world.snapshots(kid.name))
        self.assertEqual(
            [], self.client.get(f"{kid.path}/snapshots", "snapshots")
        )
