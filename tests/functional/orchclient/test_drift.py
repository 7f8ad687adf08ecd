"""Drift: by the library and by the commands, with files on this machine."""

import json
import pathlib

import yaml

from orchclient import errors
from orchclient import models
from orchclient import packaging
from tests.functional.orchclient import commanding
from tests.functional.orchclient import connecting

_INNER = """
heat_template_version: 2021-04-16
parameters:
  path: {type: string}
resources:
  deep:
    type: Orch::Local::File
    properties: {path: {get_param: path}, content: "deep\\n"}
"""
_OUTER = """
heat_template_version: 2021-04-16
resources:
  key: {type: OS::Heat::RandomString}
  page:
    type: Orch::Local::File
    properties:
      path: PLACE/page
      content: "one\\ntwo\\n"
      mode: "0600"
  web:
    type: inner.yaml
    properties: {path: PLACE/deep}
"""


class FilesTestCase(connecting.ClientTestCase):
    """A stack of two files, one of them in a stack in the stack."""

    def setUp(self) -> None:
        super().setUp()
        self.write("inner.yaml", _INNER)
        text = _OUTER.replace("PLACE", self.name)
        self.source = str(self.write("template.yaml", text))

    def place(self, name: str) -> pathlib.Path:
        return self.system.root / self.name / name

    def make(self) -> models.StackIdentity:
        package = packaging.collect_package(self.source)
        stack = self.orch.stacks.create(self.name, package)
        self.wait(stack)
        return stack


class LibraryTests(FilesTestCase):
    def test_dg3_a_look_tells_property_by_property(self) -> None:
        stack = self.make()
        never = self.orch.drift.show(stack)
        self.place("deep").write_text("other\n")
        self.place("page").chmod(0o644)

        found = self.orch.drift.refresh(stack, interval_s=0.05, timeout_s=30)

        self.assertEqual(("unknown", None), (never.state, never.observed_at))
        self.assertEqual(("drifted", 100), (found.state, found.coverage))
        self.assertEqual(
            {"drifted": 2, "nothing": 2, "in_sync": 0, "unknown": 0},
            found.counts,
        )
        self.assertEqual(
            {
                "page": [("mode", "0600", "0644")],
                "web/deep": [("content", "deep\n", "other\n")],
            },
            {
                thing.path: [
                    (each.property, each.expected, each.live)
                    for each in thing.differences
                ]
                for thing in found.resources
                if thing.differences
            },
        )
        shown = self.orch.stacks.show(stack).drift
        assert shown is not None
        self.assertEqual(("drifted", 2), (shown.state, shown.drifted))

    def test_what_has_not_drifted_cannot_be_accepted(self) -> None:
        stack = self.make()
        self.orch.drift.refresh(stack, interval_s=0.05, timeout_s=30)

        self.assertEqual((), self.orch.drift.accept(stack))
        self.assertRaises(
            errors.BadRequestError, self.orch.drift.accept, stack, ["page"]
        )

    def test_a_policy_that_makes_no_sense_is_refused(self) -> None:
        stack = self.make()

        self.assertRaises(
            errors.BadRequestError,
            self.orch.drift.set_policy,
            stack,
            {"stack": "forgive"},
        )


