"""An update of a stack of which nothing exists is judged as its creation."""

from tests.functional import lifecycle
from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

_PLAIN = world_templates.template(a=world_templates.declare_resource())
_OTHER = world_templates.template(b=world_templates.declare_resource())


class UncreatedTests(lifecycle.LifecycleTestCase, nesting.NestedTestCase):
    count = 1

    def verbs(self, stack: rest.Stack, action: str = "UPDATE") -> list[str]:
        """Return the verbs that updates of a stack were judged as."""
        return [
            str(each["verb"])
            for each in self.plugins.lines(stack)
            if each["action"] == action and each["phase"] == "pre"
        ]

    def held(self) -> rest.Stack:
        """Return a stack whose creation is on hold."""
        self.plugins.order(1, "pre", "hold", verb="create")
        stack = self.client.create(self.name, _PLAIN)
        self.wait_until_held(stack)
        self.plugins.forgive()
        return stack

    def denied(self) -> rest.Stack:
        """Return a stack whose creation was denied."""
        self.plugins.order(1, "pre", "deny", verb="create")
        stack = self.client.create(self.name, _PLAIN)
        self.client.wait(stack, "CREATE_FAILED")
        self.plugins.forgive()
        return stack

    def test_in_place_of_a_held_creation(self) -> None:
        stack = self.held()
        self.plugins.order(1, "pre", "deny", verb="create", text="not now")

        self.update(stack, _OTHER)
        # The creation continues, and is denied too.
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(["create"], self.verbs(stack))
        self.assertEqual([], self.physical_resources())

    def test_after_a_denied_creation(self) -> None:
        stack = self.denied()
        self.plugins.order(1, "pre", "deny", verb="create", text="not now")

        self.update(stack, _OTHER)
        self.client.wait(stack, "UPDATE_FAILED")
        self.client.ask("PATCH", stack.path, {"template": _OTHER})
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(["create", "create"], self.verbs(stack))
        self.assertEqual([], self.physical_resources())

    def test_once_it_is_created_updates_are_updates(self) -> None:
        stack = self.held()

        self.update(stack, _OTHER)
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.update(stack, _PLAIN)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["create", "update"], self.verbs(stack))

    def test_after_what_else_was_requested_meanwhile(self) -> None:
        stack = self.denied()
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")

        self.update(stack, _OTHER)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["check"], self.verbs(stack, "CHECK"))
        self.assertEqual(["create"], self.verbs(stack))

    def test_what_has_failed_amid_its_creation_is_updated(self) -> None:
        self.world.order(self.name, "create", "a", how="permanent")
        stack = self.client.create(self.name, _PLAIN)
        self.client.wait(stack, "CREATE_FAILED")

        self.update(stack, _OTHER)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["update"], self.verbs(stack))

    def test_an_empty_stack_that_was_created_is_updated(self) -> None:
        stack = self.client.create(self.name, world_templates.template())
        self.client.wait(stack, "CREATE_COMPLETE")

        self.update(stack, _OTHER)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["update"], self.verbs(stack))

    def test_previews_and_plans_show_that(self) -> None:
        stack = self.denied()
        self.plugins.order(
            1, "pre", "warn", verb="create", text="new", looks=True
        )

        for method, path, body in (
            ("PUT", f"{stack.path}/preview", {"template": _OTHER}),
            (
                "POST",
                f"{stack.path}/plans",
                {"action": "update", "template": _OTHER},
            ),
        ):
            answer = self.client.ask(method, path, body)
            assert isinstance(answer, dict)
            (verdict,) = answer["plan"]["verdicts"]
            self.assertEqual("new", verdict["text"], path)
        before = [
            each["before"]
            for each in self.plugins.lines(stack)
            if each["is_preview"]
        ]
        self.assertEqual([None, None], before)
