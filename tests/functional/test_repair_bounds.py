"""A repair leaves alone what is missing or unfinished for another reason."""

import json
import typing

from tests.functional import observing
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]


class RepairBoundsTests(observing.ObserverTestCase):
    options: typing.ClassVar = {
        **observing.ObserverTestCase.options,
        "DEFAULT": {"enable_stack_adopt": True},
    }

    def test_d6_what_was_left_out_is_not_made_by_a_repair(self) -> None:
        self.fail_making("b", times=99)
        stack = self.client.create(
            self.name,
            observing.template(a=observing.listed(), b=observing.listed()),
        )
        self.addCleanup(self.remove, stack)
        self.client.wait(stack, "CREATE_FAILED")
        self.client.ask(
            "POST", f"{stack.path}/actions", {"retry": {"skip": ["b"]}}
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        self.world.forgive(self.name)
        observing.set_policy(
            self.client, stack, {"resources": {"a": {"policy": "repair"}}}
        )

        self.world.relabel(self.name, "a", "drifted")

        self.wait_for_labels(a="l")
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual({"a": "l"}, self.labels())

    def test_d6_a_child_stack_that_was_left_out_is_not_made(self) -> None:
        stack = self.client.create(
            self.name,
            observing.template(a=observing.listed(), kid={"type": "kid.yaml"}),
            files={
                "kid.yaml": json.dumps(
                    observing.template(
                        wait={
                            "type": "OS::Heat::WaitCondition",
                            "properties": {
                                "handle": {"get_resource": "handle"},
                                "timeout": 1,
                            },
                        },
                        handle={"type": "OS::Heat::WaitConditionHandle"},
                        b={**observing.listed(), "depends_on": "wait"},
                    )
                )
            },
        )
        self.addCleanup(self.remove, stack)
        self.client.wait(stack, "CREATE_FAILED")
        self.client.ask(
            "POST", f"{stack.path}/actions", {"retry": {"skip": ["kid"]}}
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.check_repaired(stack)

        (kid,) = (
            each
            for each in self.client.get(f"{stack.path}/resources", "resources")
            if each["resource_name"] == "kid"
        )
        self.assertEqual("CREATE_FAILED", kid["resource_status"])

    def test_d6_what_a_replacement_has_left_is_not_removed_by_a_repair(
        self,
    ) -> None:
        stack = self.create(a=observing.listed(), b=observing.listed())
        self.world.order(
            self.name, "delete", "b", how="permanent", moment="before"
        )
        other = observing.listed()
        other["properties"]["value"] = "other"
        self.client.ask(
            "PUT",
            stack.path,
            {"template": observing.template(a=observing.listed(), b=other)},
        )
        self.client.wait(stack, "UPDATE_FAILED")
        self.client.ask(
            "POST", f"{stack.path}/actions", {"retry": {"skip": ["b"]}}
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.world.forgive(self.name)
        removed = self.acts("delete")

        self.check_repaired(stack)

        self.assertEqual(removed, self.acts("delete"))
        self.assertEqual(["a", "b", "b"], self.names())

    def test_d6_what_was_repaired_and_then_taken_over_is_not_made(
        self,
    ) -> None:
        stack = self.create(a=observing.listed(), b=observing.listed())
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.world.remove(self.name, "b")
        waiting.wait_for(
            lambda: self.repairs(stack) == ["COMPLETE"], "the first repair"
        )
        thing = self.client.resources(stack)["b"]["physical_resource_id"]
        entry = {"type": "Test::World::Listed", "resource_id": thing}
        answer = self.client.ask(
            "POST",
            "/stacks",
            {
                "stack_name": f"{self.name}-new",
                "adopt_owned": True,
                "adopt_stack_data": {
                    "template": observing.template(n=observing.listed()),
                    "resources": {"n": entry},
                },
            },
        )
        taker = rest.Stack(f"{self.name}-new", answer["stack"]["id"])
        self.client.wait(taker, "ADOPT_COMPLETE")
        self.addCleanup(self.remove, taker)
        made = self.acts("create")

        self.check_repaired(stack)

        self.assertEqual(made, self.acts("create"))

    def check_repaired(self, stack: rest.Stack) -> None:
        """Return once drift of ``a``, and of it alone, was repaired."""
        count = self.acts("update").count("a")
        policy = {"resources": {"a": {"policy": "repair"}}}
        observing.set_policy(self.client, stack, policy)
        self.world.relabel(self.name, "a", "drifted")
        waiting.wait_for(
            lambda: self.acts("update").count("a") > count, "the repair"
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
