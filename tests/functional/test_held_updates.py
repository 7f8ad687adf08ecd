"""Breakpoints before updates, where Heat's own tests look for them."""

from tests.functional import holding
from tests.support import rest
from tests.support import world_templates


class HeldUpdateTests(holding.HoldingTestCase):
    def created(
        self, wanted: world_templates.Json, environment: world_templates.Json
    ) -> rest.Stack:
        stack = self.create(wanted, environment)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def test_an_update_waits_before_what_does_not_change_too(self) -> None:
        environment = holding.hooks(a="pre-update")
        wanted = world_templates.template(
            a=world_templates.declare_resource(),
            b=world_templates.declare_resource("a"),
        )
        stack = self.created(wanted, environment)
        before = self.client.resources(stack)

        self.update(stack, wanted, environment)
        self.wait_for_hold(stack, "pre-update of a")
        held = self.client.resources(stack)
        self.clear(stack, "a", "pre-update")
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(before, held)
        self.assertEqual(before, self.client.resources(stack))
        self.assertEqual(["a", "b"], self.acts("create"))
        self.assertEqual(
            [
                (
                    "CREATE_COMPLETE",
                    "UPDATE paused until Hook pre-update is cleared",
                ),
                ("CREATE_COMPLETE", "Hook pre-update is cleared"),
            ],
            self.events_of(stack, "a")[2:],
        )

    def test_only_an_update_waits_before_what_does_not_change(self) -> None:
        environment = holding.hooks(a="pre-update")
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before"
        )
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource("a"),
            ),
            environment,
        )
        self.client.wait(stack, "CREATE_FAILED")

        self.world.forgive(self.name)
        self.client.retry(stack)

        self.client.wait(stack, "CREATE_COMPLETE")

    def test_what_is_to_be_replaced_is_shown_until_then(self) -> None:
        environment = holding.hooks(a="pre-update")
        stack = self.created(
            world_templates.template(
                a=world_templates.declare_resource(value="1")
            ),
            environment,
        )
        (before,) = self.client.resources(stack).values()

        self.update(
            stack,
            world_templates.template(
                a=world_templates.declare_resource(value="2")
            ),
            environment,
        )
        self.wait_for_hold(stack, "pre-update of a")
        listed = self.client.resources(stack)["a"]
        shown = self.client.get(f"{stack.path}/resources/a", "resource")
        self.clear(stack, "a", "pre-update")
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(before, listed)
        assert isinstance(shown, dict)
        self.assertEqual(
            ("CREATE_COMPLETE", before["physical_resource_id"]),
            (shown["resource_status"], shown["physical_resource_id"]),
        )
        self.assertEqual(
            [
                (
                    "CREATE_COMPLETE",
                    "UPDATE paused until Hook pre-update is cleared",
                ),
                ("CREATE_COMPLETE", "Hook pre-update is cleared"),
            ],
            self.events_of(stack, "a")[2:4],
        )
        after = self.client.resources(stack)["a"]
        self.assertNotEqual(
            before["physical_resource_id"], after["physical_resource_id"]
        )
