"""A service has denied once, to a check, what it shows later."""

import json
import typing

from tests.functional import observing
from tests.functional import test_drift
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]


class UnconfirmedTests(test_drift.DriftTestCase):
    def lied_to(self, **resources: Json) -> rest.Stack:
        """Return a stack whose check has found that ``a`` has vanished."""
        stack = self.made(**resources)
        self.deny("a")
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_FAILED")
        self.world.forgive(self.name)
        return stack

    def deny(self, name: str, how: str = "vanished") -> None:
        self.world.order(self.name, "read", name, how=how, moment="before")

    def update(self, stack: rest.Stack, **body: object) -> None:
        self.client.ask("PATCH", stack.path, body)
        self.client.wait(stack, "UPDATE_COMPLETE")

    def test_an_update_keeps_what_is_back(self) -> None:
        stack = self.lied_to(a=observing.single(), b=observing.listed())
        before = self.client.resources(stack)["a"]["physical_resource_id"]

        shown = self.client.ask("PATCH", f"{stack.path}/preview", {})
        self.update(stack)

        row = self.client.resources(stack)["a"]
        self.assertEqual(
            (before, "UPDATE_COMPLETE"),
            (row["physical_resource_id"], row["resource_status"]),
        )
        self.assertIn("its failed check is not confirmed", str(shown))
        self.assertEqual(["a", "b"], sorted(self.acts("create")))
        self.assertEqual([], self.acts("delete"))
        self.assertEqual([], self.acts("update"))

    def test_the_drift_of_what_is_kept_is_known(self) -> None:
        stack = self.lied_to(a=observing.single(), b=observing.single())
        self.world.relabel(self.name, "a", "other")

        self.update(stack)

        found = self.resources_of(observing.read(self.client, stack))["a"]
        self.assertEqual(
            ("drifted", False, ["label"]),
            (
                found["state"],
                found["is_vanished"],
                [each["property"] for each in found["differences"]],
            ),
        )

    def test_a_check_without_an_answer_hides_no_drift(self) -> None:
        stack = self.lied_to(a=observing.single())
        self.world.relabel(self.name, "a", "other")
        self.world.order(
            self.name, "check", "a", how="transient", moment="before"
        )

        self.update(stack, converge="strict")

        self.assertEqual({"a": "l"}, self.labels())
        self.assertEqual(["a"], self.acts("create"))
        self.assertEqual(
            {"a": "in_sync"}, self.states(observing.read(self.client, stack))
        )

    def test_an_update_that_converges_puts_back_what_has_drifted(self) -> None:
        stack = self.lied_to(a=observing.single())
        self.world.relabel(self.name, "a", "other")

        self.update(stack, converge=True)

        self.assertEqual({"a": "l"}, self.labels())
        self.assertEqual(["a"], self.acts("create"))
        self.assertEqual([], self.acts("delete"))

    def test_what_gives_no_answer_is_kept(self) -> None:
        stack = self.lied_to(a=observing.single())
        self.deny("a", "transient")

        self.update(stack)

        self.assertEqual(["a"], self.acts("create"))

    def test_what_has_vanished_is_created_again(self) -> None:
        for converge in (False, True):
            stack = self.made(a=observing.single())
            self.world.remove(self.name, "a")
            self.act(stack, "check")
            self.client.wait(stack, "CHECK_FAILED")

            self.update(stack, converge=converge)

            self.assertEqual(["a", "a"], self.acts("create"))
            self.assertEqual(["a"], self.names())
            self.client.delete(stack)
            self.client.wait(stack, "DELETE_COMPLETE")
            self.take_name()

    def test_a_single_error_is_tried_again(self) -> None:
        stack = self.lied_to(a=observing.single())
        self.stumble()

        self.update(stack, converge="strict")

        self.assertEqual(["a"], self.acts("create"))
        self.world.remove(self.name, "a")
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_FAILED")
        self.stumble()
        self.update(stack)
        self.assertEqual(["a", "a"], self.acts("create"))

    def stumble(self) -> None:
        """Let the next check of ``a`` fail, and only that."""
        self.world.order(
            self.name,
            "check",
            "a",
            how="transient",
            moment="before",
            times=1,
        )

    def test_a_mark_of_a_user_is_not_looked_at_again(self) -> None:
        stack = self.lied_to(a=observing.single())
        path = f"{stack.path}/resources/a"
        self.client.ask("PATCH", path, {"mark_unhealthy": True})

        self.update(stack)

        self.assertEqual(["a", "a"], self.acts("create"))

    def test_a_check_removes_the_mark_of_a_user(self) -> None:
        stack = self.made(a=observing.single())
        path = f"{stack.path}/resources/a"
        self.client.ask("PATCH", path, {"mark_unhealthy": True})
        marked = self.client.resources(stack)["a"]["resource_status"]

        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")

        row = self.client.resources(stack)["a"]
        self.assertEqual(
            ("CHECK_FAILED", "CHECK_COMPLETE"),
            (marked, row["resource_status"]),
        )
        self.update(stack)
        self.assertEqual(["a"], self.acts("create"))

    def test_a_child_stack_keeps_what_is_back(self) -> None:
        stack = self.made_of(
            world_templates.template(kid={"type": "kid.yaml"}),
            files={
                "kid.yaml": json.dumps(
                    world_templates.template(a=observing.single())
                )
            },
        )
        child = self.world.find_maker(self.name, "a")
        self.world.order(child, "read", "a", how="vanished", moment="before")
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_FAILED")
        self.world.forgive(child)

        shown = self.client.ask("PATCH", f"{stack.path}/preview", {})
        self.update(stack)

        self.assertNotIn("failed before", str(shown))
        acts = [each.act for each in self.world.calls(child)]
        self.assertEqual(1, acts.count("create"), acts)
        self.assertEqual(0, acts.count("delete"), acts)


class ObserverTests(observing.ObserverTestCase):
    def test_a_repair_keeps_what_is_back(self) -> None:
        stack = self.create(a=observing.single(), b=observing.single())
        self.world.order(
            self.name, "read", "a", how="vanished", moment="before"
        )
        self.client.ask("POST", f"{stack.path}/actions", {"check": None})
        self.client.wait(stack, "CHECK_FAILED")
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.world.forgive(self.name)
        observing.wait_for_look(self.client, stack)
        self.world.remove(self.name, "b")
        waiting.wait_for(lambda: self.names() == ["a", "b"], "the repair")

        self.client.wait(stack, "UPDATE_COMPLETE")
        self.client.ask("PATCH", stack.path, {})
        waiting.wait_for(
            lambda: (
                self.client.resources(stack)["a"]["resource_status"]
                == "UPDATE_COMPLETE"
            ),
            "the update",
        )
        self.assertEqual(["a", "b", "b"], sorted(self.acts("create")))
        self.assertNotIn("a", self.acts("delete"))
