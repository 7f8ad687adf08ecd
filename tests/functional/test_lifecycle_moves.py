"""Plug-ins are asked before resources move, and told afterwards."""

import typing

import requests

from tests.functional import lifecycle
from tests.support import move_bodies
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

PRES = lifecycle.PRES
POSTS = lifecycle.POSTS


class MovesTestCase(lifecycle.LifecycleTestCase):
    """A thing goes from one stack to another."""

    def setUp(self) -> None:
        super().setUp()
        self.source = self.made(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource(),
            )
        )
        self.take_name()
        self.target = self.made(
            world_templates.template(own=world_templates.declare_resource())
        )

    def made(self, wanted: lifecycle.Json) -> rest.Stack:
        stack = self.client.create(self.name, wanted)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def move(self) -> None:
        body = move_bodies.written(
            self.system.endpoint, self.source, self.target.id, ["b"]
        )
        self.client.ask("POST", f"{self.source.path}/move", body)

    def wait_for_updates(self) -> None:
        for stack in (self.source, self.target):
            self.client.wait(stack, "UPDATE_COMPLETE")


class TestOpen(MovesTestCase):
    """The second plug-in may fail."""

    switches: typing.ClassVar[lifecycle.Json] = {"fail_open": "orch-test-2"}

    def test_lg4_what_it_raises_lets_a_move_pass(self) -> None:
        self.plugins.order(2, "pre", "raise", verb="move", text="broken")

        self.move()
        self.wait_for_updates()

        self.assertEqual(["a"], sorted(self.client.resources(self.source)))
        for stack in (self.source, self.target):
            self.assertEqual(
                PRES + POSTS, self.plugins.calls(stack, "move"), stack.name
            )
            told = [each for each in self.reasons(stack) if "broken" in each]
            self.assertEqual(
                [
                    "Lifecycle plug-in orch-test-2 failed, and is passed over"
                    " for the move: RuntimeError: broken"
                ],
                told,
                stack.name,
            )

    def test_what_one_warns_of_is_told_with_the_update_behind_it(
        self,
    ) -> None:
        self.plugins.order(1, "pre", "warn", verb="move", text="take care")

        self.move()
        self.wait_for_updates()

        self.assertIn(
            "Lifecycle plug-in orch-test-1 warns of the move: take care",
            self.reasons(self.source),
        )

    def test_lg4_what_it_denies_is_refused(self) -> None:
        self.plugins.order(2, "pre", "deny", verb="move", text="stay")

        error = self.assertRaises(rest.RefusedError, self.move)

        self.assertEqual(403, error.status)


class TestOverride(MovesTestCase):
    """The second plug-in is soft-mandatory."""

    each: typing.ClassVar[lifecycle.Json] = {"levels": {2: "soft-mandatory"}}

    def test_a_move_is_overridden_and_each_stack_has_an_event(self) -> None:
        self.plugins.order(2, "pre", "deny", verb="move", text="stay")
        error = self.assertRaises(rest.RefusedError, self.move)
        self.client = rest.Client(
            self.client.endpoint, user_name="ann", override="they are full"
        )
        self.addCleanup(self.client.close)

        self.move()
        self.wait_for_updates()

        self.assertEqual(403, error.status)
        for stack in (self.source, self.target):
            self.assertEqual(
                [
                    "Lifecycle plug-in orch-test-2 denied the move, and ann"
                    " has overridden that: they are full (denied with: stay)"
                ],
                [each for each in self.reasons(stack) if "ann" in each],
            )


