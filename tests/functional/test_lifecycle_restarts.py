"""Plug-ins and operations whose worker ends: nothing is forgotten."""

import pathlib
import typing

from tests import base
from tests.functional import lifecycle
from tests.support import lifecycle as plugins
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

PRES = lifecycle.PRES
POSTS = lifecycle.POSTS

Json = dict[str, typing.Any]


class RestartsTestCase(base.TestCase):
    """One system for each test, with three recording plug-ins."""

    limit_s = 180

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        self.plugins = self.useFixture(plugins.Plugins(3))
        self.system = self.make(
            {**serving.options(), **self.plugins.options},
            {**self.world.environment, **self.plugins.environment},
        )
        self.client = self.system.client

    def make(self, options: Json, environment: dict[str, str]) -> object:
        fixture = running.Embedded(options, environment)
        return self.useFixture(fixture).system

    def kill(self) -> None:
        """Kill everything, and start it again."""
        for each in self.system.members:
            each.kill()
        self.system.start()

    def create_and_kill(self, *call: str) -> rest.Stack:
        """Create a stack; kill everything once that call is under way."""
        stack = self.client.create("s", world_templates.chain())
        self.wait_for_call(stack, *call)
        self.kill()
        return stack

    def create_held(self) -> rest.Stack:
        """Create a stack that the second plug-in holds."""
        self.plugins.order(2, "pre", "hold", text="ask Ann")
        stack = self.client.create("s", world_templates.chain())
        self.wait_until_held(stack)
        return stack

    def operation(self, stack: rest.Stack) -> Json:
        found = self.client.get(f"{stack.path}/operations", "operations")
        return typing.cast(Json, found[0])

    def wait_for_call(self, stack: rest.Stack, *wanted: str) -> None:
        waiting.wait_for(
            lambda: wanted in self.plugins.calls(stack), f"call {wanted}"
        )

    def wait_until_held(self, stack: rest.Stack) -> None:
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "BLOCKED", "held"
        )

    def answer(self, stack: rest.Stack, answer: str) -> None:
        self.client.ask(
            "POST", f"{stack.path}/actions", {answer: {"text": "so be it"}}
        )


