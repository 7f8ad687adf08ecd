"""Operations that a plug-in holds: by the library and by the commands."""

import threading
import typing

from orchclient import errors
from orchclient import models
from orchclient import operation_errors
from tests.functional import lifecycle
from tests.functional.orchclient import commanding
from tests.functional.orchclient import connecting
from tests.support import waiting
from tests.support import world_templates

_FRIDAY = "it is Friday"
_INNER = """
heat_template_version: 2021-04-16
resources:
  c: {type: Test::World::Thing}
"""
_OUTER = """
heat_template_version: 2021-04-16
resources:
  front: {type: inner.yaml}
"""


class LibraryTests(lifecycle.LifecycleTestCase, connecting.ClientTestCase):
    """``orchclient`` and a server with three plug-ins."""

    def held(self) -> models.StackIdentity:
        """Return a stack whose creation the second plug-in holds."""
        self.plugins.order(2, "pre", "hold", text=_FRIDAY)
        source = connecting.Package(template=world_templates.chain())
        stack = self.orch.stacks.create(self.name, source)
        waiting.wait_for(
            lambda: self.orch.operations.list(stack)[0].is_held, "it is held"
        )
        return stack

    def test_what_is_held_is_approved(self) -> None:
        stack = self.held()
        (held,) = self.orch.operations.list(stack)
        assert held.hold is not None

        self.orch.lifecycle.approve(stack, "agreed", operation_id=held.id)
        ended = self.wait(stack)

        self.assertEqual(
            ("orch-test-2", _FRIDAY), (held.hold.plugin, held.hold.text)
        )
        self.assertEqual((True, False), (held.is_held, ended.is_held))
        assert ended.hold is not None
        self.assertEqual(
            ("approved", "agreed"),
            (ended.hold.answer, ended.hold.answer_text),
        )
        self.assertEqual(
            ["allow", "hold", "allow"],
            [each.ruling for each in ended.calls if each.phase == "pre"],
        )
        (verdict,) = self.orch.stacks.show(stack).verdicts
        self.assertEqual("hold", verdict.ruling)

    def test_what_is_rejected_fails(self) -> None:
        stack = self.held()

        self.orch.lifecycle.reject(stack, "not before Monday")

        error = self.assertRaises(
            operation_errors.OperationFailedError, self.wait, stack
        )
        self.assertIn("not before Monday", str(error))
        self.assertEqual([], self.names())

    def test_of_two_answers_the_second_is_a_conflict(self) -> None:
        stack = self.held()
        self.orch.lifecycle.approve(stack)

        error = self.assertRaises(
            errors.ConflictError, self.orch.lifecycle.reject, stack
        )

        self.assertIn("was approved", str(error))
        self.wait(stack)

    def test_plug_ins_are_listed(self) -> None:
        self.assertEqual(
            ["orch-test-1", "orch-test-2", "orch-test-3"],
            [each.name for each in self.orch.lifecycle.plugins()],
        )


