"""Notifications, converted by Ceilometer's own code and definitions.

It consumes from the broker, where its notification agent listens by itself.
"""

import typing

from tests import base
from tests.support import ceilometer
from tests.support import rest
from tests.support import running
from tests.support import waiting
from tests.support import world_templates

LIMIT_S = 60
_OPTIONS: typing.Final = {"engine": {"lease_ttl": 2, "scan_interval": 0.2}}
_NEWS: typing.Final = "orchestration.stack."


class CeilometerTest(base.TestCase):
    limit_s = 240

    def setUp(self) -> None:
        super().setUp()
        found = self.useFixture(running.Distributed(_OPTIONS, workers=1))
        self.client = rest.Client(found.system.endpoint, user_id="u1")
        self.addCleanup(self.client.close)
        self.agent = self.useFixture(ceilometer.Agent(found.broker.url()))

    def create(self, name: str, **properties: object) -> rest.Stack:
        resource = {
            "type": "OS::Heat::TestResource",
            "properties": properties,
        }
        return self.client.create(name, world_templates.template(a=resource))

    def heard(
        self, stack: rest.Stack, last: str
    ) -> dict[str, ceilometer.Event]:
        """Return the events of a stack by type, once this one came."""

        def events() -> dict[str, ceilometer.Event]:
            return {
                each["event_type"].removeprefix(_NEWS): each
                for each in self.agent.events(stack.id)
            }

        waiting.wait_for(lambda: last in events(), last, LIMIT_S)
        return events()

    def test_stacks_have_project_user_id_and_name(self) -> None:
        self.assertTrue(self.agent.definitions)
        stack = self.create("web")
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.ask("POST", f"{stack.path}/actions", {"suspend": None})
        self.client.wait(stack, "SUSPEND_COMPLETE")
        self.client.delete(stack)

        found = self.heard(stack, "delete.end")

        self.assertEqual(
            {
                f"{action}.{part}"
                for action in ("create", "suspend", "delete")
                for part in ("start", "end")
            },
            set(found),
        )
        for each in found.values():
            self.check_traits(each["traits"], stack)

    def test_failures_have_them_too(self) -> None:
        stack = self.create("bad", fail=True)

        found = self.heard(stack, "create.error")

        self.check_traits(found["create.error"]["traits"], stack)

    def check_traits(
        self, traits: dict[str, object], stack: rest.Stack
    ) -> None:
        """Check what the shipped definitions take, beside the defaults."""
        self.assertEqual(
            {
                "project_id": "demo",
                "user_id": "u1",
                "resource_id": stack.id,
                "name": stack.name,
            },
            {
                name: traits.get(name)
                for name in ("project_id", "user_id", "resource_id", "name")
            },
        )
        self.assertTrue(str(traits["service"]).startswith("orchestration."))
        self.assertTrue(str(traits["request_id"]).startswith("req-"))
