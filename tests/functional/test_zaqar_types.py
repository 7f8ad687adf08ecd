"""Queues and subscriptions of a real Zaqar, which has no key to sign."""

import typing

from tests.functional import guarded
from tests.support import waiting
from tests.support import world_templates
from tests.support import zaqar_server

Json = dict[str, typing.Any]


def _template(subscriber: str, **metadata: object) -> Json:
    return world_templates.template(
        queue={
            "type": "OS::Zaqar::Queue",
            "properties": {"metadata": metadata},
        },
        subscription={
            "type": "OS::Zaqar::Subscription",
            "properties": {
                "queue_name": {"get_resource": "queue"},
                "subscriber": subscriber,
                "ttl": 3600,
            },
        },
    )


class ZaqarTypesTests(guarded.GuardedTestCase):
    def test_a_queue_lives_and_goes_with_what_belongs_to_it(self) -> None:
        self.useFixture(zaqar_server.ZaqarServer(self.keystone))
        token = self.keystone.fresh_token("member")
        member = self.client_of("member", token=token)

        stack = member.create(
            self.name, _template("http://127.0.0.1:9/a", a="b")
        )
        member.wait(stack, "CREATE_COMPLETE")
        before = member.resources(stack)
        member.ask(
            "PUT",
            stack.path,
            {"template": _template("http://127.0.0.1:9/c", c="d")},
        )
        member.wait(stack, "UPDATE_COMPLETE")

        after = member.resources(stack)
        for name in ("queue", "subscription"):
            self.assertEqual(
                before[name]["physical_resource_id"],
                after[name]["physical_resource_id"],
            )
        name = after["queue"]["physical_resource_id"]
        taken = member.create(
            f"{self.name}-taken",
            world_templates.template(
                queue={
                    "type": "OS::Zaqar::Queue",
                    "properties": {"name": name, "metadata": {"e": "f"}},
                }
            ),
        )
        member.wait(taken, "CREATE_FAILED")
        refused = member.resources(taken)["queue"]
        self.assertIn(
            f"There is a queue {name} already",
            refused["resource_status_reason"],
        )
        member.delete(taken)
        member.ask("POST", f"{stack.path}/actions", {"check": None})
        member.wait(stack, "CHECK_COMPLETE")
        member.delete(stack)
        waiting.wait_for(
            lambda: (
                stack.id
                not in [
                    each["id"]
                    for each in typing.cast(
                        "list[Json]", member.get("/stacks", "stacks")
                    )
                ]
            ),
            f"{stack.name} is gone",
        )
