"""What an environment forbids an update to do, through REST."""

from tests.functional import holding
from tests.support import waiting
from tests.support import world_templates


class RestrictedTests(holding.HoldingTestCase):
    def change(
        self, environment: world_templates.Json, **properties: object
    ) -> str:
        """Update the one resource; return the stack's status and reason."""
        self.stack = self.create(
            world_templates.template(a=world_templates.declare_resource()),
            environment,
        )
        self.client.wait(self.stack, "CREATE_COMPLETE")
        self.before = self.client.resources(self.stack)
        self.update(
            self.stack,
            world_templates.template(
                a=world_templates.declare_resource(**properties)
            ),
            environment,
        )

        def find() -> str | None:
            shown = self.client.show(self.stack)
            status = str(shown["stack_status"])
            if status in ("UPDATE_COMPLETE", "UPDATE_FAILED"):
                return f"{status}: {shown['stack_status_reason']}"
            return None

        return waiting.wait_for(find, "the update ends")

    def check_refused(self, action: str, ended: str) -> None:
        """Check that the resource is as it was, and that this was told."""
        self.assertEqual(
            "UPDATE_FAILED: Resource UPDATE failed: ResourceActionRestricted:"
            f" resources.a: {action} is restricted for resource.",
            ended,
        )
        self.assertEqual(self.before, self.client.resources(self.stack))
        self.assertEqual(
            [("UPDATE_FAILED", f"{action} is restricted for resource.")],
            self.events_of(self.stack, "a")[2:],
        )
        self.assertEqual(["a"], self.names())

    def test_a_change_in_place_is_refused(self) -> None:
        ended = self.change(holding.restricted(a="update"), label="2")

        self.check_refused("update", ended)

    def test_a_replacement_is_refused(self) -> None:
        ended = self.change(holding.restricted(a=["replace"]), value="2")

        self.check_refused("replace", ended)

    def test_each_forbids_only_itself(self) -> None:
        ended = self.change(holding.restricted(a="replace"), label="2")
        self.take_name()
        replaced = self.change(holding.restricted(a="update"), value="2")

        self.assertIn("UPDATE_COMPLETE", ended)
        self.assertIn("UPDATE_COMPLETE", replaced)

    def test_without_the_restriction_it_changes(self) -> None:
        self.change(holding.restricted(a=["update", "replace"]), value="2")

        self.update(
            self.stack,
            world_templates.template(
                a=world_templates.declare_resource(value="2")
            ),
            holding.hooks(),
        )
        self.client.wait(self.stack, "UPDATE_COMPLETE")

        (left,) = self.world.physical_resources(self.name)
        self.assertEqual("2", left.value)

    def test_back_to_what_stands_nothing_is_to_be_done(self) -> None:
        environment = holding.restricted(a=["update", "replace"])
        self.change(environment, label="2")

        self.update(
            self.stack,
            world_templates.template(a=world_templates.declare_resource()),
            environment,
        )

        self.client.wait(self.stack, "UPDATE_COMPLETE")

    def test_what_only_the_run_finds_is_refused(self) -> None:
        environment = holding.restricted(b="update")
        reads = {"get_attr": ["a", "value"]}
        wanted = world_templates.template(
            a=world_templates.declare_resource(value="1"),
            b=world_templates.declare_resource(label=reads),
        )
        stack = self.create(wanted, environment)
        self.client.wait(stack, "CREATE_COMPLETE")
        before = self.client.resources(stack)["b"]

        wanted = world_templates.template(
            a=world_templates.declare_resource(value="2"),
            b=world_templates.declare_resource(label=reads),
        )
        self.update(stack, wanted, environment)
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(before, self.client.resources(stack)["b"])
