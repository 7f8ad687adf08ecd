"""Inner stacks that somebody changes by their own URLs, and their limits."""

import typing

from tests.functional import nesting
from tests.functional import test_groups
from tests.support import rest
from tests.support import systems
from tests.support import world_templates

child_resource = nesting.child_resource
declare_resource = world_templates.declare_resource


class OwnUrlTests(nesting.NestedTestCase):
    """An inner stack was deleted, or put to rest, by its own URL."""

    def remove(self, stack: rest.Stack) -> rest.Stack:
        """Delete the inner stack ``kid``; return it."""
        kid = self.child_of(stack, "kid")
        self.client.delete(kid)
        self.client.wait(kid, "DELETE_COMPLETE")
        return kid

    def reason(self, stack: rest.Stack) -> str:
        return str(self.client.show(stack)["stack_status_reason"])

    def test_the_same_update_makes_a_deleted_one_again(self) -> None:
        wanted = {"kid": child_resource(label="x")}
        stack = self.make(wanted)
        kid = self.remove(stack)
        self.assertEqual({}, self.labels())

        self.change(stack, wanted)

        self.assertEqual({"inner": "x", "last": ""}, self.labels())
        self.assertEqual("UPDATE_COMPLETE", self.state(kid))

    def test_the_update_waits_until_a_deleted_one_is_there(self) -> None:
        wanted = {"kid": child_resource(label="x")}
        stack = self.make(wanted)
        kid = self.remove(stack)
        self.world.order(kid.name, "create", "last", how="permanent")

        self.change(stack, wanted, wait="UPDATE_FAILED")

        self.assertEqual("UPDATE_FAILED", self.state(kid))
        self.world.forgive(kid.name)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.physical_resources())

    def test_a_check_misses_a_deleted_one(self) -> None:
        stack = self.make(
            {"kid": child_resource(label="x"), "b": declare_resource()}
        )
        self.remove(stack)

        self.act(stack, "check")

        self.client.wait(stack, "CHECK_FAILED")
        self.assertIn("the stack of kid was deleted", self.reason(stack))

    def test_a_snapshot_misses_a_deleted_one(self) -> None:
        stack = self.make(
            {"kid": child_resource(label="x"), "b": declare_resource()}
        )
        self.remove(stack)

        self.client.ask("POST", f"{stack.path}/snapshots", {})

        self.client.wait(stack, "SNAPSHOT_FAILED")
        self.assertIn("the stack of kid was deleted", self.reason(stack))

    def test_a_creation_misses_one_that_goes_meanwhile(self) -> None:
        self.world.order(self.name, "create", "inner")
        stack = self.make(
            {"kid": child_resource(), "after": declare_resource("kid")},
            "CREATE_IN_PROGRESS",
        )
        self.wait_for_tree("held-create-watch", "inner")
        kid = self.child_of(stack, "kid")

        self.client.delete(kid)
        self.world.forgive(self.name)

        self.client.wait(stack, "CREATE_FAILED")
        self.assertIn("the stack of kid was deleted", self.reason(stack))
        self.assertEqual([], self.physical_resources())

    def test_one_at_rest_is_not_updated(self) -> None:
        stack = self.make({"kid": child_resource(label="x")})
        kid = self.child_of(stack, "kid")
        self.act(kid, "suspend")
        self.client.wait(kid, "SUSPEND_COMPLETE")

        self.change(
            stack, {"kid": child_resource(label="y")}, wait="UPDATE_FAILED"
        )

        self.assertIn("resume the stack", self.reason(stack))
        self.assertEqual("SUSPEND_COMPLETE", self.state(kid))
        self.assertEqual("x", self.labels()["inner"])
        self.act(kid, "resume")
        self.client.wait(kid, "RESUME_COMPLETE")
        self.change(stack, {"kid": child_resource(label="y")})
        self.assertEqual("y", self.labels()["inner"])

    def test_an_output_of_a_deleted_one_is_null(self) -> None:
        stack = self.make(
            {"kid": child_resource(label="x")},
            outputs={"said": {"value": {"get_attr": ["kid", "said"]}}},
        )
        self.remove(stack)

        self.assertEqual({"said": None}, self.outputs(stack))