class OrchTests(lifecycle.LifecycleTestCase, commanding.CommandTestCase):
    """``orch …`` and a server with three plug-ins."""

    def held(self, *more: str) -> commanding.Ended:
        """Return how ``up`` ends when the second plug-in holds it."""
        self.plugins.order(2, "pre", "hold", text=_FRIDAY)
        return self.run_command(
            *("up", self.template(), "--name", self.name, *more)
        )

    def test_holds_are_listed_with_their_project_for_all_of_them(self) -> None:
        self.held()

        own = self.succeed("hold", "list", "-f", "json")
        found = self.succeed("hold", "list", "--all-projects", "-f", "json")

        (row,) = (
            each for each in found.document if each["Where"] == self.name
        )
        self.assertEqual("demo", row["Project"])
        self.assertIn("Asked by", row)
        self.assertNotIn("Project", own.document[0])

    def test_up_tells_what_to_type_and_ends(self) -> None:
        ended = self.held()

        self.assertEqual(12, ended.code, ended)
        self.assertIn(
            f"HELD by orch-test-2: {_FRIDAY}; approve with: orch stack"
            f" approve {self.name}, before ",
            ended.out,
        )
        self.assertIn(
            f"The create of {self.name} is held by orch-test-2: {_FRIDAY};",
            ended.err,
        )
        for words in ("stack approve", "stack reject", "attach"):
            self.assertIn(f"{self.form} {words} {self.name}", ended.err)
        self.assertEqual([], self.names())

    def test_programs_are_told_too(self) -> None:
        ended = self.held("-f", "json")

        self.assertEqual(12, ended.code, ended)
        told = ended.documents
        self.assertIn(["orch-test-2"], [each.get("held_by") for each in told])
        self.assertEqual(
            ("error", 12), (told[-1]["kind"], told[-1]["exit_code"])
        )

    def test_what_is_approved_is_attached_to(self) -> None:
        self.held()
        held = self.succeed("stack", "show", self.name, "-f", "json").document

        said = self.succeed("stack", "approve", self.name, "--comment", "ok")
        followed = self.succeed("attach", self.name)

        self.assertIn("HELD by orch-test-2", held["operation"]["hold"])
        self.assertEqual([f"orch-test-2: hold: {_FRIDAY}"], held["verdicts"])
        self.assertIn("approved", said.out)
        self.assertIn(f"{self.form} attach {self.name}", said.err)
        self.assertIn("CREATE_COMPLETE", followed.out)
        shown = self.succeed("stack", "show", self.name, "-f", "json").document
        self.assertNotIn("hold", shown["operation"])

    def test_attach_waits_for_the_answer(self) -> None:
        self.held()
        rejecting = threading.Timer(
            3.0, self.orch.lifecycle.reject, [self.name, "not today"]
        )
        rejecting.start()
        self.addCleanup(rejecting.join)

        ended = self.run_command("attach", self.name)

        self.assertEqual(3, ended.code, ended)
        self.assertIn("HELD by orch-test-2", ended.out)
        self.assertIn("not today", ended.err)

    def test_what_is_rejected_fails(self) -> None:
        self.held()

        said = self.succeed("stack", "reject", self.name, "--comment", "no")

        self.assertIn("rejected", said.out)
        self.assertEqual(3, self.run_command("attach", self.name).code)
        self.assertEqual("CREATE_FAILED", self.status(self.name))
        again = self.run_command("stack", "approve", self.name)
        self.assertEqual(6, again.code, again)
        self.assertIn("was rejected by", again.err)

    def test_only_the_operation_that_is_meant_is_answered_for(self) -> None:
        self.held()
        words = ("stack", "approve", self.name, "--operation")

        other = self.run_command(*words, "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a1")

        self.assertEqual(6, other.code, other)
        (held,) = self.orch.operations.list(self.name)
        self.succeed(*words, held.id)
        self.succeed("attach", self.name)

    def test_what_is_not_held_cannot_be_approved(self) -> None:
        self.succeed("up", self.template(), "--name", self.name)

        ended = self.run_command("stack", "approve", self.name)

        self.assertEqual(6, ended.code, ended)
        self.assertIn("No lifecycle plug-in holds stack", ended.err)

    def test_a_plan_tells_what_plug_ins_will_say(self) -> None:
        source = ("plan", self.template(), "--name", self.name)
        self.plugins.order(1, "pre", "warn", text="many things")
        self.plugins.order(2, "pre", "deny", text="no room")
        self.plugins.order(3, "pre", "hold", text=_FRIDAY)

        said = self.run_command(*source)
        programs = self.run_command(*source, "-f", "json").document
        self.plugins.forgive()
        self.succeed("up", self.template(), "--name", self.name)
        self.plugins.order(2, "pre", "deny", text="no room")
        kept = self.run_command(*source, "-P", "label=new")
        applied = self.run_command("apply", self.name)

        objections = [
            "! orch-test-1 warns: many things",
            "! orch-test-2 denies it: no room",
            f"! orch-test-3 holds it until it is approved: {_FRIDAY}",
        ]
        self.assertEqual(objections, said.out.splitlines()[-4:-1])
        self.assertEqual(
            ["warn", "deny", "hold"],
            [each["ruling"] for each in programs["verdicts"]],
        )
        self.assertIn(objections[1], kept.out)
        self.assertNotIn("Run exactly this", kept.err)
        self.assertEqual((15, 15), (said.code, kept.code))
        self.assertEqual(3, applied.code, applied)
        self.assertIn("no room", applied.err)

    def test_plug_ins_are_listed_in_their_order(self) -> None:
        rows = self.succeed("lifecycle", "list", "-f", "json").document

        self.assertEqual(
            [
                (f"orch-test-{number}", 100, "roots", "all", "60 s", "deny")
                for number in (1, 2, 3)
            ],
            [
                tuple(
                    row[key]
                    for key in (
                        *("Name", "Ordinal", "Scope", "Requests"),
                        *("Time limit", "Errors"),
                    )
                )
                for row in rows
            ],
        )


class OpenStackTests(OrchTests):
    """``openstack orch …``: the same commands, the same answers."""

    form = "openstack orch"


class TerminalTests(lifecycle.LifecycleTestCase, commanding.CommandTestCase):
    """A real process on a terminal waits for the answer."""

    def test_the_tree_tells_of_the_hold_until_it_is_approved(self) -> None:
        self.plugins.order(2, "pre", "hold", text=_FRIDAY)
        spawned = self.spawn(
            *("up", self.template(), "--name", self.name, "--wait-on-hold")
        )
        spawned.expect(f"HELD by orch-test-2: {_FRIDAY}")

        self.orch.lifecycle.approve(self.name)
        code, said = self.end(spawned)

        self.assertEqual(0, code, said)
        self.assertEqual(["a", "b"], self.names())


class ChildTests(lifecycle.LifecycleTestCase, commanding.CommandTestCase):
    """A stack in the stack is held."""

    each: typing.ClassVar[dict[str, object]] = {"scope": "every"}

    def test_the_stack_that_is_to_be_approved_is_told(self) -> None:
        self.plugins.order(2, "pre", "allow", stack=self.name)
        self.plugins.order(2, "pre", "hold", text=_FRIDAY)
        self.write("inner.yaml", _INNER)
        outer = str(self.write("outer.yaml", _OUTER))

        ended = self.run_command("up", outer, "--name", self.name)
        (held,) = self.orch.operations.list(self.name)
        shown = self.orch.operations.show(self.name, held.id)
        (inner,) = shown.open_holds
        self.succeed("stack", "approve", inner.stack.id)
        self.succeed("attach", self.name)

        self.assertEqual(12, ended.code, ended)
        self.assertIn(f"HELD by orch-test-2 at front: {_FRIDAY}", ended.out)
        self.assertIn(f"orch stack approve {inner.stack.id}", ended.err)
        self.assertEqual(("front",), inner.path)
        self.assertEqual("CREATE_COMPLETE", self.status(self.name))
