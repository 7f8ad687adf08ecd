"""What is told of a stack in a stack that something moves into."""

import typing

import yaml

from tests.functional.notifications import notification_case
from tests.support import move_bodies
from tests.support import rest
from tests.support import world_templates


class MoveTests(notification_case.NotificationTestCase):
    def test_the_stack_in_the_stack_counts_what_it_has_then(self) -> None:
        wanted = world_templates.template(
            web={"type": "web.yaml"},
            net=world_templates.declare_resource(label="n"),
        )
        inner = world_templates.template(
            front=world_templates.declare_resource(label="f")
        )
        stack = self.created(wanted, files={"web.yaml": yaml.safe_dump(inner)})

        body = move_bodies.written(
            self.system.endpoint, stack, f"{self.name}/web", ["net"]
        )
        self.client.ask("POST", f"{stack.path}/move", body)
        self.client.wait(stack, "UPDATE_COMPLETE")

        held = self.client.resources(stack)["web"]["physical_resource_id"]
        web = rest.Stack("web", typing.cast(str, held))
        for kind in ("update.start", "update.end"):
            counts = self.hear_one(web, kind)["resource_counts"]
            self.assertEqual({"CREATE_COMPLETE": 2}, counts["by_status"], kind)