class TestKills(RestartsTestCase):
    """Everything is killed, and starts again."""

    def test_a_kill_in_a_pre_op_calls_it_again(self) -> None:
        self.plugins.order(1, "pre", "die", once="pre")

        stack = self.create_and_kill("pre", "1")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            [("pre", "1"), *PRES, *POSTS], self.plugins.calls(stack)
        )
        ids = {
            (each["operation"], each["attempt"])
            for each in self.plugins.lines(stack)
        }
        self.assertEqual({(self.operation(stack)["id"], 1)}, ids)

    def test_a_kill_calls_nobody_again_who_is_known_to_have_answered(
        self,
    ) -> None:
        self.plugins.order(1, "pre", "pause")
        self.plugins.order(2, "pre", "die", once="pre")

        stack = self.create_and_kill("pre", "2")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            [("pre", "1"), ("pre", "2"), ("pre", "2"), ("pre", "3"), *POSTS],
            self.plugins.calls(stack),
        )

    def test_after_a_kill_only_those_that_were_called_are_told(self) -> None:
        self.plugins.order(1, "pre", "pause")
        self.plugins.order(2, "pre", "die", once="pre")
        self.plugins.order(2, "pre", "deny", text="not any more")

        stack = self.create_and_kill("pre", "2")
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            [
                *(("pre", "1"), ("pre", "2"), ("pre", "2")),
                ("post", "1"),
            ],
            self.plugins.calls(stack),
        )

    def test_a_kill_while_it_runs_calls_no_pre_op_again(self) -> None:
        self.world.order("s", "create", "b")
        stack = self.client.create("s", world_templates.chain())
        waiting.wait_for(
            lambda: (
                ("create", "b")
                in [(each.act, each.name) for each in self.world.calls()]
            ),
            "b is under way",
        )

        self.kill()
        self.world.release("s")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))

    def test_a_kill_in_a_post_op_calls_it_again_with_what_became(
        self,
    ) -> None:
        # The first one: of those after it some may be stored by then.
        self.plugins.order(3, "post", "die", once="post")

        stack = self.create_and_kill("post", "3")
        self.client.wait(stack, "CREATE_COMPLETE")

        calls = self.plugins.calls(stack)
        self.assertEqual([*PRES, ("post", "3")], calls[:4])
        self.assertEqual(POSTS, calls[4:])
        self.assertEqual({"complete"}, set(self.plugins.outcomes(stack)))

    def test_a_kill_in_a_post_op_of_a_failure_leaves_it_a_failure(
        self,
    ) -> None:
        self.world.order(
            "s", "create", "b", how="permanent", moment="before", times=1
        )
        self.plugins.order(3, "post", "die", once="post")

        stack = self.create_and_kill("post", "3")
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("resources.b", str(shown["stack_status_reason"]))
        self.assertEqual({"failed"}, set(self.plugins.outcomes(stack)))
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_a_kill_after_a_denial_leaves_it_denied(self) -> None:
        self.plugins.order(3, "pre", "deny", text="no", once="deny")
        self.plugins.order(2, "post", "die", once="post")

        stack = self.create_and_kill("post", "2")
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-3 denied the CREATE: no",
            shown["stack_status_reason"],
        )
        self.assertEqual({"denied"}, set(self.plugins.outcomes(stack)))
        self.assertEqual([], self.world.calls())

    def test_a_kill_after_a_post_op_that_failed_leaves_it_failed(
        self,
    ) -> None:
        self.plugins.order(3, "post", "raise", text="no room", pauses=True)
        self.plugins.order(2, "post", "die", once="post")

        stack = self.create_and_kill("post", "2")
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-3 failed after the CREATE:"
            " RuntimeError: no room",
            shown["stack_status_reason"],
        )
        first = [("post", "3"), ("post", "2"), ("post", "2"), POSTS[-1]]
        self.assertEqual([*PRES, *first, *POSTS], self.plugins.calls(stack))

    def test_what_is_held_waits_on_and_goes_on(self) -> None:
        stack = self.create_held()

        self.kill()
        self.assertEqual("BLOCKED", self.operation(stack)["state"])
        self.answer(stack, "approve")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))

    def test_what_is_held_is_rejected_after_a_restart(self) -> None:
        stack = self.create_held()

        self.kill()
        self.answer(stack, "reject")
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("so be it", str(shown["stack_status_reason"]))
        self.assertEqual(
            [("pre", "1"), ("pre", "2"), ("post", "2"), ("post", "1")],
            self.plugins.calls(stack),
        )
        self.assertEqual(["rejected"] * 2, self.plugins.outcomes(stack))
        self.assertEqual([], self.world.calls())

    def test_a_worker_that_is_told_to_stop_leaves_the_rest_to_the_next(
        self,
    ) -> None:
        self.plugins.order(2, "pre", "hang", text="go", once="stop")
        stack = self.client.create("s", world_templates.chain())
        self.wait_for_call(stack, "pre", "2")

        self.plugins.release("go")
        self.system.server.stop()
        self.system.start()
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))

    def test_what_cannot_be_planned_any_more_is_told(self) -> None:
        stack = self.create_held()
        self.system.server.kill()
        lifecycle.change(self.system, "DELETE FROM contents")
        self.system.start()

        self.answer(stack, "approve")
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "FAILED", "it fails"
        )

        self.assertEqual(
            [("pre", "1"), ("pre", "2"), ("post", "2"), ("post", "1")],
            self.plugins.calls(stack),
        )
        self.assertEqual(["failed"] * 2, self.plugins.outcomes(stack))

    def test_what_can_never_be_planned_is_told_to_nobody(self) -> None:
        stack = self.client.create("s", world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.ask(
            "PUT",
            stack.path,
            {"template": world_templates.chain("cannot be planned")},
        )
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual([], self.plugins.calls(stack, "update"))

    def test_what_was_called_behind_an_approval_is_told(self) -> None:
        self.plugins.order(1, "pre", "hold", text="ask Ann")
        self.plugins.order(2, "pre", "die", once="behind")
        stack = self.client.create("s", world_templates.chain())
        self.wait_until_held(stack)

        self.answer(stack, "approve")
        self.wait_for_call(stack, "pre", "2")
        self.system.server.kill()
        lifecycle.change(self.system, "UPDATE operations SET is_cancelled = 1")
        self.system.start()
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            [("pre", "1"), ("pre", "2"), ("post", "2"), ("post", "1")],
            self.plugins.calls(stack, "create"),
        )
        self.assertEqual(
            ["cancelled"] * 2, self.plugins.outcomes(stack, "create")
        )

    def test_no_pre_op_of_a_cancellation_follows_its_post_ops(self) -> None:
        self.plugins.order(2, "post", "die", verb="cancel", once="post")
        self.world.order("s", "create", "b")
        stack = self.client.create("s", world_templates.chain())
        waiting.wait_for(
            lambda: "b" in [each.name for each in self.world.calls()],
            "b is being created",
        )

        self.client.ask(
            "POST", f"{stack.path}/actions", {"cancel_without_rollback": None}
        )
        waiting.wait_for(
            lambda: ("post", "2") in self.plugins.calls(stack, verb="cancel"),
            "the worker dies",
        )
        self.kill()
        self.client.wait(stack, "CREATE_FAILED")

        calls = self.plugins.calls(stack, verb="cancel")
        self.assertEqual(PRES, calls[:3])
        self.assertEqual({"post"}, {phase for phase, _ in calls[3:]})
        self.assertEqual(
            ["complete"], sorted(set(self.plugins.outcomes(stack, "cancel")))
        )

    def test_an_attempt_that_another_one_followed_is_told(self) -> None:
        self.world.order("s", "create", "b")
        stack = self.client.create("s", world_templates.chain())
        waiting.wait_for(
            lambda: "b" in [each.name for each in self.world.calls()],
            "b is under way",
        )
        self.system.server.kill()
        # As the API does when somebody retries what a dead worker has.
        lifecycle.change(
            self.system,
            "UPDATE operations SET state = 'WAITING', attempt = 2,"
            " owner = NULL, lease_expires_at = NULL",
        )
        self.world.release("s")

        self.system.start()
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, attempt=1))
        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, attempt=2))
        self.assertEqual(
            ["failed"] * 3 + ["complete"] * 3, self.plugins.outcomes(stack)
        )

    def test_an_error_of_ours_is_told(self) -> None:
        lifecycle.change(
            self.system,
            "CREATE TRIGGER mistake BEFORE UPDATE ON resources WHEN"
            " NEW.name = 'b' AND NEW.status = 'COMPLETE'"
            " BEGIN SELECT RAISE(ABORT, 'a mistake'); END",
        )

        stack = self.client.create("s", world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))
        self.assertEqual(["failed"] * 3, self.plugins.outcomes(stack))
        self.assertEqual("FAILED", self.operation(stack)["state"])

    def test_after_a_kill_what_was_denied_decides_nothing(self) -> None:
        self.plugins.order(1, "pre", "allow", decisions={"a": "r1"})
        self.plugins.order(3, "pre", "deny", text="no")
        self.plugins.order(2, "post", "die", once="post")

        stack = self.create_and_kill("post", "2")
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            [],
            lifecycle.rows(self.system, "SELECT * FROM lifecycle_decisions"),
        )


