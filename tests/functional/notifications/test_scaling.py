"""What consumers hear of groups that signals scale, over RabbitMQ."""

import typing

from orch.resources.groups import scaling_group
from tests import base
from tests.support import listeners
from tests.support import rest
from tests.support import running
from tests.support import services
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

Json = dict[str, typing.Any]

_PREFIX: typing.Final = "orchestration.autoscaling."
_KEYS: typing.Final = listeners.HEATS_KEYS | {
    "adjustment",
    "adjustment_type",
    "capacity",
    "groupname",
    "message",
}
"""The keys that Heat's notifications of groups have."""


class ScalingTests(base.TestCase):
    """All on one system; each test has a stack of its own."""

    limit_s = 120

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        services.require("RabbitMQ", "PostgreSQL")
        cls.world = world.World()
        cls.addClassCleanup(cls.world.cleanUp)
        cls.world.setUp()
        found = running.Distributed(
            environment=cls.world.environment, workers=1
        )
        cls.addClassCleanup(found.cleanUp)
        found.setUp()
        cls.found = found
        cls.client = found.system.client

    def setUp(self) -> None:
        super().setUp()
        self.listener = self.useFixture(
            listeners.Listener(self.found.broker.url())
        )

    def template(self, size: int = 2, **policy: object) -> Json:
        """Return a group of so many, and a policy that adds one."""
        wanted = world_templates.template(
            g={
                "type": "OS::Heat::AutoScalingGroup",
                "properties": {
                    "min_size": 1,
                    "max_size": 3,
                    "desired_capacity": size,
                    "resource": {"type": "Test::World::Thing"},
                },
            },
            up={
                "type": "OS::Heat::ScalingPolicy",
                "properties": {
                    "adjustment_type": "change_in_capacity",
                    "scaling_adjustment": 1,
                    "auto_scaling_group_id": {"get_resource": "g"},
                    **policy,
                },
            },
        )
        wanted["outputs"] = {"g": {"value": {"get_resource": "g"}}}
        return wanted

    def create(self, name: str, **policy: object) -> rest.Stack:
        """Make a group of two."""
        stack = self.client.create(name, self.template(**policy), tags="a,b")
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def signal(self, stack: rest.Stack) -> None:
        self.client.ask("POST", f"{stack.path}/resources/up/signal", {})

    def hear(self, stack: rest.Stack, last: str) -> list[listeners.Heard]:
        """Return what is heard of the group, once ``last`` was."""

        def told() -> list[listeners.Heard] | None:
            heard = [
                each
                for each in self.listener.of(stack.id)
                if each.event_type.startswith(_PREFIX)
            ]
            kinds = {each.event_type for each in heard}
            return heard if _PREFIX + last in kinds else None

        found = waiting.wait_for(told, last)
        assert found is not None
        return sorted(found, key=_sequence)

    def end(self, stack: rest.Stack) -> None:
        """Delete a stack; return once that was heard, and all before it."""
        self.client.delete(stack)
        waiting.wait_for(
            lambda: (
                (stack.id, "orchestration.stack.delete.end")
                in self.listener.kinds()
            ),
            "the end of the stack",
        )

    def group_of(self, stack: rest.Stack) -> str:
        """Return the id of the group's own stack."""
        rows = self.client.resources(stack)
        return str(rows["g"]["physical_resource_id"])

    def test_a_group_that_grows_is_told_with_heats_keys(self) -> None:
        stack = self.create("grows")

        self.signal(stack)
        heard = self.hear(stack, "end")

        group = self.client.outputs(stack)["g"]
        self.assertEqual(
            [
                (
                    f"{_PREFIX}start",
                    2,
                    f"Start resizing the group {group}",
                    {"CREATE_COMPLETE": 2},
                ),
                (
                    f"{_PREFIX}end",
                    3,
                    f"End resizing the group {group}",
                    {"CREATE_COMPLETE": 3},
                ),
            ],
            [
                (
                    each.event_type,
                    each.payload["capacity"],
                    each.payload["message"],
                    each.payload["resource_counts"]["by_status"],
                )
                for each in heard
            ],
        )
        for each in heard:
            self.assertEqual("info", each.priority)
            self.assertEqual(set(), _KEYS - set(each.payload))
            self.assertEqual(
                {
                    "tenant_id": "demo",
                    "stack_name": "grows",
                    "state": "CREATE_COMPLETE",
                    "tags": ["a", "b"],
                    "adjustment": 1,
                    "adjustment_type": "ChangeInCapacity",
                    "groupname": group,
                },
                {
                    key: each.payload[key]
                    for key in (
                        "tenant_id",
                        "stack_name",
                        "state",
                        "tags",
                        "adjustment",
                        "adjustment_type",
                        "groupname",
                    )
                },
            )

    def test_a_failure_is_an_error_with_the_size_that_there_is(self) -> None:
        stack = self.create("fails")
        third = scaling_group.member_name(self.group_of(stack), 2)
        self.world.order(
            "fails", "create", third, how="permanent", moment="before"
        )

        self.signal(stack)
        heard = self.hear(stack, "error")

        self.assertEqual(
            [("info", 2), ("error", 2)],
            [(each.priority, each.payload["capacity"]) for each in heard],
        )
        self.assertIn(
            f"Permanent: resources.{third}", str(heard[-1].payload["message"])
        )

    def test_signals_that_change_nothing_are_not_told(self) -> None:
        stack = self.create("stays", cooldown=600)
        self.signal(stack)
        self.hear(stack, "end")

        self.signal(stack)
        self.end(stack)

        self.assertEqual(2, len(self.hear(stack, "end")))

    def test_updates_of_the_stack_are_no_resizing_by_a_signal(self) -> None:
        stack = self.create("plain")
        self.client.ask("PUT", stack.path, {"template": self.template(3)})
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(3, len(self.world.resources_of_tree("plain")))
        self.end(stack)

        kinds = {each.event_type for each in self.listener.of(stack.id)}

        self.assertEqual(set(), {k for k in kinds if k.startswith(_PREFIX)})


def _sequence(heard: listeners.Heard) -> int:
    return typing.cast("int", heard.payload["sequence"])
