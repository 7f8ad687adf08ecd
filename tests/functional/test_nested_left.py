"""Inner stacks that outlive their resource, and references into a stack."""

import typing

from tests.functional import nesting
from tests.functional import test_groups
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource


class LeftTests(nesting.NestedTestCase):
    def left(self) -> tuple[rest.Stack, rest.Stack]:
        """Return a stack, and the inner one that was left behind."""
        stack = self.make(
            {
                "kid": {
                    **nesting.child_resource(),
                    "deletion_policy": "Retain",
                },
                "x": declare_resource(),
            }
        )
        kid = self.child_of(stack, "kid")
        self.change(stack, {"x": declare_resource()})
        return stack, kid

    def test_a_retained_one_stands_under_its_own_url(self) -> None:
        stack, kid = self.left()

        shown = self.client.show(kid)
        names = set(self.client.resources(stack))
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            ("CREATE_COMPLETE", stack.id),
            (shown["stack_status"], shown["parent"]),
        )
        self.assertEqual({"x"}, names)
        self.assertEqual("CREATE_COMPLETE", self.state(kid))
        self.assertEqual({"inner", "last"}, set(self.labels()))

    def test_a_retained_one_is_listed_among_inner_stacks(self) -> None:
        stack, kid = self.left()
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        found = self.client.get("/stacks?show_nested=true", "stacks")

        listed = {each["id"] for each in typing.cast(list[Json], found)}
        self.assertIn(kid.id, listed)

    def test_a_retained_one_goes_when_it_is_deleted_itself(self) -> None:
        stack, kid = self.left()
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.client.delete(kid)
        self.client.wait(kid, "DELETE_COMPLETE")

        self.assertEqual([], self.physical_resources())

    def test_an_orphan_stands_as_it_failed_under_its_own_url(self) -> None:
        stack = self.make({"kid": nesting.child_resource(label="old")})
        kid = self.child_of(stack, "kid")
        self.world.order(
            self.name, "update", "inner", how="permanent", moment="before"
        )
        self.change(
            stack,
            {"kid": nesting.child_resource(label="new")},
            "UPDATE_FAILED",
        )

        self.act(stack, "retry", {"orphan": ["kid"]})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual("UPDATE_FAILED", self.state(kid))
        self.assertNotEqual(kid.id, self.child_of(stack, "kid").id)
        self.assertEqual(
            ["inner", "inner", "last", "last"],
            sorted(each.name for each in self.physical_resources()),
        )


_NAMED = """
heat_template_version: 2021-04-16
parameters: {value: {type: string, default: ''}}
resources:
  inner:
    type: Test::World::Thing
    properties: {value: {get_param: value}}
outputs:
  OS::stack_id: {value: {get_resource: inner}}
"""


class ReferenceTests(nesting.NestedTestCase):
    """A template that says what stands for a resource made of it."""

    def resources(self, value: str) -> Json:
        holder = {"type": "inner.yaml", "properties": {"value": value}}
        refers = declare_resource(bound=[{"get_resource": "kid"}])
        return {"kid": holder, "x": refers}

    def fixed_references(self) -> tuple[str, ...]:
        """Return what the outer thing is bound to, and the inner one's id."""
        found = {each.name: each for each in self.physical_resources()}
        return (*found["x"].fixed_refs, found["inner"].id)

    def test_it_stands_for_the_resource_at_once(self) -> None:
        self.make(self.resources("one"), files={"inner.yaml": _NAMED})

        referred, inner = self.fixed_references()
        self.assertEqual(inner, referred)

    def test_what_refers_to_it_follows_its_replacement(self) -> None:
        files: Json = {"inner.yaml": _NAMED}
        stack = self.make(self.resources("one"), files=files)
        before = self.fixed_references()

        self.change(stack, self.resources("two"), files=files)

        referred, inner = self.fixed_references()
        self.assertEqual(inner, referred)
        self.assertNotIn(inner, before)

    def test_a_group_gives_it_of_its_members(self) -> None:
        stack = self.make(
            {
                "g": {
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 1,
                        "resource_def": {"type": "inner.yaml"},
                    },
                }
            },
            files={"inner.yaml": _NAMED},
            outputs={"refs": {"value": {"get_attr": ["g", "refs"]}}},
        )

        (inner,) = self.physical_resources()
        self.assertEqual({"refs": [inner.id]}, self.outputs(stack))


class BusyGroupTests(test_groups.GroupsTestCase):
    def test_a_group_that_shrinks_is_superseded(self) -> None:
        stack = self.make({"g": self.group(4)})
        before = self.by_name()
        self.world.order(self.name, "delete", "3")
        self.change(stack, {"g": self.group(1)}, wait=None)
        self.wait_for_tree("held-delete-watch", "3")

        self.change(stack, {"g": self.group(3)}, wait=None)
        self.world.forgive(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        after = self.by_name()
        self.assertEqual({"0", "1", "2"}, set(after))
        self.assertEqual(before["0"], after["0"])
        self.assertEqual(3, len(self.physical_resources()))
        self.assertEqual([], self.world.doubles())

    def test_a_signal_during_an_update_around_is_refused(self) -> None:
        wanted: Json = {
            "g": {
                "type": "OS::Heat::AutoScalingGroup",
                "properties": {
                    "min_size": 1,
                    "max_size": 4,
                    "resource": test_groups.member(label="old"),
                },
            },
            "up": {
                "type": "OS::Heat::ScalingPolicy",
                "properties": {
                    "adjustment_type": "change_in_capacity",
                    "scaling_adjustment": 1,
                    "auto_scaling_group_id": {"get_resource": "g"},
                },
            },
            "x": declare_resource(label="old"),
        }
        stack = self.make(wanted)
        self.world.order(self.name, "update", "x")
        self.change(
            stack, {**wanted, "x": declare_resource(label="new")}, wait=None
        )
        self.wait_for_tree("held-update-watch", "x")

        error = self.refused(
            self.client.ask,
            "POST",
            f"{stack.path}/resources/up/signal",
            {},
        )
        self.world.forgive(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(409, error[0])
        self.assertEqual(2, len(self.physical_resources()))
