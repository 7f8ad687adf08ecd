"""Plug-ins around what is abandoned, adopted and checked then."""

import typing

from tests.functional import lifecycle
from tests.support import rest
from tests.support import world_templates

PRES = lifecycle.PRES
POSTS = lifecycle.POSTS


class TestAdoption(lifecycle.LifecycleTestCase):
    """A stack is let go of and taken over again."""

    options: typing.ClassVar[lifecycle.Json] = {
        "DEFAULT": {
            "enable_stack_adopt": True,
            "enable_stack_abandon": True,
            "check_after_adopt": True,
        }
    }

    def made(self) -> rest.Stack:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def abandon(self, stack: rest.Stack) -> object:
        return self.client.ask("DELETE", f"{stack.path}/abandon")

    def adopt(self, document: object) -> rest.Stack:
        answer = self.client.ask(
            "POST",
            "/stacks",
            {"stack_name": self.name, "adopt_stack_data": document},
        )
        return rest.Stack(self.name, answer["stack"]["id"])

    def test_l8_both_are_told_and_the_check_that_follows(self) -> None:
        stack = self.made()

        document = self.abandon(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        adopted = self.adopt(document)
        self.client.wait(adopted, "CHECK_COMPLETE")

        for verb in ("create", "abandon", "adopt", "check"):
            self.assertEqual(
                PRES + POSTS, self.plugins.calls(self.name, verb), verb
            )

    def test_a_denied_abandonment_lets_go_of_nothing(self) -> None:
        stack = self.made()
        self.plugins.order(2, "pre", "deny", verb="abandon", text="keep it")

        self.abandon(stack)
        self.client.wait(stack, "DELETE_FAILED")

        self.assertEqual(["a", "b", "c"], list(self.client.resources(stack)))
        self.plugins.forgive()
        self.abandon(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(["a", "b", "c"], self.names())

    def test_a_denied_adoption_takes_nothing_over(self) -> None:
        stack = self.made()
        document = self.abandon(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.plugins.order(2, "pre", "deny", verb="adopt", text="not ours")
        seen = len(self.world.calls(self.name))

        adopted = self.adopt(document)
        shown = self.client.wait(adopted, "ADOPT_FAILED")

        self.assertIn("not ours", shown["stack_status_reason"])
        self.assertEqual(seen, len(self.world.calls(self.name)))
        self.assertEqual(["a", "b", "c"], self.names())
