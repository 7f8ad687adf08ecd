"""Replacements that need what the former resource alone can have."""

import typing

from tests.functional import acting
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json


class ReleaseTests(acting.ActionsTestCase):
    def template(self, **properties: object) -> Json:
        """Return one exclusive thing, and one that depends on it."""
        exclusive: Json = {
            "type": "Test::World::Exclusive",
            "properties": {"label": self.name, **properties},
        }
        return world_templates.template(
            a=exclusive, b=world_templates.declare_resource("a")
        )

    def labels(self) -> dict[str, str]:
        """Return the labels of the things of the stack, by physical id."""
        return {
            each.id: each.label
            for each in self.world.physical_resources(self.name)
            if each.name == "a"
        }

    def id_of(self, stack: rest.Stack) -> str:
        found = self.client.resources(stack)["a"]["physical_resource_id"]
        return typing.cast(str, found)

    def test_a_replacement_gets_it(self) -> None:
        stack = self.created(self.template())
        before = self.id_of(stack)

        self.update(stack, self.template(value="other"))
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertNotEqual(before, self.id_of(stack))
        self.assertEqual({self.id_of(stack): self.name}, self.labels())

    def test_one_for_an_unhealthy_resource_gets_it(self) -> None:
        stack = self.created(self.template())
        before = self.id_of(stack)

        self.mark(stack, "a", mark_unhealthy=True)
        self.update(stack, self.template())
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertNotEqual(before, self.id_of(stack))
        self.assertEqual({self.id_of(stack): self.name}, self.labels())

    def test_a_rollback_gives_it_back(self) -> None:
        stack = self.created(self.template())
        before = self.id_of(stack)
        wanted = self.template(value="other")
        resources = typing.cast("dict[str, Json]", wanted["resources"])
        resources["c"] = world_templates.declare_resource(
            "a", fail_times=9, failure="permanent"
        )

        self.update(stack, wanted, disable_rollback=False)
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(before, self.id_of(stack))
        self.assertEqual({before: self.name}, self.labels())

    def test_a_retry_of_a_replacement_that_failed_gets_it(self) -> None:
        stack = self.created(self.template())
        self.update(
            stack,
            self.template(value="other", fail_times=1, failure="permanent"),
        )
        self.client.wait(stack, "UPDATE_FAILED")

        self.update(
            stack,
            self.template(value="other", fail_times=1, failure="permanent"),
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({self.id_of(stack): self.name}, self.labels())
