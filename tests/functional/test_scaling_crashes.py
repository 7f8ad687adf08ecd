"""A worker dies while a group is scaled: nothing is done or counted twice."""

import typing

from orch.resources.groups import scaling_group
from tests.functional import test_groups
from tests.support import rest

Json = dict[str, typing.Any]


class CrashTests(test_groups.GroupsTestCase):
    def scaled(self, **policy: object) -> Json:
        """Return a group of two, and a policy with a cooldown."""
        return {
            "g": {
                "type": "OS::Heat::AutoScalingGroup",
                "properties": {
                    "min_size": 1,
                    "max_size": 9,
                    "desired_capacity": 2,
                    "resource": test_groups.member(label="m"),
                },
            },
            "up": {
                "type": "OS::Heat::ScalingPolicy",
                "properties": {
                    "adjustment_type": "percent_change_in_capacity",
                    "scaling_adjustment": 10,
                    "min_adjustment_step": 2,
                    "cooldown": 600,
                    "auto_scaling_group_id": {"get_resource": "g"},
                    **policy,
                },
            },
        }

    def signal(self, stack: rest.Stack) -> None:
        self.client.ask("POST", f"{stack.path}/resources/up/signal", {})

    def crash(self) -> None:
        self.system.server.kill()
        self.system.start()

    def updates(self, inner: rest.Stack) -> int:
        found = self.operations(inner)
        return sum(each["action"] == "UPDATE" for each in found)

    def test_a_resizing_goes_on_and_its_cooldown_holds(self) -> None:
        stack = self.make(self.scaled())
        inner = self.child_of(stack, "g")
        third = scaling_group.member_name(inner.id, 2)
        self.world.order(self.name, "create", third)
        self.signal(stack)
        self.wait_for_tree("create", third)

        self.crash()
        self.world.forgive(self.name)
        self.client.wait(inner, "UPDATE_COMPLETE")
        self.signal(stack)

        self.assertEqual(4, len(self.physical_resources()))
        self.assertEqual([], self.world.doubles())
        self.assertEqual(1, self.updates(inner))
        # The second signal left no trace: the first one alone is told.
        told = [
            each
            for each in self.client.events(stack)
            if str(each["resource_status"]).startswith("SIGNAL")
        ]
        self.assertEqual(1, len(told))

    def test_a_crash_after_the_end_leaves_the_cooldown(self) -> None:
        stack = self.make(self.scaled())
        inner = self.child_of(stack, "g")
        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")

        self.crash()
        self.signal(stack)

        self.assertEqual(1, self.updates(inner))
        self.assertEqual(4, len(self.physical_resources()))

    def test_without_a_cooldown_the_next_signal_counts(self) -> None:
        stack = self.make(self.scaled(cooldown=0))
        inner = self.child_of(stack, "g")
        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")

        self.crash()
        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")

        self.assertEqual(2, self.updates(inner))
        self.assertEqual(6, len(self.physical_resources()))
