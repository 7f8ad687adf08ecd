"""A replaced resource that could not be removed is in the list."""

import typing

import openstack

from tests.support import failing
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource
template = world_templates.template


class ReplacedTests(failing.RetryTestCase):
    def listed(self, stack: rest.Stack) -> list[Json]:
        found = self.client.get(f"{stack.path}/resources", "resources")
        return typing.cast(list[Json], found)

    def half_replaced(self) -> tuple[rest.Stack, str]:
        """Return a stack, and the id of what its update could not remove."""
        stack = self.create(template(c=declare_resource(value="old")))
        (old,) = self.world.physical_resources(self.name)
        self.fail("delete", "c")
        self.update(stack, template(c=declare_resource(value="new")))
        self.client.wait(stack, "UPDATE_FAILED")
        return stack, old.id

    def test_it_comes_before_what_has_replaced_it(self) -> None:
        stack, old = self.half_replaced()

        replaced, current = self.listed(stack)

        self.assertEqual(
            ("c", old, "DELETE_FAILED", True),
            (
                replaced["resource_name"],
                replaced["physical_resource_id"],
                replaced["resource_status"],
                replaced["is_replaced"],
            ),
        )
        self.assertIn("resources.c", str(replaced["resource_status_reason"]))
        self.assertEqual(
            ("c", "CREATE_COMPLETE"),
            (current["resource_name"], current["resource_status"]),
        )
        self.assertNotIn("is_replaced", current)

    def test_a_name_still_means_the_current_one(self) -> None:
        stack, old = self.half_replaced()

        shown = self.client.get(f"{stack.path}/resources/c", "resource")

        self.assertNotEqual(old, shown["physical_resource_id"])
        self.assertEqual("CREATE_COMPLETE", shown["resource_status"])
        by_name = self.client.resources(stack)["c"]
        self.assertEqual(
            shown["physical_resource_id"], by_name["physical_resource_id"]
        )

    def test_openstacksdk_takes_the_current_one_by_name(self) -> None:
        stack, old = self.half_replaced()
        connection = openstack.connect(
            load_yaml_config=False,
            load_envvars=False,
            auth_type="none",
            auth={"endpoint": self.client.endpoint},
            orchestration_endpoint_override=self.client.endpoint,
        )
        self.addCleanup(connection.close)

        found = list(connection.orchestration.resources(stack.id))

        physical_ids = [each.physical_resource_id for each in found]
        self.assertEqual((2, old), (len(found), physical_ids[0]))
        by_name = {each.name: each for each in found}
        self.assertEqual("CREATE_COMPLETE", by_name["c"].status)

    def test_it_is_gone_with_the_retry(self) -> None:
        stack, _ = self.half_replaced()

        self.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        (current,) = self.listed(stack)
        self.assertNotIn("is_replaced", current)

    def test_one_that_waits_for_its_removal_is_listed(self) -> None:
        stack = self.create(
            template(c=declare_resource(value="old"), d=declare_resource("c"))
        )
        self.fail("update", "d")
        self.update(
            stack,
            template(
                c=declare_resource(value="new"),
                d=declare_resource("c", label="new"),
            ),
        )
        self.client.wait(stack, "UPDATE_FAILED")

        found = [
            (each["resource_name"], each.get("is_replaced", False))
            for each in self.listed(stack)
        ]

        self.assertEqual([("c", True), ("c", False), ("d", False)], found)
