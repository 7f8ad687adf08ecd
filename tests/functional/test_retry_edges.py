"""Retries that converge, of what was rolled back, and what they tell."""

import json
import typing

from tests.functional import converging
from tests.support import failing
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
chain = world_templates.chain


class ProgressTests(failing.RetryTestCase):
    """A retry says from its start that it is one, and what is done."""

    def test_it_counts_what_is_complete_from_its_start(self) -> None:
        stack = self.create_failed()
        self.world.order(self.name, "create", "b", moment="before")

        self.retry(stack)
        accepted = self.operations(stack)[0]
        self.wait_for_act("held-create-before", "b")
        running = self.operations(stack)[0]
        shown = self.client.show(stack)
        self.world.release(self.name)
        self.client.wait(stack, "CREATE_COMPLETE")

        for each in (accepted, running):
            self.assertEqual(1, each["done"])
        said = "Stack CREATE started again, attempt 2"
        self.assertEqual(said, shown["stack_status_reason"])
        told = [
            each["resource_status_reason"]
            for each in self.client.events(stack)
            if each["resource_name"] == self.name
        ]
        self.assertEqual(
            [
                "Stack CREATE started",
                said,
                "Stack CREATE completed successfully",
            ],
            [told[0], *told[2:]],
        )

    def test_what_a_deletion_has_removed_counts_too(self) -> None:
        stack = self.create()
        self.fail("delete", "a")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        self.world.order(self.name, "delete", "a", moment="before")

        self.retry(stack)
        self.wait_for_act("held-delete-before", "a")
        running = self.operations(stack)[0]
        self.world.release(self.name)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual((2, 3), (running["done"], running["total"]))


class ConvergeTests(failing.RetryTestCase):
    """What is complete, and has vanished, is noticed by ``converge``."""

    def test_of_a_creation(self) -> None:
        stack = self.create_failed(converging.three("old"))
        self.world.remove(self.name, "a")

        self.retry(stack, converge=True)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())

    def test_of_a_stack_below(self) -> None:
        self.fail("create", "b")
        inner = json.dumps(world_templates.template(a=converging.single()))
        stack = self.client.create(
            self.name,
            world_templates.template(
                kid={"type": "inner.yaml"}, b=converging.single("kid")
            ),
            files={"inner.yaml": inner},
        )
        self.client.wait(stack, "CREATE_FAILED")
        within = next(
            each.stack
            for each in self.world.calls()
            if each.name == "a" and each.stack.startswith(f"{self.name}-")
        )
        self.world.remove(within, "a")

        self.retry(stack, converge=True)
        self.client.wait(stack, "CREATE_COMPLETE")

        found = self.world.resources_of_tree(self.name)
        self.assertEqual(["a", "b"], sorted(each.name for each in found))

    def test_of_an_update(self) -> None:
        stack = self.create(converging.three("old"))
        self.fail("update", "b")
        self.update(stack, converging.three("new"))
        self.client.wait(stack, "UPDATE_FAILED")
        self.world.relabel(self.name, "a", "drifted")

        self.client.ask("PATCH", stack.path, {"retry": True, "converge": True})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"a": "new", "b": "new", "c": "new"}, self.labels())

    def test_without_it_what_is_complete_is_left_out(self) -> None:
        stack = self.create_failed(converging.three("old"))
        self.world.remove(self.name, "a")

        self.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["b", "c"], self.names())

    def test_other_actions_do_not_take_it(self) -> None:
        stack = self.create()
        self.fail("suspend", "b")
        self.act(stack, suspend=None)
        self.client.wait(stack, "SUSPEND_FAILED")
        before = self.operations(stack)

        status, _, text = self.refusal(
            self.client.ask,
            *("POST", f"{stack.path}/actions"),
            {"retry": {"converge": True}},
        )

        self.assertEqual(400, status)
        self.assertIn("what failed is SUSPEND", text)
        self.assertEqual(before, self.operations(stack))


class RolledBackTests(failing.RetryTestCase):
    """What was rolled back is retried as what it was."""

    def rolled_back(self) -> rest.Stack:
        self.fail("create", "b")
        stack = self.client.create(
            self.name,
            {
                **chain(),
                "parameters": {"p": {"type": "string"}},
                "outputs": {"p": {"value": {"get_param": "p"}}},
            },
            parameters={"p": "stored"},
            disable_rollback=False,
        )
        self.client.wait(stack, "ROLLBACK_COMPLETE")
        return stack

    def test_a_creation(self) -> None:
        stack = self.rolled_back()

        self.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual({"p": "stored"}, self.client.outputs(stack))
        operation = next(
            each
            for each in self.operations(stack)
            if each["action"] == "CREATE"
        )
        self.assertEqual(
            (2, "COMPLETE", 3, 3),
            tuple(
                operation[key] for key in ("attempt", "state", "done", "total")
            ),
        )
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.names())

    def test_a_creation_by_the_request_that_made_it(self) -> None:
        stack = self.rolled_back()

        self.client.ask(
            "POST", "/stacks", {"stack_name": self.name, "retry": True}
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())

    def test_it_is_rolled_back_again(self) -> None:
        stack = self.rolled_back()
        self.fail("create", "c")

        self.retry(stack)
        self.client.wait(stack, "ROLLBACK_COMPLETE")
        self.assertEqual([], self.names())

        self.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(["a", "b", "c"], self.names())

    def test_an_update(self) -> None:
        stack = self.create(disable_rollback=False)
        self.fail("update", "b")
        self.update(stack, chain("new"), disable_rollback=False)
        self.client.wait(stack, "ROLLBACK_COMPLETE")
        things = self.world.physical_resources(self.name)
        self.assertEqual({""}, {each.label for each in things})

        self.client.ask("PUT", stack.path, {"retry": True})
        self.client.wait(stack, "UPDATE_COMPLETE")

        after = self.world.physical_resources(self.name)
        self.assertEqual({"new"}, {each.label for each in after})
        self.assertEqual(
            [each.id for each in things], [each.id for each in after]
        )
        shown = typing.cast(
            Json, self.client.get(f"{stack.path}/template", "resources")
        )
        self.assertIn("new", str(shown))

    def test_another_action_than_the_requested_is_refused(self) -> None:
        stack = self.rolled_back()

        status, _, text = self.refusal(
            self.client.ask, "PUT", stack.path, {"retry": True}
        )

        self.assertEqual(409, status)
        self.assertIn("is CREATE, not UPDATE", text)

    def test_what_was_cancelled_is_refused_with_what_to_do(self) -> None:
        stack = self.create()
        self.world.order(self.name, "update", "b", moment="before")
        self.update(stack, chain("new"))
        self.wait_for_act("held-update-before", "b")
        self.act(stack, cancel_update=None)
        self.world.release(self.name)
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        status, _, text = self.refusal(
            self.client.ask,
            *("POST", f"{stack.path}/actions"),
            {"retry": {}},
        )

        self.assertEqual(409, status)
        self.assertIn("Request the change again, by an update", text)
