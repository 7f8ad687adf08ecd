"""The stack that loses a physical resource to another one is notified."""

import typing

from tests.functional.notifications import notification_case
from tests.support import rest
from tests.support import world_templates

Json = notification_case.Json


class TakenOverTests(notification_case.NotificationTestCase):
    def test_the_former_owner_is_notified(self) -> None:
        wanted = world_templates.template(a=world_templates.declare_resource())
        former = self.created(wanted)
        self.hear(former, "create.end")
        row = self.client.resources(former)["a"]
        name = f"{self.name}-2"
        body = {
            "stack_name": name,
            "adopt_owned": True,
            "adopt_stack_data": {
                "template": wanted,
                "resources": {"a": row["physical_resource_id"]},
            },
        }

        answer = typing.cast(Json, self.client.ask("POST", "/stacks", body))
        stack = rest.Stack(name, answer["stack"]["id"])
        self.client.wait(stack, "ADOPT_COMPLETE")
        self.addCleanup(self.client.delete, stack)

        told = self.hear_one(former, "orchestration.resource.delete.end")
        self.assertEqual(
            ("a", "DELETE_COMPLETE", row["physical_resource_id"], {}),
            tuple(
                told[key]
                for key in (
                    "resource_name",
                    "state",
                    "physical_resource_id",
                    "properties",
                )
            ),
        )
        self.assertIn(name, told["state_reason"])
