"""A creation that nobody wants any more, and that then fails."""

from tests.functional import acting
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates


class OvertakenTests(acting.ActionsTestCase):
    def changing(self, wanted: acting.Json, **body: object) -> rest.Stack:
        """Return a stack whose update goes on with a creation that is held."""
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain("old"))
        self.wait_for_act("held-create-watch", "b")
        self.update(stack, wanted, **body)
        waiting.wait_for(
            lambda: self.runs(stack, "UPDATE"), "the update has begun"
        )
        return stack

    def overtaken(self, wanted: acting.Json, **body: object) -> rest.Stack:
        """Return a stack whose update goes on with a creation that fails."""
        stack = self.changing(wanted, **body)
        begun = next(
            each.token
            for each in self.world.calls(self.name)
            if each.name == "b"
        )
        self.world.order(
            self.name, "create", "b", how="permanent", token=begun
        )
        return stack

    def runs(self, stack: rest.Stack, action: str) -> bool:
        """Answer whether what is under way is that action."""
        newest = self.operation(stack)
        return (newest["action"], newest["state"]) == (action, "RUNNING")

    def test_what_is_wanted_instead_is_made(self) -> None:
        stack = self.overtaken(
            world_templates.chain("new"), disable_rollback=False
        )

        self.world.release(self.name)
        shown = self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            "Stack UPDATE completed successfully", shown["stack_status_reason"]
        )
        self.assertEqual(dict.fromkeys("abc", "new"), self.labels())
        self.assertEqual(["a", "b", "b", "c"], self.acts("made"))
        self.assertEqual([], self.world.doubles())
        self.assertEqual(
            [("b", "CREATE_FAILED")],
            [
                each
                for each in self.events_after(stack, "UPDATE_IN_PROGRESS")
                if str(each[1]).endswith("FAILED")
            ],
        )

    def test_it_is_tried_once(self) -> None:
        stack = self.overtaken(world_templates.chain("new"))
        self.world.order(
            self.name, "create", "b", moment="before", how="permanent", times=9
        )

        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(["a", "b"], self.acts("made"))
        self.assertEqual(["a", "b", "b"], self.acts("create"))

    def test_what_is_wanted_as_it_was_begun_has_failed(self) -> None:
        wanted = world_templates.template(
            a=world_templates.declare_resource(label="old"),
            b=world_templates.declare_resource("a", label="old"),
            c=world_templates.declare_resource("b", label="new"),
        )
        stack = self.overtaken(wanted)

        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(["a", "b"], self.acts("made"))

    def test_what_is_wanted_now_and_fails_has_failed(self) -> None:
        stack = self.changing(world_templates.chain("new"))
        self.world.order(self.name, "update", "b", how="permanent", times=1)

        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(["a", "b"], self.acts("made"))
        self.assertEqual(["a", "b"], self.acts("update"))
