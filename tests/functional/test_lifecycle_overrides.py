"""Overrides at all doors: requests without an operation, signals, repairs."""

import typing

from tests.functional import doors
from tests.functional import observing
from tests.functional import test_lifecycle_other_doors as other_doors
from tests.functional import test_lifecycle_requests
from tests.functional.orchclient import commanding
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

_REASON: typing.Final = "INC-4711"


class OverriddenTestCase(doors.DoorsTestCase):
    """One soft-mandatory plug-in."""

    each: typing.ClassVar[Json] = {"levels": {1: "soft-mandatory"}}

    def override(self) -> None:
        """Let all that the client asks for from now on override denials."""
        plain = self.client
        self.client = rest.Client(
            plain.endpoint,
            user_id="id-ann",
            user_name="ann",
            override=_REASON,
        )
        self.addCleanup(self.client.close)


class RequestTests(OverriddenTestCase):
    """Requests without an operation."""

    def test_each_but_a_signal_is_overridden_with_an_event(self) -> None:
        for name, (
            verb,
            prepare,
            ask,
        ) in test_lifecycle_requests.REQUESTS.items():
            if verb == "signal":
                continue
            with self.subTest(name):
                self.plugins.forgive()
                tree = self.tree()
                prepare(self, tree)
                self.deny()
                self.assertRaises(rest.RefusedError, ask, self, tree)
                plain = self.client
                self.override()

                ask(self, tree)

                self.client = plain
                said = [
                    text
                    for which in ("root", "child")
                    for text in self.reasons(tree[which])
                    if f"ann has overridden that: {_REASON}" in text
                ]
                self.assertEqual(1, len(said), said)
                self.assertIn(verb.replace("_", " "), said[0])

    def test_an_abandonment_is_overridden(self) -> None:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        self.deny()
        self.override()

        self.client.ask("DELETE", f"{stack.path}/abandon")

        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertIn(
            "Lifecycle plug-in orch-test-1 denied the abandon, and ann has"
            f" overridden that: {_REASON} (denied with: frozen)",
            self.reasons(stack),
        )

    def test_a_signal_is_not_overridden(self) -> None:
        tree = self.tree()
        self.deny()
        self.override()

        error = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "POST",
            f"{tree.root.path}/resources/handle/signal",
            {"id": "1"},
        )

        self.assertEqual(403, error.status)


class OutcomeTests(other_doors.OutcomeTestCase):
    """An answer about what became of a creation."""

    level: typing.ClassVar[str] = "soft-mandatory"

    def test_a_denied_answer_is_overridden_with_an_event(self) -> None:
        stack = self.lose()
        self.plugins.order(1, "pre", "deny", text="frozen")
        status, _ = self.refused(stack, physical_id=self.first)
        plain = self.client
        self.client = rest.Client(
            plain.endpoint, user_name="ann", override=_REASON
        )
        self.addCleanup(self.client.close)

        self.answer(stack, physical_id=self.first)

        self.assertEqual(403, status)
        self.assertEqual(self.first, self.row(stack)["physical_resource_id"])
        said = [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
        ]
        self.assertIn(
            "Lifecycle plug-in orch-test-1 denied the answer outcome, and ann"
            f" has overridden that: {_REASON} (denied with: frozen)",
            said,
        )


class CancellationTests(OverriddenTestCase):
    """No plug-in can deny a cancellation, so nothing is to be overridden."""

    def cancelled(self) -> tuple[rest.Stack, Json]:
        """Return a stack whose creation was cancelled, and the objection."""
        self.take_name()
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        waiting.wait_for(
            lambda: any(
                each.name == "b" for each in self.world.calls(self.name)
            ),
            "b is created",
        )
        self.plugins.order(1, "pre", "deny", verb="cancel", text="frozen")
        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "CREATE_FAILED")
        (call,) = [
            each
            for each in self.operation(stack)["lifecycle"]
            if (each["verb"], each["phase"]) == ("cancel", "pre")
        ]
        return stack, call

    def test_an_override_changes_nothing(self) -> None:
        plain, without = self.cancelled()
        self.override()
        overridden, call = self.cancelled()

        for each in (without, call):
            self.assertEqual("deny", each["ruling"])
            self.assertIsNone(each["overridden_by"])
        for stack in (plain, overridden):
            said = self.reasons(stack)
            self.assertIn(
                "Lifecycle plug-in orch-test-1 objects to the cancellation,"
                " which continues: frozen",
                said,
            )
            self.assertEqual([], [x for x in said if _REASON in x])


class ActingTests(OverriddenTestCase):
    """What acts with the rights of a caller who has overridden a denial."""

    def overridden(self) -> doors.Tree:
        """Return a tree whose last change has overridden denials."""
        tree = self.tree()
        self.deny()
        self.override()
        self.client.ask("POST", f"{tree.root.path}/actions", {"check": None})
        self.client.wait(tree.root, "CHECK_COMPLETE")
        self.client.ask("PATCH", tree.root.path, {"tags": "three"})
        self.client.wait(tree.root, "UPDATE_COMPLETE")
        return tree

    def test_the_scaling_by_a_signal_is_denied(self) -> None:
        tree = self.overridden()
        group = self.child_of(tree.root, "g")
        count = len(self.operations(group))

        self.client.ask("POST", f"{tree.root.path}/resources/up/signal", {})
        found = self.ended(group, count)

        self.assertEqual("FAILED", found["state"])
        self.assertIn("frozen", str(found["reason"]))

    def test_a_repair_is_denied(self) -> None:
        tree = self.overridden()
        observing.set_policy(self.client, tree.root, {"stack": "repair"})
        inner = self.holder("inner")
        count = len(self.operations(tree.root))

        self.world.relabel(inner, "inner", "drifted")
        found = self.ended(tree.root, count)

        self.assertIn("frozen", str(found["reason"]))
        self.assertEqual("drifted", self.labels()["inner"])


class CommandTests(OverriddenTestCase, commanding.CommandTestCase):
    """``--override REASON``."""

    def test_a_command_overrides_a_denial(self) -> None:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        self.deny()

        denied = self.run_command("stack", "check", self.name)
        done = self.run_command(
            "stack", "check", self.name, "--override", "été chaud"
        )

        self.assertNotEqual(0, denied.code, denied)
        self.assertIn("may override it with a reason", denied.err + denied.out)
        self.assertEqual(0, done.code, done)
        (call, _) = self.operation(stack)["lifecycle"]
        self.assertEqual("été chaud", call["override_reason"])

    def test_plug_ins_are_listed_with_their_levels(self) -> None:
        found = self.succeed("lifecycle", "list", "-f", "json").document

        self.assertEqual(["soft-mandatory"], [x["Level"] for x in found])
