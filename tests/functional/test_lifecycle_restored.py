"""What is denied, rejected or cancelled before it began leaves no trace."""

import json
import typing

from tests.functional import lifecycle
from tests.functional import observing
from tests.functional import test_clients
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

ONE: typing.Final = {
    "heat_template_version": "2021-04-16",
    "description": "one",
    "parameters": {"label": {"type": "string", "default": "l"}},
    "resources": {
        "a": {
            "type": "Test::World::Listed",
            "properties": {
                "value": "v",
                "label": {"get_param": "label"},
            },
        }
    },
    "outputs": {"said": {"value": {"get_param": "label"}}},
}
TWO: typing.Final = {
    **ONE,
    "description": "two",
    "resources": {
        **typing.cast(Json, ONE["resources"]),
        "extra": world_templates.declare_resource(),
    },
}
MORE: typing.Final[Json] = {
    "template": TWO,
    "tags": "three",
    "parameters": {"label": "new"},
    "timeout_mins": 7,
}


class RestoredTests(lifecycle.LifecycleTestCase):
    """The second plug-in of three decides."""

    options: typing.ClassVar[Json] = {"observer": observing.OPTIONS}

    def made(self, **body: object) -> rest.Stack:
        stack = self.client.create(
            self.name, ONE, **{"tags": "one,two", **body}
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def inputs(self, stack: rest.Stack) -> Json:
        """Return all that a user has said, and what came of it."""
        shown = self.client.show(stack)
        return {
            **{
                each: self.client.ask("GET", f"{stack.path}/{each}")
                for each in ("template", "environment", "files")
            },
            **{
                each: shown[each]
                for each in (
                    "description",
                    "tags",
                    "parameters",
                    "outputs",
                    "timeout_mins",
                    "disable_rollback",
                )
            },
            "resources": self.client.get(
                f"{stack.path}/resources", "resources"
            ),
        }

    def deny(self, verb: str, do: str = "deny") -> None:
        self.plugins.order(2, "pre", do, verb=verb, text="not now")

    def partial(self, stack: rest.Stack) -> None:
        """Change a parameter, and nothing else."""
        self.client.ask(
            "PATCH", stack.path, {"parameters": {"label": "later"}}
        )

    def assert_not_built(self, stack: rest.Stack, before: Json) -> None:
        """Fail if a later update makes any of what was denied."""
        self.assertEqual(before, self.inputs(stack))
        self.plugins.forgive()
        self.partial(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual({"a": "later"}, self.labels())
        self.assertEqual("one", self.client.show(stack)["description"])

    def test_l3_a_denied_update_is_not_built_later(self) -> None:
        for disable_rollback in (True, False):
            with self.subTest(disable_rollback=disable_rollback):
                self.take_name()
                stack = self.made(disable_rollback=disable_rollback)
                before = self.inputs(stack)
                self.deny("update")

                self.client.ask("PUT", stack.path, MORE)
                shown = self.client.wait(stack, "UPDATE_FAILED")

                self.assertEqual(
                    "Lifecycle plug-in orch-test-2 denied the UPDATE: not now",
                    shown["stack_status_reason"],
                )
                self.assertEqual(
                    ["UPDATE", "CREATE"],
                    [each["action"] for each in self.operations(stack)],
                )
                self.assertEqual(0, self.operation(stack)["total"])
                self.assert_not_built(stack, before)

    def test_what_is_rejected_is_not_built_later(self) -> None:
        stack = self.made()
        before = self.inputs(stack)
        self.deny("update", "hold")
        self.client.ask("PUT", stack.path, MORE)
        self.wait_until_held(stack)

        self.act(stack, "reject")
        self.client.wait(stack, "UPDATE_FAILED")

        self.assert_not_built(stack, before)

    def test_what_expires_is_not_built_later(self) -> None:
        stack = self.made()
        before = self.inputs(stack)
        self.plugins.order(
            *(2, "pre", "hold"), verb="update", text="ask", deadline_s=0.5
        )

        self.client.ask("PUT", stack.path, MORE)
        self.client.wait(stack, "UPDATE_FAILED")

        self.assert_not_built(stack, before)

    def test_what_is_cancelled_while_held_is_not_built_later(self) -> None:
        stack = self.made()
        before = self.inputs(stack)
        self.deny("update", "hold")
        self.client.ask("PUT", stack.path, MORE)
        self.wait_until_held(stack)

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "UPDATE_FAILED")

        self.assert_not_built(stack, before)

    def test_a_partial_update_goes_by_what_was_before_a_hold(self) -> None:
        stack = self.made()
        self.plugins.order(
            *(2, "pre", "hold"), verb="update", text="ask", once=self.name
        )
        self.client.ask("PUT", stack.path, MORE)
        self.wait_until_held(stack)

        self.partial(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"a": "later"}, self.labels())
        self.assertEqual("one", self.client.show(stack)["description"])

    def test_an_update_in_place_of_a_held_one_returns_to_the_first(
        self,
    ) -> None:
        stack = self.made()
        before = self.inputs(stack)
        self.plugins.order(
            *(2, "pre", "hold"), verb="update", text="ask", once=self.name
        )
        self.deny("update")
        self.plugins.order(1, "pre", "allow", verb="update", looks=True)
        self.client.ask("PUT", stack.path, MORE)
        self.wait_until_held(stack)

        self.client.ask("PUT", stack.path, {"template": TWO, "tags": "four"})
        waiting.wait_for(
            lambda: (
                [each["state"] for each in self.operations(stack)]
                == ["FAILED", "FAILED", "COMPLETE"]
            ),
            "the denial of both, as the first one continues",
        )

        last = [
            each
            for each in self.plugins.lines(stack)
            if each["plugin"] == "orch-test-1" and "before" in each
        ][-1]
        self.assertEqual("l", last["before"]["parameters"]["label"])
        self.assert_not_built(stack, before)

    def test_a_retry_does_what_was_denied(self) -> None:
        stack = self.made()
        self.deny("update")
        self.client.ask("PUT", stack.path, MORE)
        self.client.wait(stack, "UPDATE_FAILED")
        before = self.inputs(stack)

        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_FAILED")
        self.assertEqual(before, self.inputs(stack))
        self.plugins.forgive()
        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"a": "new", "extra": ""}, self.labels())
        shown = self.client.show(stack)
        self.assertEqual(
            ("two", ["three"], 7),
            (shown["description"], shown["tags"], shown["timeout_mins"]),
        )

    def test_a_denied_deletion_leaves_a_stack_in_use(self) -> None:
        stack = self.made()
        before = self.inputs(stack)
        for action, ask in {
            "UPDATE": lambda: self.partial(stack),
            "CHECK": lambda: self.act(stack, "check"),
            "SNAPSHOT": lambda: self.client.ask(
                "POST", f"{stack.path}/snapshots", {"name": "s"}
            ),
            "SUSPEND": lambda: self.act(stack, "suspend"),
        }.items():
            with self.subTest(action):
                self.deny("delete")
                self.client.delete(stack)
                self.client.wait(stack, "DELETE_FAILED")
                if action == "UPDATE":
                    self.assertEqual(before, self.inputs(stack))
                self.plugins.forgive()

                ask()

                self.client.wait(stack, f"{action}_COMPLETE")

    def test_a_denied_resumption_leaves_a_stack_at_rest(self) -> None:
        stack = self.made()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        self.deny("resume")
        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_FAILED")

        error = self.assertRaises(rest.RefusedError, self.partial, stack)

        self.assertEqual(400, error.status)
        self.assertIn("suspended", error.message)

    def test_a_denied_suspension_leaves_a_stack_in_use(self) -> None:
        stack = self.made()
        self.deny("suspend")
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_FAILED")

        self.partial(stack)

        self.client.wait(stack, "UPDATE_COMPLETE")

    def test_a_denied_creation_may_be_retried_or_deleted(self) -> None:
        self.deny("create")
        stack = self.client.create(self.name, ONE, disable_rollback=False)
        shown = self.client.wait(stack, "CREATE_FAILED")
        self.assertIn("not now", shown["stack_status_reason"])
        self.assertEqual(1, len(self.operations(stack)))
        self.assertEqual([], self.names())
        self.plugins.forgive()

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual({"a": "l"}, self.labels())
        self.take_name()
        self.deny("create")
        other = self.client.create(self.name, ONE)
        self.client.wait(other, "CREATE_FAILED")
        self.plugins.forgive()
        self.client.delete(other)
        self.client.wait(other, "DELETE_COMPLETE")

    def test_a_kill_behind_a_denial_changes_nothing_of_it(self) -> None:
        stack = self.made()
        before = self.inputs(stack)
        self.deny("update")
        self.plugins.order(1, "post", "die", verb="update", once=self.name)

        self.client.ask("PUT", stack.path, MORE)
        waiting.wait_for(
            lambda: self.plugins.has_happened(self.name), "the kill"
        )
        self.system.server.kill()
        self.system.start()
        self.client.wait(stack, "UPDATE_FAILED")

        self.assert_not_built(stack, before)

    def test_a_denied_repair_leaves_the_state_of_the_stack(self) -> None:
        stack = self.made()
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.deny("update")

        self.world.relabel(self.name, "a", "drifted")
        waiting.wait_for(
            lambda: "denied" in self.plugins.outcomes(stack, "update"),
            "the denial",
        )
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "FAILED", "its end"
        )

        shown = self.client.show(stack)
        self.assertEqual(
            ("CREATE_COMPLETE", "Stack CREATE completed successfully"),
            (shown["stack_status"], shown["stack_status_reason"]),
        )
        self.plugins.forgive()
        waiting.wait_for(lambda: self.labels() == {"a": "l"}, "the repair")

    def test_heat_s_client_learns_of_a_denial(self) -> None:
        stack = self.made()
        path = self.plugins.directory / "two.json"
        path.write_text(json.dumps(TWO))
        self.deny("update")
        self.deny("delete")

        for text, arguments in (
            ("UPDATE_FAILED", ("update", "--wait", "-t", str(path))),
            ("Unable to delete", ("delete", "--wait", "--yes")),
        ):
            with self.subTest(arguments[0]):
                error = self.assertRaises(
                    test_clients.Command,
                    test_clients.run_command,
                    self.client.endpoint,
                    self.plugins.directory,
                    "stack",
                    *arguments,
                    stack.name,
                )

                self.assertIn(text, error.stderr)
        self.assertEqual({"a": "l"}, self.labels())
