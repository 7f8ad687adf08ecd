"""The update that follows a move into a stack in the stack."""

import typing

import yaml

from tests.functional import holding
from tests.functional import test_move
from tests.functional import test_move_nested
from tests.support import rest
from tests.support import waiting

Json = test_move.Json
declare_resource = test_move.declare_resource
template = test_move.template

_HEAT: typing.Final = "OS::Heat::Stack"


class FollowingTests(test_move_nested.NestedMoveTestCase):
    """The update that follows fails: all has moved, and stays so."""

    def fail(self, **how: typing.Any) -> tuple[rest.Stack, dict[str, object]]:
        """Move with an update of what stays, which does not end well."""
        stack = self.created(
            test_move_nested.site(), files=test_move_nested.files(), **how
        )
        ids = self.tree(stack)
        front = self.descendant_of(stack, "web").name
        self.world.order(front, "update", "front", how="permanent", times=1)
        inner = test_move_nested.web()
        inner["resources"]["front"] = declare_resource(label="other")
        inner["resources"]["net"] = declare_resource(value="n")
        self.ask_to(
            stack,
            f"{stack.name}/web",
            ["net"],
            source_template=test_move_nested.site(own=declare_resource()),
            source_files={"web.yaml": yaml.safe_dump(inner)},
        )
        return stack, ids

    def stayed(
        self,
        stack: rest.Stack,
        ids: dict[str, object],
        path: str = "web/net",
    ) -> None:
        after = self.tree(stack)
        self.assertEqual(ids["/net"], after[path])
        self.assertNotIn("/net", after)
        self.assertNotIn("delete", [act for act, _ in self.world_acts()])
        self.assert_settled(stack)

    def world_acts(self) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for each in self.world.calls()
            if each.stack.startswith(f"{self.here}-")
            or each.stack == self.here
        ]

    def test_a_g7_a_stack_between_declares_it_before_the_update(self) -> None:
        """An update of that stack alone takes nothing back meanwhile."""
        low: Json = {
            "type": _HEAT,
            "properties": {"template": yaml.safe_dump(test_move_nested.web())},
        }
        stack = self.created(
            template(deep={"type": "deep.yaml"}, net=declare_resource()),
            files=test_move_nested.files(deep=template(low=low)),
            environment=holding.hooks(deep="pre-update"),
        )
        ids = self.tree(stack)
        self.ask_to(stack, f"{stack.name}/deep/low", ["net"])
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "BLOCKED", "a breakpoint"
        )
        between = self.descendant_of(stack, "deep")

        self.client.ask("PATCH", between.path, {})
        self.client.wait(between, "UPDATE_COMPLETE")

        self.assertEqual(ids["/net"], self.tree(stack)["low/net"])
        self.client.ask(
            "POST",
            f"{stack.path}/resources/deep/signal",
            {"unset_hook": "pre-update"},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.stayed(stack, {"/net": ids["/net"]}, "low/net")

    def test_a_g7_a_retry_goes_on_inside(self) -> None:
        stack, ids = self.fail()
        self.client.wait(stack, "UPDATE_FAILED")
        self.assertIn("web/net", self.tree(stack))

        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.stayed(stack, ids)

    def test_a_g7_a_rollback_takes_nothing_back(self) -> None:
        stack, ids = self.fail(disable_rollback=False)

        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.stayed(stack, ids)