class OrchTests(FilesTestCase, commanding.CommandTestCase):
    """``orch drift …``."""

    def look(self, code: int, *words: str) -> commanding.Ended:
        ended = self.run_command("drift", self.name, "--refresh", *words)
        self.assertEqual(code, ended.code, ended)
        return ended

    def test_dg7_in_sync_drifted_and_unknown_have_codes(self) -> None:
        self.make()

        unknown = self.run_command("drift", self.name)
        in_sync = self.look(0)
        self.place("page").write_text("one\n2\n")
        stored = self.run_command("drift", self.name)
        drifted = self.look(13)

        self.assertEqual(14, unknown.code, unknown)
        self.assertIn("never observed (--refresh does)", unknown.out)
        self.assertRegex(
            in_sync.out,
            rf"^{self.name}: in sync; as seen \d+ s ago; 2 in sync",
        )
        self.assertIn("= deep (Orch::Local::File)\n", in_sync.out)
        self.assertEqual(0, stored.code, stored)
        self.assertRegex(
            drifted.out,
            r"  ~ page \(Orch::Local::File\); since [-0-9TZ:]+; policy report"
            r"\n      content:\n        @@ -1,2 \+1,2 @@\n          one"
            r"\n        - two\n        \+ 2\n",
        )
        self.assertNotIn("\x1b", drifted.out)
        self.assertIn(
            f"{self.form} stack update --converge {self.name}", drifted.err
        )

    def test_programs_get_the_report(self) -> None:
        self.make()
        self.place("deep").unlink()

        ended = self.look(13, "-f", "json", "--state", "drifted")

        document = json.loads(ended.out)
        self.assertEqual("drifted", document["state"])
        (thing,) = [
            thing
            for stack in document["stacks"]
            for thing in stack["resources"]
        ]
        self.assertEqual(
            ("web/deep", True), (thing["path"], thing["is_vanished"])
        )
        self.assertEqual("", ended.err)

    def test_the_observer_is_paused_and_resumed(self) -> None:
        self.make()

        paused = self.run_command("drift", "pause")
        shown = self.run_command("drift", self.name)
        of_all = self.run_command("drift", "pause", "--all-projects")
        still = self.run_command("drift", "resume")
        resumed = self.run_command("drift", "resume", "--all-projects")

        for each in (paused, shown, of_all, still):
            self.assertIn("The observer is paused since 2", each.out, each)
        self.assertNotIn("all projects", paused.err)
        self.assertIn("paused for all projects", still.err)
        self.assertEqual("The observer is not paused.\n", resumed.out)
        self.assertFalse(self.orch.drift.find_pause().is_of_all)

    def test_a_strict_update_fails_where_a_file_cannot_be_read(self) -> None:
        self.make()
        self.place("page").write_bytes(b"\xff")

        ended = self.run_command(
            "stack", "update", "--converge-strict", self.name
        )

        self.assertEqual(3, ended.code, ended)
        self.assertIn("page", ended.out + ended.err)
        self.assertEqual(b"\xff", self.place("page").read_bytes())

    def test_d1_d4_an_update_with_converge_puts_all_back(self) -> None:
        self.make()
        self.place("page").write_text("other\n")
        self.place("deep").unlink()
        vanished = self.look(13)

        plan = self.succeed(
            "plan", "--existing-template", "--converge", self.name
        )
        self.succeed("stack", "update", "--converge", self.name)

        self.assertIn("- deep (Orch::Local::File); vanished", vanished.out)
        self.assertIn('content: "other\\n" -> "one\\ntwo\\n"', plan.out)
        self.assertEqual("one\ntwo\n", self.place("page").read_text())
        self.assertEqual("deep\n", self.place("deep").read_text())
        self.look(0)
        again = self.succeed(
            "plan", "--existing-template", "--converge", self.name
        )
        self.assertIn("Nothing to do.", again.out)

    def test_what_cannot_be_read_is_a_warning_of_the_plan(self) -> None:
        self.make()
        self.place("page").write_bytes(b"\xff")
        unknown = self.look(14)

        plan = self.succeed(
            "plan", "--existing-template", "--converge", self.name
        )

        self.assertIn("? page (Orch::Local::File); unknown: ", unknown.out)
        self.assertIn("! page could not be read, ", plan.out)
        self.assertIn("no UTF-8", plan.out)

    def test_what_is_accepted_has_not_drifted(self) -> None:
        self.make()
        self.place("page").write_text("other\n")
        self.look(13)

        accepted = self.succeed("drift", "accept", self.name, "page")

        self.assertEqual("page\n", accepted.out)
        self.look(0)
        nothing = self.succeed("drift", "accept", self.name)
        self.assertIn("Nothing that was seen has drifted", nothing.err)

    def test_a_property_is_accepted_by_its_name(self) -> None:
        self.make()
        self.place("page").write_text("other\n")
        self.look(13)

        refused = self.run_command(
            "drift", "accept", self.name, "page:content.x"
        )
        accepted = self.succeed("drift", "accept", self.name, "page:content")

        self.assertEqual(7, refused.code, refused.err)
        self.assertIn("no drift of page: content.x", refused.err)
        self.assertEqual("page\n", accepted.out)
        self.look(0)

    def test_an_acceptance_is_undone_and_the_history_tells_it(self) -> None:
        self.make()
        self.place("page").write_text("other\n")
        self.look(13)
        self.succeed("drift", "accept", self.name, "page")

        undone = self.succeed("drift", "undo-accept", self.name, "page")

        self.assertEqual("page\n", undone.out)
        self.look(13)
        nothing = self.succeed("drift", "undo-accept", self.name)
        self.assertIn("no acceptance that can be undone", nothing.err)
        listed = self.succeed("drift", "history", self.name, "-f", "json")
        (entry,) = json.loads(listed.out)
        self.assertEqual(
            ("page", "content", "request", "(lasts)"),
            tuple(
                entry[each]
                for each in ("Resource", "Property", "Found by", "Ended by")
            ),
        )

    def test_a_template_that_wants_it_makes_the_plan_empty(self) -> None:
        self.make()
        self.place("page").write_text("other\n")
        self.place("deep").write_text("inner\n")
        self.look(13)

        told = self.succeed("drift", "template", self.name)

        page = yaml.safe_load(told.out)["resources"]["page"]
        self.assertEqual("other\n", page["properties"]["content"])
        self.assertIn("Left out: web/deep", told.err)
        self.place("deep").write_text("deep\n")
        path = str(self.write("wanted.yaml", told.out))
        plan = self.succeed("plan", path, "--name", self.name, "--converge")
        self.assertIn("Nothing to do.", plan.out)

    def test_a_policy_is_shown_and_said_anew(self) -> None:
        self.make()
        words = ("drift", "policy", self.name)

        self.succeed(*words, "--set", "repair", "--resource", "web/*=report")
        self.succeed(
            *words, "--property", "page:mode=ignore", "--resource", "web/*="
        )
        said = self.succeed(*words, "-f", "json").document
        self.place("page").chmod(0o644)
        self.look(0)
        path = self.write("policy.yaml", "stack: adopt\n")
        self.succeed(*words, "--file", str(path))

        self.assertEqual(
            {
                "stack": "repair",
                "resources": {"page": {"properties": {"mode": "ignore"}}},
            },
            said,
        )
        (adopt,) = self.look(13).out.splitlines()[1:2]
        self.assertIn("policy adopt", adopt)

    def test_what_makes_no_sense_is_refused(self) -> None:
        self.make()
        for words in (
            ("--resource", "page"),
            ("--resource", "page=forgive"),
            ("--property", "page=ignore"),
            ("--file", str(self.directory / "none")),
        ):
            ended = self.run_command("drift", "policy", self.name, *words)
            self.assertEqual(2, ended.code, ended)
        missing = self.run_command("drift", "nosuch")
        self.assertEqual(5, missing.code, missing)

    def test_the_summary_is_in_what_is_shown_of_the_stack(self) -> None:
        self.make()
        self.look(0)

        shown = self.succeed("stack", "show", self.name, "-f", "json").document

        self.assertEqual(
            ("in_sync", 0, 100),
            tuple(
                shown["drift"][key] for key in ("state", "drifted", "coverage")
            ),
        )


class OpenStackTests(OrchTests):
    """``openstack orch drift …``: the same commands, the same answers."""

    form = "openstack orch"


class TerminalTests(FilesTestCase, commanding.CommandTestCase):
    def test_expected_is_red_and_live_green(self) -> None:
        self.make()
        self.place("page").chmod(0o644)

        code, said = self.end(self.spawn("drift", self.name, "--refresh"))

        self.assertEqual(13, code, said)
        self.assertIn('\x1b[31m        - "0600"', said)
        self.assertIn('\x1b[32m        + "0644"', said)
