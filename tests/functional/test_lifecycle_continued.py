"""What an operation has superseded continues if that one does nothing."""

import json
import typing

from tests.functional import lifecycle
from tests.functional import nesting
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

INNER: typing.Final = "inner.yaml"


class ContinuedTests(lifecycle.LifecycleTestCase, nesting.NestedTestCase):
    """The second plug-in of three decides."""

    def deny(self, verb: str, do: str = "deny", **more: object) -> None:
        self.plugins.order(2, "pre", do, verb=verb, text="not now", **more)

    def creating(self) -> rest.Stack:
        """Return a stack in whose creation the second resource waits."""
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("create", "b")
        return stack

    def wait_for_states(self, stack: rest.Stack, *wanted: str) -> None:
        """Return once the operations have these states, the newest first."""
        waiting.wait_for(
            lambda: (
                [each["state"] for each in self.operations(stack)]
                == list(wanted)
            ),
            f"operations are {wanted}",
        )

    def assert_created(self, stack: rest.Stack) -> None:
        """Fail unless the creation is complete, with each thing made once."""
        self.world.release(self.name)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(["a", "b", "c"], sorted(self.names()))
        self.assertEqual(2, self.operations(stack)[-1]["attempt"])

    def test_a_creation_continues_after_a_denied_deletion(self) -> None:
        stack = self.creating()
        self.deny("delete")

        self.client.delete(stack)
        self.wait_for_states(stack, "FAILED", "RUNNING")

        self.assert_created(stack)
        stated = [
            each["resource_status"]
            for each in self.client.events(stack)
            if each["physical_resource_id"] == stack.id
        ]
        self.assertEqual(
            ["DELETE_FAILED", "CREATE_IN_PROGRESS", "CREATE_COMPLETE"],
            stated[-3:],
        )
        self.assertEqual(
            ["superseded"] * 3 + ["complete"] * 3,
            self.plugins.outcomes(stack, "create"),
        )

    def test_it_continues_with_its_own_inputs(self) -> None:
        stack = self.creating()
        template = self.client.ask("GET", f"{stack.path}/template")
        self.deny("update")

        self.update(stack, {**world_templates.chain(), "resources": {}})
        self.wait_for_states(stack, "FAILED", "RUNNING")

        self.assertEqual(
            template, self.client.ask("GET", f"{stack.path}/template")
        )
        self.assert_created(stack)

    def test_it_continues_after_a_rejection(self) -> None:
        stack = self.creating()
        self.deny("delete", "hold")
        self.client.delete(stack)
        self.wait_until_held(stack)

        self.act(stack, "reject")

        self.wait_for_states(stack, "FAILED", "RUNNING")
        self.assert_created(stack)

    def test_a_cancel_leaves_nothing_in_progress(self) -> None:
        stack = self.creating()
        self.deny("delete", "hold")
        self.client.delete(stack)
        self.wait_until_held(stack)

        self.act(stack, "cancel_without_rollback")

        self.wait_for_states(stack, "FAILED", "SUPERSEDED")
        self.client.wait(stack, "DELETE_FAILED")

    def test_what_was_held_is_held_again(self) -> None:
        self.deny("create", "hold")
        self.deny("delete")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_until_held(stack)

        self.client.delete(stack)
        self.wait_for_states(stack, "FAILED", "BLOCKED")

        self.act(stack, "approve")
        self.assert_created(stack)

    def test_it_continues_after_a_kill(self) -> None:
        stack = self.creating()
        self.deny("delete")
        self.plugins.order(1, "post", "die", verb="delete", once=self.name)

        self.client.delete(stack)
        waiting.wait_for(
            lambda: self.plugins.has_happened(self.name), "the kill"
        )
        self.system.server.kill()
        self.system.start()
        self.wait_for_states(stack, "FAILED", "RUNNING")

        self.assert_created(stack)

    def test_a_tree_continues(self) -> None:
        hooks = {"kid": {"b": {"hooks": "pre-create"}}}
        root = self.client.create(
            self.name,
            {
                "heat_template_version": "2021-04-16",
                "resources": {"kid": {"type": INNER}},
            },
            files={INNER: json.dumps(world_templates.chain())},
            environment={"resource_registry": {"resources": hooks}},
        )
        waiting.wait_for(
            lambda: [each.name for each in self.physical_resources()] == ["a"],
            "the first resource",
        )
        self.deny("delete")

        self.client.delete(root)
        waiting.wait_for(
            lambda: self.operations(root)[0]["state"] == "FAILED", "the denial"
        )
        child = self.child_of(root, "kid")
        self.wait_for_states(child, "BLOCKED", "SUPERSEDED")
        self.client.ask(
            "POST",
            f"{child.path}/resources/b/signal",
            {"unset_hook": "pre-create"},
        )

        self.client.wait(root, "CREATE_COMPLETE")
        self.assertEqual(
            ["a", "b", "c"],
            sorted(each.name for each in self.physical_resources()),
        )