class TestDistributed(RestartsTestCase):
    """Two workers on a broker and PostgreSQL; one takes over."""

    def make(self, options: Json, environment: dict[str, str]) -> object:
        # What a worker was asked that dies is answered sooner.
        options = {**options, "api": {"rpc_timeout": 5}}
        fixture = running.Distributed(options, environment)
        return self.useFixture(fixture).system

    def wait(self, stack: rest.Stack, status: str) -> Json:
        return self.client.wait(stack, status, timeout_s=90)

    def test_one_that_dies_in_a_pre_op_is_followed_by_another(self) -> None:
        self.plugins.order(1, "pre", "die", once="pre")

        stack = self.client.create("s", world_templates.chain())
        self.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            [("pre", "1"), *PRES, *POSTS], self.plugins.calls(stack)
        )
        first, *others = (each["pid"] for each in self.plugins.lines(stack))
        self.assertEqual(1, len(set(others)))
        self.assertNotIn(first, others)

    def test_one_that_dies_in_a_post_op_is_followed_by_another(self) -> None:
        self.plugins.order(3, "post", "die", once="post")

        stack = self.client.create("s", world_templates.chain())
        self.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            [*PRES, ("post", "3"), *POSTS],
            self.plugins.calls(stack),
        )
        self.assertEqual({"complete"}, set(self.plugins.outcomes(stack)))

    def test_what_is_held_waits_through_a_restart_of_everything(self) -> None:
        stack = self.create_held()

        self.kill()
        self.assertEqual("BLOCKED", self.operation(stack)["state"])
        self.answer(stack, "approve")
        self.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))
        self.assertEqual(["a", "b", "c"], self.world.names())

    def test_what_a_plugin_judged_that_is_gone_begins_nothing(self) -> None:
        self.plugins.order(1, "pre", "hang", once="pre", text="go")
        stack = self.client.create("s", world_templates.chain())
        self.wait_for_call(stack, "pre", "1")
        [holder] = [
            each
            for each in self.system.engines
            if each.pid == self.plugins.lines(stack)[0]["pid"]
        ]
        settings = self.plugins.options["lifecycle"]["settings_file"]
        pathlib.Path(str(settings)).write_text("{}")
        waiting.wait_for(self.are_settings_found, "both find none")

        self.system.manage("lifecycle", "activate")
        holder.kill()
        shown = self.wait(stack, "CREATE_FAILED")

        self.assertIn(
            "orch-test-1 denied the CREATE: it failed: it is not installed",
            shown["stack_status_reason"],
        )
        self.assertEqual([], self.world.calls(stack.name))

    def are_settings_found(self) -> bool:
        """Whether both workers find the new settings."""
        return all(
            each["settings_loadable"] != each["settings_loaded"]
            for each in self.client.services()
        )
