"""Plug-ins and stacks in stacks, holds that are cut short, previews."""

import json
import typing

from tests.functional import lifecycle
from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

PRES = lifecycle.PRES
POSTS = lifecycle.POSTS

Json = dict[str, typing.Any]

KID = {
    "kid.yaml": json.dumps(
        world_templates.template(a=world_templates.declare_resource())
    )
}
OUTER = world_templates.template(kid={"type": "kid.yaml"})


class DeniedChildTests(lifecycle.LifecycleTestCase, nesting.NestedTestCase):
    """A plug-in denies requests at the address of a child stack."""

    def test_a_denied_request_at_a_child_needs_no_update(self) -> None:
        stack = self.client.create(self.name, OUTER, files=KID)
        self.client.wait(stack, "CREATE_COMPLETE")
        child = self.child_of(stack, "kid")
        for verb, method, path, status in (
            ("check", "POST", f"{child.path}/actions", "CHECK_FAILED"),
            ("update", "PATCH", child.path, "UPDATE_FAILED"),
        ):
            self.plugins.order(1, "pre", "deny", verb=verb)
            self.client.ask(
                method, path, {"check": None} if method == "POST" else {}
            )
            self.client.wait(child, status)
            self.plugins.forgive()

            found = typing.cast(
                Json, self.client.ask("PATCH", f"{stack.path}/preview", {})
            )
            self.assertEqual([], found["plan"]["changes"], verb)