class TestMoves(MovesTestCase):
    """All of them fail closed."""

    def test_l8_a_move_is_told_for_both_stacks(self) -> None:
        self.plugins.order(1, "pre", "allow", verb="move", looks=True)

        self.move()
        self.wait_for_updates()

        for stack in (self.source, self.target):
            self.assertEqual(
                PRES + POSTS, self.plugins.calls(stack, "move"), stack.name
            )
            self.assertEqual(
                ["complete"] * 3, self.plugins.outcomes(stack, "move")
            )
            self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "update"))
        seen = {
            str(each["stack"]): (
                sorted(each["before"]["resources"]),
                sorted(each["after"]["resources"]),
            )
            for each in self.plugins.lines()
            if each["verb"] == "move" and each.get("before")
        }
        self.assertEqual(
            {
                self.source.name: (["a", "b"], ["a"]),
                self.target.name: (["own"], ["b", "own"]),
            },
            {name: seen[name] for name in (self.source.name, self.name)},
        )

    def test_post_ops_see_what_was_before_the_move_after_a_kill(self) -> None:
        for stack in (self.source, self.target):
            self.plugins.order(
                1, "post", "", verb="move", stack=stack.name, looks=True
            )
        self.plugins.order(
            3, "post", "die", verb="move", stack=self.name, once=self.name
        )

        self.move()
        waiting.wait_for(
            lambda: self.plugins.has_happened(self.name), "the worker dies"
        )
        self.system.server.kill()
        self.system.start()
        self.wait_for_updates()

        seen = {
            str(each["stack"]): (
                sorted(each["before"]["resources"]),
                sorted(each["after"]["resources"]),
            )
            for each in self.plugins.lines()
            if (each["verb"], each["phase"]) == ("move", "post")
            and "before" in each
        }
        self.assertEqual((["a", "b"], ["a"]), seen[self.source.name])
        self.assertEqual((["own"], ["b", "own"]), seen[self.target.name])

    def test_a_denied_move_is_refused_and_nothing_has_moved(self) -> None:
        self.plugins.order(
            2, "pre", "deny", verb="move", stack=self.name, text="stay"
        )

        error = self.assertRaises(rest.RefusedError, self.move)

        self.assertEqual(403, error.status)
        self.assertEqual(
            "Lifecycle plug-in orch-test-2 denied the move: stay",
            error.message,
        )
        self.assertEqual(
            ["a", "b"], sorted(self.client.resources(self.source))
        )
        self.assertEqual(PRES + POSTS, self.plugins.calls(self.source, "move"))
        self.assertEqual(
            [("pre", "1"), ("pre", "2"), ("post", "1")],
            self.plugins.calls(self.target, "move"),
        )
        self.assertEqual([], self.rows())

    def test_what_one_says_of_a_secret_is_covered(self) -> None:
        template = world_templates.template(
            a=world_templates.declare_resource(),
            b=world_templates.declare_resource(),
        )
        template["parameters"] = {"word": {"type": "string", "hidden": True}}
        self.update(self.source, template, parameters={"word": "s3cret-word"})
        self.client.wait(self.source, "UPDATE_COMPLETE")
        self.plugins.order(
            2, "pre", "deny", verb="move", text="s3cret-word is forbidden"
        )

        error = self.assertRaises(rest.RefusedError, self.move)

        self.assertEqual(
            "Lifecycle plug-in orch-test-2 denied the move: ******"
            " is forbidden",
            error.message,
        )

    def test_a_move_cannot_be_held(self) -> None:
        self.plugins.order(1, "pre", "hold", verb="move", text="ask Ann")

        error = self.assertRaises(rest.RefusedError, self.move)

        self.assertEqual(409, error.status)
        self.assertIn("that cannot wait: ask Ann", error.message)

    def test_what_was_decided_goes_with_the_resource(self) -> None:
        self.plugins.order(
            1, "pre", "allow", verb="update", decisions={"b": "r1", "a": "r2"}
        )
        self.update(
            self.source,
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource(label="x"),
            ),
        )
        self.client.wait(self.source, "UPDATE_COMPLETE")
        self.plugins.forgive()

        self.move()
        self.wait_for_updates()

        found = lifecycle.rows(
            self.system, "SELECT root_id, path FROM lifecycle_decisions"
        )
        self.assertEqual(
            {(self.source.id, "a"), (self.target.id, "b")},
            {each for each in found if each[0] in self.ids()},
        )

    def test_a_failed_post_op_fails_the_update_behind_it(self) -> None:
        self.plugins.order(
            1,
            "post",
            "raise",
            verb="move",
            stack=self.target.name,
            text="not booked",
            once=f"move-{self.name}",
        )

        self.move()
        shown = self.client.wait(self.target, "UPDATE_FAILED")

        self.assertIn("not booked", shown["stack_status_reason"])
        self.client.retry(self.target)
        self.client.wait(self.target, "UPDATE_COMPLETE")
        self.assertIn("b", self.client.resources(self.target))

    def test_it_is_told_by_an_update_that_a_newer_request_ends(self) -> None:
        self.plugins.order(
            1, "pre", "hang", verb="update", stack=self.name, text=self.name
        )
        self.addCleanup(self.plugins.release, self.name)
        self.plugins.order(3, "post", "pause", verb="move", stack=self.name)

        self.move()
        self.client.delete(self.target)
        self.plugins.release(self.name)
        self.client.wait(self.target, "DELETE_COMPLETE")

        self.assertEqual(
            ["complete"] * 3, self.plugins.outcomes(self.target, "move")
        )
        self.assertEqual([], self.rows())

    def test_after_a_kill_before_it_was_done_plugins_are_told(self) -> None:
        self.plugins.order(
            3, "pre", "die", verb="move", stack=self.name, once=self.name
        )
        self.assertRaises(requests.ConnectionError, self.move)
        self.system.server.kill()
        lifecycle.change(
            self.system, "UPDATE lifecycle_runs SET began_at = began_at - 3600"
        )
        self.system.start()

        waiting.wait_for(lambda: not self.rows(), "they are told")

        for stack in (self.source, self.target):
            self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "move"))
            self.assertEqual(
                ["failed"] * 3, self.plugins.outcomes(stack, "move")
            )
        left = self.client.resources(self.source)
        self.assertEqual(["a", "b"], sorted(left))

    def ids(self) -> set[str]:
        return {self.source.id, self.target.id}

    def rows(self) -> list[tuple[object, ...]]:
        """Return what is left of moves."""
        return lifecycle.rows(
            self.system,
            "SELECT operation_id FROM lifecycle_runs WHERE verb = 'move'"
            " AND stage <> 'closed'",
        )
