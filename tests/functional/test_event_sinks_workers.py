"""Events that go to sinks, and workers that die meanwhile."""

import json
import typing

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import waiting
from tests.support import webhooks
from tests.support import world_templates

Json = dict[str, typing.Any]

LIMIT_S = 60
OPTIONS: typing.Final = {
    "engine": {"lease_ttl": 2, "scan_interval": 0.2},
    "egress": {"allowed_networks": "127.0.0.0/8"},
}


def template() -> world_templates.Json:
    return world_templates.template(
        **{
            name: {"type": "OS::Heat::TestResource", "depends_on": list(after)}
            for name, after in (("a", ""), ("b", "a"), ("c", "b"))
        }
    )


class WorkersTests(base.TestCase):
    """On RabbitMQ and PostgreSQL."""

    limit_s = 240

    def begin(self, workers: int) -> None:
        self.service = self.useFixture(webhooks.Service())
        self.system = self.useFixture(
            running.Distributed(OPTIONS, workers=workers)
        ).system
        self.client = self.system.client

    def create(self) -> rest.Stack:
        found = {"type": "webhook", "target": self.service.url}
        return self.client.create(
            "web", template(), environment={"event_sinks": [found]}
        )

    def numbers(self) -> list[int]:
        """Return the numbers of the events that came, in their order."""
        return [
            json.loads(each.body)["payload"]["sequence"]
            for each in list(self.service.requests)
        ]

    def wait_for(self, number: int) -> None:
        waiting.wait_for(
            lambda: number in self.numbers(), f"event {number}", LIMIT_S
        )

    def newest(self, stack: rest.Stack) -> int:
        return len(self.client.events(stack))

    def test_what_a_killed_worker_has_not_told_is_told_in_order(self) -> None:
        self.begin(workers=1)
        self.service.held = b'"sequence": 3,'
        stack = self.create()
        self.wait_for(3)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.system.engines[0].kill()
        self.service.held = None
        self.service.gate.set()
        self.system.engines[0].start()
        newest = self.newest(stack)
        self.wait_for(newest)

        found = self.numbers()
        self.assertEqual(
            list(range(1, newest + 1)), list(dict.fromkeys(found))
        )
        self.assertEqual(2, found.count(3))

    def test_another_worker_goes_on_where_one_was_killed(self) -> None:
        self.begin(workers=2)
        stack = self.create()
        self.client.wait(stack, "CREATE_COMPLETE")
        self.wait_for(self.newest(stack))

        # Which of them tells sinks is not known: one goes, then the other.
        self.system.engines[0].kill()
        self.check(stack)
        self.system.engines[0].start()
        self.system.engines[1].kill()
        self.check(stack)

        found = list(dict.fromkeys(self.numbers()))
        self.assertEqual(list(range(1, self.newest(stack) + 1)), found)

    def check(self, stack: rest.Stack) -> None:
        """Let something happen, and wait until the sink has heard of it."""
        before = self.newest(stack)
        self.client.ask("POST", f"{stack.path}/actions", {"check": None})
        waiting.wait_for(
            lambda: self.newest(stack) > before, "an event", LIMIT_S
        )
        self.client.wait(stack, "CHECK_COMPLETE", timeout_s=LIMIT_S)
        self.wait_for(self.newest(stack))
