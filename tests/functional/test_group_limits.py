"""Groups whose pauses would take longer than an operation may."""

import typing

from tests.functional import test_instance_groups as instances
from tests.support import rest

Json = dict[str, typing.Any]

_SENTENCE: typing.Final = (
    "The current update policy will result in stack update timeout"
)


class PausesTests(instances.InstancesTestCase):
    """The stack has one minute; a group of three pauses twice."""

    def make(
        self, resources: Json, wait: str = "CREATE_COMPLETE", **body: object
    ) -> rest.Stack:
        return super().make(resources, wait, timeout_mins=1, **body)

    def numbered(self, label: str, **policy: Json) -> Json:
        return {"g": self.group(3, label, update_policy=policy)}

    def scaled(self, label: str, **pace: object) -> Json:
        return {
            "g": {
                "type": "OS::Heat::AutoScalingGroup",
                "properties": {
                    "min_size": 1,
                    "max_size": 4,
                    "desired_capacity": 3,
                    "resource": {
                        "type": "Test::World::Thing",
                        "properties": {"label": label},
                    },
                    "rolling_updates": pace,
                },
            }
        }

    def instances(self, flavor: str, pause: str) -> Json:
        group = instances.instance_group(3)
        group["update_policy"] = {"RollingUpdate": {"PauseTime": pause}}
        return {
            "conf": instances.configuration(InstanceType=flavor),
            "g": group,
        }

    def check_refused(self, before: Json, after: Json) -> None:
        """Check that an update fails before it has changed anything."""
        stack = self.make(before)
        labels = self.labels()

        self.change(stack, after, "UPDATE_FAILED")

        self.assertIn(_SENTENCE, self.failure(stack))
        self.assertIn("PausesTooLong: resources.g:", self.failure(stack))
        self.assertIn("60 of 60 seconds", self.failure(stack))
        self.assertEqual(labels, self.labels())
        self.assertEqual([], self.tree_acts("update", "delete"))

    def test_numbered_members_would_change_too_slowly(self) -> None:
        slow: Json = {"rolling_update": {"pause_time": 30}}

        self.check_refused(
            self.numbered("old", **slow), self.numbered("new", **slow)
        )

    def test_scaled_members_would_change_too_slowly(self) -> None:
        self.check_refused(
            self.scaled("old", pause_time=30),
            self.scaled("new", pause_time=30),
        )

    def test_instances_would_change_too_slowly(self) -> None:
        self.check_refused(
            self.instances("small", "PT30S"), self.instances("large", "PT30S")
        )

    def test_numbered_members_would_be_made_too_slowly(self) -> None:
        slow: Json = {"batch_create": {"pause_time": 30}}

        stack = self.make(self.numbered("old", **slow), "CREATE_FAILED")

        self.assertIn(_SENTENCE, self.failure(stack))
        self.assertEqual([], self.physical_resources())

    def test_larger_batches_need_no_pause(self) -> None:
        large: Json = {
            "rolling_update": {"pause_time": 30, "max_batch_size": 3}
        }
        stack = self.make(self.numbered("old", **large))

        self.change(stack, self.numbered("new", **large))

        self.assertEqual({"new"}, set(self.labels().values()))

    def test_what_changes_no_member_needs_no_pause(self) -> None:
        slow: Json = {"rolling_update": {"pause_time": 30}}
        stack = self.make(self.numbered("same"))

        self.change(stack, self.numbered("same", **slow))

        self.assertEqual([], self.tree_acts("update"))

    def test_a_preview_refuses_it_before(self) -> None:
        slow: Json = {"rolling_update": {"pause_time": 30}}
        stack = self.make(self.numbered("old", **slow))

        error = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "PUT",
            f"{stack.path}/preview",
            {
                "template": {
                    "heat_template_version": "2021-04-16",
                    "resources": self.numbered("new", **slow),
                }
            },
        )

        self.assertEqual(400, error.status, error.body)
        self.assertIn(_SENTENCE, error.message)

    def test_a_preview_of_a_new_stack_refuses_it_too(self) -> None:
        slow: Json = {"batch_create": {"pause_time": 2000}}

        error = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "POST",
            "/stacks/preview",
            {
                "stack_name": self.name,
                "template": {
                    "heat_template_version": "2021-04-16",
                    "resources": self.numbered("new", **slow),
                },
            },
        )

        self.assertEqual(400, error.status, error.body)
        self.assertIn("4000 of 3600 seconds", error.message)

    def test_no_group_takes_all_memory(self) -> None:
        huge = 100_001
        scaled = self.scaled("many")
        properties = scaled["g"]["properties"]
        properties.update(max_size=huge, desired_capacity=huge)
        said = f"a group has at most 100000 members, not {huge}."
        for resources in ({"g": self.group(huge, "many")}, scaled):
            error = self.assertRaises(rest.RefusedError, self.make, resources)
            self.assertEqual(
                (400, "RequestLimitExceeded"), (error.status, error.type)
            )
            self.assertIn(said, error.message)

    def test_a_shorter_pause_makes_it_good(self) -> None:
        slow: Json = {"rolling_update": {"pause_time": 1}}
        group = self.numbered("new", **slow)
        stack = self.make(self.numbered("old"))
        long: Json = {"rolling_update": {"pause_time": 30}}
        self.change(stack, self.numbered("new", **long), "UPDATE_FAILED")

        self.change(stack, group)

        self.assertEqual({"new"}, set(self.labels().values()))