class StackTypeTests(nesting.NestedTestCase):
    """``OS::Heat::Stack``."""

    def test_a_stack_has_the_time_that_its_resource_says(self) -> None:
        def wanted(minutes: int) -> world_templates.Json:
            template = '{"heat_template_version": "2021-04-16"}'
            properties = {"template": template, "timeout": minutes}
            return {
                "kid": {"type": "OS::Heat::Stack", "properties": properties}
            }

        stack = self.make(wanted(7))
        kid = self.child_of(stack, "kid")
        self.assertEqual(7, self.client.show(kid)["timeout_mins"])

        self.change(stack, wanted(9))

        self.assertEqual(9, self.client.show(kid)["timeout_mins"])


class DeepTests(test_groups.GroupsTestCase):
    """Something is amiss in a stack whose own inputs did not change."""

    def test_an_unhealthy_member_is_made_anew(self) -> None:
        wanted = {"g": self.group(2)}
        stack = self.make(wanted)
        group = self.child_of(stack, "g")
        before = self.by_name()
        self.mark(group, "1", mark_unhealthy=True)

        self.change(stack, wanted)

        after = self.by_name()
        self.assertEqual(before["0"], after["0"])
        self.assertNotEqual(before["1"], after["1"])

    def test_an_unhealthy_member_far_below_is_made_anew(self) -> None:
        wanted = {"g": self._of_groups()}
        stack = self.make(wanted)
        far = self.child_of(self.child_of(stack, "g"), "0")
        before = {each.id for each in self.physical_resources()}
        self.mark(far, "0", mark_unhealthy=True)

        self.change(stack, wanted)

        after = {each.id for each in self.physical_resources()}
        self.assertEqual(2, len(after))
        self.assertEqual(1, len(after & before))

    def test_a_deleted_member_far_below_is_made_again(self) -> None:
        wanted = {"g": self._of_groups()}
        stack = self.make(wanted)
        far = self.child_of(self.child_of(stack, "g"), "1")
        self.client.delete(far)
        self.client.wait(far, "DELETE_COMPLETE")
        self.assertEqual(1, len(self.physical_resources()))

        self.change(stack, wanted)

        self.assertEqual(2, len(self.physical_resources()))

    def test_what_went_with_its_resource_is_not_missed(self) -> None:
        stack = self.make({"g": self._of_groups(2)})
        self.change(stack, {"g": self._of_groups(1)})
        group = self.child_of(stack, "g")
        asked = len(self.operations(group))

        self.change(stack, {"g": self._of_groups(1)})

        self.assertEqual(asked, len(self.operations(group)))

    def _of_groups(self, count: int = 2) -> world_templates.Json:
        return {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": count, "resource_def": self.group(1)},
        }


class CountTests(test_groups.GroupsTestCase):
    """The group may have one more member than it is made with."""

    options: typing.ClassVar[systems.Options] = {
        "DEFAULT": {"max_resources_per_stack": 5}
    }

    def test_a_refused_signal_takes_no_room(self) -> None:
        stack = self.make(
            {
                "g": {
                    "type": "OS::Heat::AutoScalingGroup",
                    "properties": {
                        "min_size": 1,
                        "max_size": 9,
                        "desired_capacity": 2,
                        "resource": test_groups.member(label="m"),
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
            }
        )
        group = self.child_of(stack, "g")
        signal = f"{stack.path}/resources/up/signal"
        self.act(group, "suspend")
        self.client.wait(group, "SUSPEND_COMPLETE")

        status, _ = self.refused(self.client.ask, "POST", signal, {})

        self.assertEqual(400, status)
        self.act(group, "resume")
        self.client.wait(group, "RESUME_COMPLETE")
        self.client.ask("POST", signal, {})
        self.client.wait(group, "UPDATE_COMPLETE")
        self.assertEqual(3, len(self.physical_resources()))