class TestRoots(lifecycle.LifecycleTestCase):
    """Plug-ins for the outermost stacks, which see all below."""

    def test_l9_stacks_in_the_stack_are_part_of_what_is_seen(self) -> None:
        self.plugins.order(1, "pre", "allow", looks=True)
        self.plugins.order(1, "post", "", looks=True)

        stack = self.client.create(self.name, OUTER, files=KID)
        self.client.wait(stack, "CREATE_COMPLETE")

        first, last = (
            each
            for each in self.plugins.lines()
            if each["plugin"] == "orch-test-1"
            and str(each["stack"]).startswith(self.name)
        )
        self.assertEqual(["kid", "kid/a"], list(first["after"]["resources"]))
        (kid,) = first["plan"]["changes"]
        self.assertEqual(
            ["a"],
            [each["resource_name"] for each in kid["child_plan"]["changes"]],
        )
        (thing,) = self.world.resources_of_tree(self.name)
        self.assertEqual(
            thing.id, last["after"]["resources"]["kid/a"]["physical_id"]
        )

    def test_a_post_op_sees_what_was_before_at_any_depth(self) -> None:
        def group(count: int) -> Json:
            return world_templates.template(
                g={
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": count,
                        "resource_def": {"type": "kid.yaml"},
                    },
                }
            )

        stack = self.client.create(self.name, group(1), files=KID)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.plugins.order(1, "pre", "allow", looks=True)
        self.plugins.order(1, "post", "", looks=True)

        self.update(stack, group(2), files=KID)
        self.client.wait(stack, "UPDATE_COMPLETE")

        first, last = (
            (
                list(each["before"]["resources"]),
                list(each["after"]["resources"]),
            )
            for each in self.plugins.lines(stack)
            if each["plugin"] == "orch-test-1" and each["verb"] == "update"
        )
        before = ["g", "g/0", "g/0/a"]
        self.assertEqual((before, [*before, "g/1", "g/1/a"]), first)
        self.assertEqual((before, [*before, "g/1", "g/1/a"]), last)

    def test_they_are_not_called_for_inner_stacks(self) -> None:
        stack = self.client.create(self.name, OUTER, files=KID)
        self.client.wait(stack, "CREATE_COMPLETE")

        paths = {
            each["path"]
            for each in self.plugins.lines()
            if str(each["stack"]).startswith(self.name)
        }
        self.assertEqual({""}, paths)

    def test_a_held_operation_ends_when_it_is_superseded(self) -> None:
        self.plugins.order(2, "pre", "hold", verb="create", text="ask Ann")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_until_held(stack)

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            [("pre", "1"), ("pre", "2"), ("post", "2"), ("post", "1")],
            self.plugins.calls(stack, "create"),
        )
        self.assertEqual(
            ["superseded"] * 2, self.plugins.outcomes(stack, "create")
        )
        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "delete"))
        self.assertEqual([], self.world.calls(self.name))

    def test_a_held_operation_ends_when_it_is_cancelled(self) -> None:
        self.plugins.order(1, "pre", "hold", verb="create", text="ask Ann")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_until_held(stack)

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            [("pre", "1"), ("post", "1")], self.plugins.calls(stack, "create")
        )
        self.assertEqual(["cancelled"], self.plugins.outcomes(stack, "create"))
        self.assertEqual([], self.world.calls(self.name))

    def test_what_is_superseded_at_a_breakpoint_is_told(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.chain(),
            environment={
                "resource_registry": {
                    "resources": {"b": {"hooks": "pre-create"}}
                }
            },
        )
        self.wait_until_held(stack)

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            ["superseded"] * 3, self.plugins.outcomes(stack, "create")
        )

    def hanging(self, phase: str) -> rest.Stack:
        """Return a stack in whose creation the second one hangs."""
        self.plugins.order(
            2, phase, "hang", verb="create", text=self.name, once=self.name
        )
        self.addCleanup(self.plugins.release, self.name)
        stack = self.client.create(self.name, world_templates.chain())
        lifecycle.waiting.wait_for(
            lambda: (phase, "2") in self.plugins.calls(stack), "it hangs"
        )
        return stack

    def assert_all_notified(self, stack: rest.Stack, outcome: str) -> None:
        """Fail unless all who were asked, two at least, know of it."""
        calls = self.plugins.calls(stack, "create")
        asked = [number for phase, number in calls if phase == "pre"]
        self.assertIn(asked, (["1", "2"], ["1", "2", "3"]))
        self.assertEqual(
            [("post", number) for number in reversed(asked)],
            calls[len(asked) :],
        )
        self.assertEqual(
            {outcome}, set(self.plugins.outcomes(stack, "create"))
        )
        self.assertEqual([], self.world.calls(self.name))

    def test_a_cancellation_while_they_are_asked(self) -> None:
        stack = self.hanging("pre")

        self.act(stack, "cancel_without_rollback")
        self.plugins.release(self.name)
        self.client.wait(stack, "CREATE_FAILED")

        self.assert_all_notified(stack, "cancelled")

    def test_a_newer_request_while_they_are_asked(self) -> None:
        stack = self.hanging("pre")

        self.client.delete(stack)
        self.plugins.release(self.name)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assert_all_notified(stack, "superseded")

    def test_a_cancellation_while_they_are_told_comes_too_late(self) -> None:
        stack = self.hanging("post")

        self.act(stack, "cancel_without_rollback")
        self.plugins.release(self.name)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))
        self.assertEqual(["complete"] * 3, self.plugins.outcomes(stack))

    def test_a_newer_request_while_they_are_told(self) -> None:
        stack = self.hanging("post")

        self.client.delete(stack)
        self.plugins.release(self.name)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "create"))
        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "delete"))
        self.assertEqual([], self.names())

    def test_while_it_is_held_its_time_does_not_run(self) -> None:
        self.plugins.order(1, "pre", "hold", text="ask Ann")
        stack = self.client.create(
            self.name, world_templates.chain(), timeout_mins=30
        )
        self.wait_until_held(stack)
        self.assertEqual([None], self.deadlines(stack))

        self.act(stack, "approve", {"text": ""})
        self.client.wait(stack, "CREATE_COMPLETE")

        (deadline,) = self.deadlines(stack)
        (began,) = lifecycle.rows(
            self.system,
            "SELECT hold_answered_at FROM lifecycle_runs WHERE stack_id = ?",
            stack.id,
        )[0]
        self.assertAlmostEqual(1800, float(deadline) - float(began), delta=60)

    def deadlines(self, stack: rest.Stack) -> list[object]:
        found = lifecycle.rows(
            self.system,
            "SELECT deadline_at FROM operations WHERE stack_id = ?",
            stack.id,
        )
        return [each for (each,) in found]

    def test_two_may_hold_one_operation_after_another(self) -> None:
        self.plugins.order(1, "pre", "hold", text="ask Ann")
        self.plugins.order(3, "pre", "hold", text="ask Bob")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_until_held(stack)
        self.act(stack, "approve", {"text": "Ann agrees"})
        self.wait_for_reason(stack, "ask Bob")

        self.act(stack, "approve", {"text": "Bob agrees"})
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))
        told = [
            each
            for each in self.reasons(stack)
            if "approve" in each and "plug-in" in each
        ]
        self.assertEqual(4, len(told), told)
        self.assertIn("Ann agrees", told[1])
        self.assertIn("Bob agrees", told[3])

    def test_a_preview_shows_verdicts_and_denies_nothing(self) -> None:
        self.plugins.order(1, "pre", "warn", text="many servers")
        self.plugins.order(2, "pre", "deny", text="no room")
        self.plugins.order(3, "pre", "raise", text="broken")

        answer = self.client.ask(
            "POST",
            "/stacks/preview",
            {"stack_name": self.name, "template": world_templates.chain()},
        )

        self.assertEqual(
            [
                ("orch-test-1", "warn", "many servers"),
                ("orch-test-2", "deny", "no room"),
                ("orch-test-3", "deny", "it failed: RuntimeError: broken"),
            ],
            [
                (each["plugin"], each["ruling"], each["text"])
                for each in answer["stack"]["plan"]["verdicts"]
            ],
        )
        lines = self.plugins.lines(self.name)
        self.assertEqual(
            [(True, "")] * 3,
            [(each["is_preview"], each["operation"]) for each in lines],
        )

    def test_a_plan_has_verdicts_and_applying_it_asks_again(self) -> None:
        stack = self.client.create(self.name, world_templates.chain("1"))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.plugins.order(
            1, "pre", "warn", verb="update", text="late", looks=True
        )
        answer = self.client.ask(
            "POST",
            f"{stack.path}/plans",
            {"action": "update", "template": world_templates.chain("2")},
        )
        plan = answer["plan"]
        self.assertEqual(["late"], [x["text"] for x in plan["verdicts"]])
        (line,) = [x for x in self.plugins.lines(stack) if x.get("before")]
        self.assertEqual(
            ("1", "2"),
            tuple(
                line[side]["resources"]["a"]["properties"]["label"]
                for side in ("before", "after")
            ),
        )
        self.plugins.forgive()
        self.plugins.order(1, "pre", "deny", verb="update", text="too late")

        self.client.ask("POST", f"{stack.path}/plans/{plan['id']}/apply")
        self.client.wait(stack, "UPDATE_FAILED")

    def wait_for_reason(self, stack: rest.Stack, text: str) -> None:
        lifecycle.waiting.wait_for(
            lambda: (
                text in str(self.client.show(stack)["stack_status_reason"])
            ),
            text,
        )


class TestEvery(lifecycle.LifecycleTestCase):
    """Plug-ins for every stack of a tree."""

    each: typing.ClassVar[Json] = {"scope": "every"}

    def lines_of_child(self) -> list[Json]:
        return [
            each
            for each in self.plugins.lines()
            if each["path"] == "kid"
            and str(each["stack"]).startswith(self.name)
        ]

    def test_inner_stacks_have_chains_of_their_own(self) -> None:
        stack = self.client.create(self.name, OUTER, files=KID)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            PRES + POSTS,
            [(x["phase"], x["plugin"][-1]) for x in self.lines_of_child()],
        )
        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))

    def test_a_denied_inner_stack_fails_the_outer_one(self) -> None:
        self.plugins.order(2, "pre", "allow", stack=self.name)
        self.plugins.order(2, "pre", "deny", text="no room")

        stack = self.client.create(self.name, OUTER, files=KID)
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("no room", str(shown["stack_status_reason"]))
        self.assertEqual(
            ["denied"],
            [
                x["outcome"]
                for x in self.lines_of_child()
                if x["phase"] == "post"
            ],
        )
        self.assertEqual(["failed"] * 3, self.plugins.outcomes(stack))
        self.assertEqual([], self.world.resources_of_tree(self.name))
