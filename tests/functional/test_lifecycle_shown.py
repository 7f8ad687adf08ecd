"""What the answers of the API tell of lifecycle plug-ins."""

import typing

from tests.functional import lifecycle
from tests.support import rest
from tests.support import world_templates

Json = dict[str, typing.Any]

_LEVEL = {
    "enforcement": "mandatory",
    "overridden_by": None,
    "override_reason": "",
}
_RULINGS = [
    {
        "plugin": "orch-test-1",
        "ruling": "warn",
        "text": "many things",
        **_LEVEL,
    },
    {"plugin": "orch-test-2", "ruling": "deny", "text": "no room", **_LEVEL},
]


class VerdictsTest(lifecycle.LifecycleTestCase):
    """Previews, plans and stacks tell what plug-ins say."""

    def object_(self) -> None:
        """Let the first plug-in warn, and the second deny."""
        self.plugins.order(1, "pre", "warn", text="many things")
        self.plugins.order(2, "pre", "deny", text="no room")

    def ask(self, method: str, path: str, **body: object) -> Json:
        return typing.cast(Json, self.client.ask(method, path, body))

    def complete(self) -> rest.Stack:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def test_the_preview_of_a_creation(self) -> None:
        self.object_()

        found = self.ask(
            *("POST", "/stacks/preview"),
            stack_name=self.name,
            template=world_templates.chain(),
        )

        self.assertEqual(_RULINGS, found["stack"]["plan"]["verdicts"])

    def test_the_preview_of_an_update(self) -> None:
        stack = self.complete()
        self.object_()

        found = self.ask(
            "PUT", f"{stack.path}/preview", template=world_templates.template()
        )

        self.assertEqual(_RULINGS, found["plan"]["verdicts"])

    def test_a_plan_keeps_what_was_said_when_it_was_made(self) -> None:
        stack = self.complete()
        self.object_()

        made = self.ask("POST", f"{stack.path}/plans", action="delete")["plan"]
        self.plugins.forgive()
        shown = self.client.get(f"{stack.path}/plans/{made['id']}", "plan")

        self.assertEqual(_RULINGS, made["verdicts"])
        assert isinstance(shown, dict)
        self.assertEqual(_RULINGS, shown["verdicts"])

    def test_a_stack_shows_what_is_not_allowed_of_its_newest(self) -> None:
        self.plugins.order(1, "pre", "warn", text="many things", verb="create")
        self.plugins.order(2, "pre", "deny", text="no room", verb="check")

        stack = self.complete()
        created = self.client.show(stack)["verdicts"]
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_FAILED")
        checked = self.client.show(stack)["verdicts"]

        self.assertEqual(_RULINGS[:1], created)
        self.assertEqual(_RULINGS[1:2], checked)

    def test_who_raises_is_shown_with_the_error(self) -> None:
        self.plugins.order(1, "pre", "raise", text="out of order")

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        (verdict,) = typing.cast(
            list[Json], self.client.show(stack)["verdicts"]
        )
        self.assertEqual("deny", verdict["ruling"])
        self.assertIn("out of order", verdict["text"])
        (call,) = typing.cast(list[Json], self.operation(stack)["lifecycle"])
        self.assertIsNone(call["ruling"])
        self.assertIn("out of order", call["error"])

    def test_who_fails_behind_it_is_told_with_the_calls(self) -> None:
        self.plugins.order(2, "post", "raise", text="out of order")

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        calls = typing.cast(list[Json], self.operation(stack)["lifecycle"])
        found = {
            (each["plugin"], each["phase"]): each["error"] for each in calls
        }
        self.assertIn("out of order", str(found.pop(("orch-test-2", "post"))))
        self.assertEqual({None}, set(found.values()))
        self.assertEqual([], self.client.show(stack)["verdicts"])


class DecisionsTest(lifecycle.LifecycleTestCase):
    """A resource tells what plug-ins have decided for it."""

    def test_decisions_are_shown_by_plug_in(self) -> None:
        rack, room = {"rack": "r1"}, {"room": 7}
        self.plugins.order(1, "pre", "allow", decisions={"a": rack, "b": rack})
        self.plugins.order(2, "pre", "warn", decisions={"a": room})

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        found = {name: self.decided(stack, name) for name in ("a", "b", "c")}

        self.assertEqual(
            {
                "a": {"orch-test-1": rack, "orch-test-2": room},
                "b": {"orch-test-1": rack},
                "c": {},
            },
            found,
        )

    def decided(self, stack: rest.Stack, name: str) -> object:
        shown = self.client.get(f"{stack.path}/resources/{name}", "resource")
        assert isinstance(shown, dict)
        return shown["decisions"]
