"""Inner stacks that went astray by their own URLs come back to the tree's
template with the next update of the root, at any depth.
"""

import typing

from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource

_BETWEEN = """
heat_template_version: 2021-04-16
resources:
  deep: {type: inner.yaml, properties: {label: wanted}}
"""
_LONGER = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string}
resources:
  inner:
    type: Test::World::Thing
    properties: {label: {get_param: label}}
  one: {type: Test::World::Thing}
  two: {type: Test::World::Thing, depends_on: one}
"""
_FILES = {"between.yaml": _BETWEEN, "inner.yaml": nesting.INNER}
_WANTED: Json = {"kid": {"type": "between.yaml"}}


class DriftedTests(nesting.NestedTestCase):
    """The stack ``deep`` is two levels below the root."""

    def tree(self, wait: str = "CREATE_COMPLETE") -> rest.Stack:
        return self.make(_WANTED, wait, files=_FILES)

    def deep_of(self, stack: rest.Stack) -> rest.Stack:
        return self.child_of(self.child_of(stack, "kid"), "deep")

    def again(self, stack: rest.Stack) -> None:
        """Ask the root for what it is already."""
        self.change(stack, _WANTED, files=_FILES)

    def cause_drift(self, deep: rest.Stack, resources: Json) -> None:
        self.update(deep, nesting.template(**resources))
        self.client.wait(deep, "UPDATE_COMPLETE")

    def counts(self, *stacks: rest.Stack) -> list[int]:
        return [len(self.operations(each)) for each in stacks]

    def retry(self, stack: rest.Stack, **options: object) -> None:
        self.act(stack, "retry", options)

    def test_a_changed_one_becomes_what_the_root_says(self) -> None:
        stack = self.tree()
        deep = self.deep_of(stack)
        self.cause_drift(deep, {"inner": declare_resource(label="mine")})
        self.assertEqual({"inner": "mine"}, self.labels())

        self.again(stack)

        self.assertEqual({"inner": "wanted", "last": ""}, self.labels())

    def test_nothing_is_asked_of_it_once_it_is_back(self) -> None:
        stack = self.tree()
        kid = self.child_of(stack, "kid")
        deep = self.deep_of(stack)
        self.cause_drift(deep, {"inner": declare_resource(label="mine")})
        self.again(stack)
        before = self.counts(kid, deep)

        self.again(stack)

        self.assertEqual(before, self.counts(kid, deep))

    def test_a_rollback_takes_it_along(self) -> None:
        stack = self.make(_WANTED, files=_FILES, disable_rollback=False)
        deep = self.deep_of(stack)
        self.cause_drift(deep, {"inner": declare_resource(label="mine")})
        self.world.order(self.name, "create", "x", how="permanent")

        self.change(
            stack,
            {**_WANTED, "x": declare_resource("kid")},
            "ROLLBACK_COMPLETE",
            files=_FILES,
        )

        self.assertEqual({"inner": "wanted", "last": ""}, self.labels())

    def test_a_plan_tells_of_it(self) -> None:
        stack = self.tree()
        self.cause_drift(
            self.deep_of(stack), {"inner": declare_resource(label="mine")}
        )

        answer = self.client.ask(
            "PUT",
            f"{stack.path}/preview",
            {"template": nesting.template(**_WANTED), "files": _FILES},
        )

        changes = typing.cast(typing.Any, answer)["resource_changes"]
        self.assertEqual(
            ["kid"], [each["resource_name"] for each in changes["updated"]]
        )

    def test_what_a_retry_far_below_left_out_is_made(self) -> None:
        self.world.order(
            self.name,
            "create",
            "inner",
            how="permanent",
            moment="before",
            times=1,
        )
        stack = self.tree("CREATE_FAILED")
        deep = self.deep_of(stack)
        self.retry(deep, skip=["last"])
        self.client.wait(deep, "CREATE_COMPLETE")
        self.assertEqual({"inner": "wanted"}, self.labels())

        self.again(stack)

        self.assertEqual({"inner": "wanted", "last": ""}, self.labels())

    def test_it_stays_left_out_while_the_same_operation_goes_on(self) -> None:
        stack = self.tree()
        deep = self.deep_of(stack)
        self.world.order(
            self.name, "create", "one", how="permanent", moment="before"
        )
        wanted: Json = {**_WANTED, "x": declare_resource("kid")}
        files = {**_FILES, "inner.yaml": _LONGER}
        self.change(stack, wanted, "UPDATE_FAILED", files=files)
        self.world.forgive(self.name)
        self.world.order(
            self.name, "create", "x", how="permanent", moment="before"
        )
        self.retry(deep, skip=["two"])
        self.client.wait(deep, "UPDATE_COMPLETE")
        self.retry(stack)
        self.client.wait(stack, "UPDATE_FAILED")

        self.world.forgive(self.name)
        self.retry(stack)

        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual({"inner", "one", "x"}, self.labels().keys())
        self.change(stack, wanted, files=files)
        self.assertEqual({"inner", "one", "two", "x"}, self.labels().keys())

    def test_another_update_does_not_leave_out_what_a_retry_did(self) -> None:
        stack = self.tree()
        deep = self.deep_of(stack)
        self.world.order(
            self.name, "create", "one", how="permanent", moment="before"
        )
        files = {**_FILES, "inner.yaml": _LONGER}
        self.change(stack, _WANTED, "UPDATE_FAILED", files=files)
        self.retry(deep, skip=["two"])
        self.client.wait(deep, "UPDATE_FAILED")
        self.world.forgive(self.name)

        self.change(stack, _WANTED, files=files)

        self.assertEqual({"inner", "one", "two"}, self.labels().keys())
