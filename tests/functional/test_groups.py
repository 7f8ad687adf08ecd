"""Groups: through REST, on ``orch-all``, and looked up in the world."""

import typing

from tests.functional import nesting
from tests.support import rest

Json = rest.Json


def member(**properties: object) -> Json:
    return {"type": "Test::World::Thing", "properties": properties}


def scaling(**policy: object) -> Json:
    """Return a group of two things, and a policy that adds one.

    :param policy: further properties of the policy
    """
    return {
        "g": {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {
                "min_size": 1,
                "max_size": 4,
                "desired_capacity": 2,
                "resource": member(label="m"),
            },
        },
        "up": {
            "type": "OS::Heat::ScalingPolicy",
            "properties": {
                "adjustment_type": "change_in_capacity",
                "scaling_adjustment": 1,
                "auto_scaling_group_id": {"get_resource": "g"},
                **policy,
            },
        },
    }


class GroupsTestCase(nesting.NestedTestCase):
    """Groups of things."""

    def group(self, count: int, label: str = "n%index%", **more: Json) -> Json:
        found = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": count,
                "resource_def": member(label=label),
                **{k: v for k, v in more.items() if k != "update_policy"},
            },
        }
        if "update_policy" in more:
            found["update_policy"] = more["update_policy"]
        return found

    def by_name(self) -> dict[str, str]:
        return {each.name: each.id for each in self.physical_resources()}

    def observed_acts(self, *acts: str) -> list[str]:
        return self.tree_acts(*acts)


class ResourceGroupTests(GroupsTestCase):
    def test_it_grows_and_shrinks_at_its_end(self) -> None:
        stack = self.make({"g": self.group(2)})
        before = self.by_name()

        self.change(stack, {"g": self.group(4)})
        grown = self.by_name()
        self.change(stack, {"g": self.group(1)})

        self.assertEqual({"0", "1", "2", "3"}, set(grown))
        self.assertEqual({**grown, **before}, grown)
        self.assertEqual({"0": before["0"]}, self.by_name())

    def test_listed_members_go_first_and_their_names_stay_free(self) -> None:
        stack = self.make({"g": self.group(3)})
        before = self.by_name()
        gone: typing.Any = [{"resource_list": ["1"]}]

        self.change(stack, {"g": self.group(2, removal_policies=gone)})
        shrunk = self.by_name()
        self.change(stack, {"g": self.group(3, removal_policies=gone)})

        self.assertEqual({"0": before["0"], "2": before["2"]}, shrunk)
        self.assertEqual({"0", "2", "3"}, set(self.by_name()))

    def test_none_is_a_number_too(self) -> None:
        stack = self.make({"g": self.group(0)})

        self.change(stack, {"g": self.group(1)})

        self.assertEqual({"0": "n0"}, self.labels())

    def test_members_change_in_batches(self) -> None:
        rolling: Json = {"rolling_update": {"max_batch_size": 2}}
        stack = self.make({"g": self.group(4, "old", update_policy=rolling)})
        inner = self.child_of(stack, "g")

        self.change(stack, {"g": self.group(4, "new", update_policy=rolling)})

        self.assertEqual({"new"}, set(self.labels().values()))
        updates = [
            each
            for each in self.operations(inner)
            if each["action"] == "UPDATE"
        ]
        self.assertEqual(2, len(updates))
        self.assertEqual(4, self.observed_acts("update").__len__())

    def test_a_retry_goes_on_with_the_members_that_failed(self) -> None:
        self.world.order(
            self.name, "create", "1", how="permanent", moment="before"
        )
        stack = self.make({"g": self.group(3)}, "CREATE_FAILED")
        self.world.forgive(self.name)

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual({"0", "1", "2"}, set(self.by_name()))
        self.assertEqual(1, self.observed_acts("create").count("0"))

    def test_what_is_as_it_shall_be_gets_no_operation(self) -> None:
        stack = self.make({"g": self.group(2)})
        inner = self.child_of(stack, "g")

        self.change(stack, {"g": self.group(2), "x": member()})

        self.assertEqual(1, len(self.operations(inner)))


class ScalingTests(GroupsTestCase):
    def signal(self, stack: rest.Stack, name: str = "up") -> None:
        self.client.ask("POST", f"{stack.path}/resources/{name}/signal", {})

    def test_a_signal_lets_it_grow(self) -> None:
        stack = self.make(
            scaling(),
            outputs={"size": {"value": {"get_attr": ["g", "current_size"]}}},
        )
        inner = self.child_of(stack, "g")
        before = self.by_name()

        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")

        after = self.by_name()
        self.assertEqual(3, len(after))
        self.assertEqual({**after, **before}, after)
        self.assertEqual({"size": 3}, self.outputs(stack))

    def test_an_update_keeps_the_size_that_signals_gave(self) -> None:
        stack = self.make(scaling())
        inner = self.child_of(stack, "g")
        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")

        self.change(stack, {**scaling(), "x": member()})

        self.assertEqual(4, len(self.physical_resources()))

    def test_a_cooldown_holds_further_signals_back(self) -> None:
        stack = self.make(scaling(cooldown=600))
        inner = self.child_of(stack, "g")
        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")

        self.signal(stack)

        self.assertEqual(
            ["UPDATE", "CREATE"],
            [each["action"] for each in self.operations(inner)],
        )

    def test_a_group_that_was_made_has_to_settle_too(self) -> None:
        resources = scaling()
        resources["g"]["properties"]["cooldown"] = 600
        stack = self.make(resources)

        self.signal(stack)

        self.assertEqual(
            ["CREATE"],
            [
                each["action"]
                for each in self.operations(self.child_of(stack, "g"))
            ],
        )

    def test_it_ends_at_its_largest_size(self) -> None:
        stack = self.make(scaling(scaling_adjustment=9))
        inner = self.child_of(stack, "g")

        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")

        self.assertEqual(4, len(self.physical_resources()))


class ChainTests(GroupsTestCase):
    def test_each_is_made_after_the_one_before(self) -> None:
        kinds: Json = {
            "type": "OS::Heat::ResourceChain",
            "properties": {"resources": ["Test::World::Thing"] * 3},
        }
        self.make({"c": kinds})

        self.assertEqual(["0", "1", "2"], self.observed_acts("create"))
