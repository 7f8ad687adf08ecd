"""The commands that read, signal and store, in both forms."""

import json
import pathlib
import re
import typing

import yaml

from tests.functional.orchclient import commanding
from tests.support import waiting

_VERSION = "heat_template_version: 2021-04-16\n"
_INNER = f"""{_VERSION}
resources:
  c: {{type: Test::World::Thing}}
"""
_OUTER = f"""{_VERSION}
resources:
  front: {{type: inner.yaml}}
"""
_LINKED = f"""{_VERSION}
resources:
  a: {{type: Test::World::Linked, properties: {{label: l}}}}
"""
_TEXTS = f"""{_VERSION}
parameters:
  secret: {{type: string, hidden: true, default: hunter2}}
resources:
  a:
    type: Test::World::Thing
    metadata: {{told: here}}
    properties: {{value: {{get_file: notes.txt}}}}
outputs:
  text: {{value: {{get_attr: [a, value]}}}}
  map: {{value: {{id: 1}}}}
"""
_WAITING = f"""{_VERSION}
resources:
  handle: {{type: OS::Heat::WaitConditionHandle}}
  wait:
    type: OS::Heat::WaitCondition
    properties: {{handle: {{get_resource: handle}}, timeout: 60}}
outputs:
  said: {{value: {{get_attr: [wait, data]}}}}
"""
_HOOKS = {"resource_registry": {"resources": {"b": {"hooks": "pre-create"}}}}


class OrchTests(commanding.CommandTestCase):
    """``orch …``."""

    def up(self, text: str = commanding.WAITS, *words: str) -> None:
        self.succeed("up", self.template(text), "--name", self.name, *words)

    def rows(self, *words: str) -> list[dict[str, object]]:
        found = self.succeed(*words, "-f", "json").document
        assert isinstance(found, list)
        return found

    def test_what_a_stack_was_made_of(self) -> None:
        self.write("notes.txt", "one\ntwo\n")
        self.up(_TEXTS)

        shown = self.succeed("stack", "template", "show", self.name)
        files = self.succeed("stack", "file", "list", self.name)
        environment = self.succeed(
            "stack", "environment", "show", self.name, "-f", "json"
        )

        self.assertEqual(
            "Test::World::Thing",
            yaml.safe_load(shown.out)["resources"]["a"]["type"],
        )
        self.assertEqual("notes.txt: |\n  one\n  two\n", files.out)
        self.assertIn("parameters", environment.document)
        self.assertNotIn("hunter2", environment.out)

    def test_outputs_are_written_as_they_are(self) -> None:
        self.write("notes.txt", "one\ntwo")
        self.up(_TEXTS)
        show = ("stack", "output", "show", self.name)

        self.assertEqual("one\ntwo\n", self.succeed(*show, "text").out)
        self.assertEqual({"id": 1}, self.succeed(*show, "map").document)
        self.assertEqual(5, self.run_command(*show, "none").code)

    def test_resources_are_shown_down_the_tree(self) -> None:
        self.write("inner.yaml", _INNER)
        self.up(_OUTER)

        shown = self.succeed(
            *("stack", "resource", "show", self.name, "front/c"),
            *("-f", "json"),
        ).document

        self.assertEqual("c", shown["name"])
        self.assertEqual("Test::World::Thing", shown["type"])
        self.assertEqual("CREATE_COMPLETE", shown["status"])
        self.assertIn("label", shown["attributes"])
        wrong = self.run_command(
            "stack", "resource", "show", self.name, "front/c/d"
        )
        self.assertEqual(2, wrong.code, wrong)
        self.assertIn("is no stack", wrong.err)

    def test_metadata_is_written(self) -> None:
        self.write("notes.txt", "")
        self.up(_TEXTS)

        ended = self.succeed("stack", "resource", "metadata", self.name, "a")

        self.assertEqual("told: here\n", ended.out)

    def test_a_signal_lets_a_stack_go_on(self) -> None:
        self.up(_WAITING, "--detach")
        data = {"status": "SUCCESS", "id": "x", "data": "done"}
        signal = ("stack", "resource", "signal", self.name, "handle")
        wrong = self.run_command(*signal, "--data", "{")
        self.assertEqual(2, wrong.code, wrong)

        self.wait_for_resource("handle", "CREATE_COMPLETE")
        self.succeed(*signal, "--data", json.dumps(data))

        self.succeed("attach", self.name)
        ended = self.succeed("stack", "output", "show", self.name, "said")
        self.assertIn("done", ended.out)

    def test_what_is_unwell_is_replaced(self) -> None:
        self.up()
        mark = ("stack", "resource", "mark", "unhealthy", self.name, "b")

        self.succeed(*mark, "it smells")
        [row] = [
            each
            for each in self.rows("stack", "resource", "list", self.name)
            if each["Resource"] == "b"
        ]
        self.assertEqual(
            ("CHECK_FAILED", "it smells"), (row["Status"], row["Reason"])
        )
        self.succeed(*mark, "--reset")
        self.succeed("stack", "update", "--existing", self.name)
        self.assertEqual(["a", "b"], self.acts("create"))

        self.succeed(*mark)
        self.succeed("stack", "update", "--existing", self.name)
        self.assertEqual(["a", "b", "b"], self.acts("create"))

    def test_a_hook_is_seen_and_cleared(self) -> None:
        hooks = str(self.write("hooks.json", json.dumps(_HOOKS)))
        self.up(commanding.WAITS, "-e", hooks, "--detach")
        poll = ("stack", "hook", "poll", self.name)

        waiting.wait_for(lambda: self.rows(*poll) != [], "the hook is reached")
        [row] = self.rows(*poll)
        self.assertEqual(("b", "pre-create"), (row["Resource"], row["Hook"]))
        self.succeed("stack", "hook", "clear", self.name, "b", "pre-create")

        self.succeed("attach", self.name)
        self.assertEqual([], self.rows(*poll))
        self.assertEqual(["a", "b"], self.names())

    def test_events_are_listed_and_shown(self) -> None:
        self.up()
        listing = ("stack", "event", "list", self.name)

        rows = self.rows(*listing, "--resource", "b")
        self.assertEqual(
            ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"],
            [each["Status"] for each in rows],
        )
        [newest] = self.rows(*listing, "--newest-first", "--limit", "1")
        self.assertEqual(self.name, newest["Resource"])
        after = self.rows(*listing, "--after", str(rows[0]["ID"]))
        self.assertIn(rows[1]["ID"], [each["ID"] for each in after])
        self.assertNotIn(rows[0]["ID"], [each["ID"] for each in after])

        shown = self.succeed(
            *("stack", "event", "show", self.name, "b"),
            *(str(rows[1]["ID"]), "-f", "json"),
        ).document
        self.assertEqual("Test::World::Thing", shown["type"])
        self.assertIn("label", shown["properties"])

    def test_failures_are_listed_with_their_lines(self) -> None:
        self.write("inner.yaml", _INNER)
        self.fail_once("create", "c")
        self.run_command("up", self.template(_OUTER), "--name", self.name)

        [row] = self.rows("stack", "failures", "list", self.name)

        self.assertEqual(
            ("front/c", "CREATE", "inner.yaml:4"),
            (row["Resource"], row["Action"], row["Declared at"]),
        )
        self.succeed("retry", self.name)
        self.assertEqual([], self.rows("stack", "failures", "list", self.name))

    def test_the_line_of_the_outermost_template_is_known_later(self) -> None:
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before", times=2
        )
        template = self.template()
        first = self.run_command("up", template, "--name", self.name)
        self.assertIn(f"b (Test::World::Thing) at {template}:7", first.err)

        # Who has sent nothing has it from the service.
        again = self.run_command("retry", self.name)

        self.assertEqual(3, again.code, again)
        self.assertIn("b (Test::World::Thing) at template:7", again.err)

    def test_a_template_of_things_is_adopted(self) -> None:
        self.up(_LINKED)
        [thing] = self.world.physical_resources(self.name)
        self.succeed("stack", "abandon", "-y", self.name, "-o", "/dev/null")
        data = str(self.directory / "data.json")

        ended = self.succeed(
            *("stack", "generate", "--data", data),
            *("--physical-resource", f"mine=Test::World::Linked/{thing.id}"),
        )

        self.assertEqual({"mine"}, set(yaml.safe_load(ended.out)["resources"]))
        self.succeed("stack", "adopt", self.name, data)
        self.assertEqual("ADOPT_COMPLETE", self.status(self.name))
        self.assertEqual(["a"], self.acts("create"))
        for wrong in (
            (),
            ("--physical-resource", "Test::World::Linked"),
            ("--list", "Test::World::Linked,what=x"),
        ):
            ended = self.run_command("stack", "generate", *wrong)
            self.assertEqual(2, ended.code, ended)

    def test_snapshots_are_shown(self) -> None:
        self.up()
        self.succeed("stack", "snapshot", "create", self.name)
        [row] = self.rows("stack", "snapshot", "list", self.name)

        shown = self.succeed(
            *("stack", "snapshot", "show", self.name, str(row["ID"])),
            *("-f", "json"),
        ).document

        self.assertEqual("COMPLETE", shown["state"])
        self.assertEqual({"a", "b"}, set(shown["data"]["resources"]))

    def test_a_restore_is_retried(self) -> None:
        self.up()
        self.succeed("stack", "snapshot", "create", self.name)
        [row] = self.rows("stack", "snapshot", "list", self.name)
        self.succeed(
            *("stack", "update", "--existing", "-P", "label=n", self.name)
        )
        restore = ("stack", "snapshot", "restore")
        self.fail_once("update", "b")
        ended = self.run_command(*restore, self.name, str(row["ID"]))
        self.assertEqual(3, ended.code, ended)

        ended = self.succeed(*restore, "--retry", self.name, str(row["ID"]))

        self.assertIn("attempt 2", ended.out)
        self.assertEqual("RESTORE_COMPLETE", self.status(self.name))

    def test_people_get_maps_in_lines(self) -> None:
        self.up(commanding.WAITS, "-P", "label=one")

        shown = self.succeed("stack", "show", self.name)

        self.assertRegex(shown.out, r"\| parameters +\| .*OS::project_id: ")
        self.assertRegex(shown.out, r"\n\| +\| label: one ")

    def test_a_comparison_may_be_asked_for(self) -> None:
        self.up()

        self.succeed(
            *("stack", "update", "--existing", "--converge", self.name)
        )

        self.succeed("up", self.template(), "--name", self.name, "--converge")
        ended = self.run_command(
            *("stack", "update", "--retry", self.name),
            *("--files-container", "c"),
        )
        self.assertEqual(2, ended.code, ended)

    def test_a_retry_leaves_out_by_path_and_compares(self) -> None:
        self.write("inner.yaml", _INNER)
        self.world.order(
            self.name, "create", "c", how="permanent", moment="before"
        )
        self.run_command("up", self.template(_OUTER), "--name", self.name)

        ended = self.succeed(
            "retry", "--converge", "--skip", "front/c", self.name
        )

        self.assertIn("started again, attempt 2", ended.out)
        self.assertIn("completed, left out: front/c", ended.out)
        latest = self.orch.operations.find_latest(self.name)
        assert latest is not None
        self.assertEqual(("front/c",), latest.skip)

    def test_a_retry_of_another_action_suggests_the_retry(self) -> None:
        self.fail_once("create", "b")
        self.run_command("up", self.template(), "--name", self.name)

        ended = self.run_command("stack", "update", "--retry", self.name)

        self.assertEqual(6, ended.code, ended)
        self.assertIn(f"orch retry {self.name}", ended.err)
        self.assertNotIn("attach", ended.err)

    def test_a_creation_compares_in_its_retry_only(self) -> None:
        ended = self.run_command(
            *("stack", "create", "--converge"),
            *("-t", self.template(), self.name),
        )

        self.assertEqual(2, ended.code, ended)

    def test_a_container_is_asked_for_instead_of_files(self) -> None:
        # Files that it includes are not looked for here.
        ended = self.run_command(
            *("stack", "create", "-t", self.template(_OUTER)),
            *("-s", "c", "-e", "there.yaml", self.name),
        )

        self.assertEqual(7, ended.code, ended)
        self.assertIn("auth in [api] to keystone", ended.err)

    def test_a_file_of_secrets_may_be_a_pipe(self) -> None:
        self.up()
        null = pathlib.Path("/dev/null")
        mode = null.stat().st_mode

        self.succeed("stack", "export", self.name, "-o", str(null))

        self.assertEqual(mode, null.stat().st_mode)

    def test_the_language_is_told(self) -> None:
        template = self.template()
        validate = ("template", "validate")

        told = self.succeed(*validate, template, "-f", "json").document
        self.assertEqual({"label"}, set(told["Parameters"]))
        wrong = str(self.write("wrong.yaml", _INNER.replace("Thing", "Thin")))
        ended = self.run_command(*validate, wrong)
        self.assertEqual(7, ended.code, ended)
        self.assertIn(f"{wrong}:4", ended.err)
        names = {
            each["Version"]
            for each in self.rows("template", "version", "list")
        }
        self.assertIn("heat_template_version.2021-04-16", names)
        functions = self.rows(
            "template", "function", "list", "heat_template_version.2021-04-16"
        )
        self.assertIn("get_attr", {each["Function"] for each in functions})

    def test_types_are_told(self) -> None:
        rows = self.rows("resource", "type", "list", "--name", "Test::World")
        self.assertIn({"Type": "Test::World::Thing"}, rows)
        show = ("resource", "type", "show", "Test::World::Thing")
        self.assertIn(
            "label", yaml.safe_load(self.succeed(*show).out)["properties"]
        )
        made = yaml.safe_load(self.succeed(*show, "--template", "hot").out)
        self.assertIn("heat_template_version", made)

    def test_the_service_is_told(self) -> None:
        [row, *_] = self.rows("service", "list")
        self.assertEqual(("orch-engine", "up"), (row["Binary"], row["State"]))
        shown = self.succeed("build", "info", "-f", "json").document
        self.assertEqual({"api", "engine"}, set(shown))

    def test_software(self) -> None:
        config = ("software", "config")
        script = str(self.write("run.sh", "#!/bin/sh\necho a\n"))
        defined = str(self.write("io.yaml", "inputs: [{name: i}]\n"))
        made = self.succeed(
            *(*config, "create", "c", "--group", "script"),
            *("--config-file", script, "--definition-file", defined),
            *("-f", "json"),
        ).document
        self.assertEqual(["i"], [each["name"] for each in made["inputs"]])
        self.assertIn(
            made["id"], [each["ID"] for each in self.rows(*config, "list")]
        )
        shown = self.succeed(*config, "show", made["id"], "--config-only")
        self.assertEqual("#!/bin/sh\necho a\n\n", shown.out)

        server = f"server-{self.name}"
        done = self.orch.software_deployments.create(
            made["id"], server, action="CREATE", status="IN_PROGRESS"
        )
        self.orch.software_deployments.update(
            done.id, status="COMPLETE", output_values={"o": "said"}
        )
        deployment = ("software", "deployment")
        [row] = self.rows(*deployment, "list", "--server", server)
        self.assertEqual((done.id, "COMPLETE"), (row["ID"], row["State"]))
        shown = self.succeed(*deployment, "show", done.id)
        self.assertEqual(
            {"o": "said"}, yaml.safe_load(shown.out)["output_values"]
        )
        output = (*deployment, "output", "show", done.id)
        self.assertEqual("said\n", self.succeed(*output, "o").out)
        self.assertEqual({"o": "said"}, self.succeed(*output).document)
        self.assertEqual(2, self.run_command(*output, "p").code)
        metadata = self.succeed(*deployment, "metadata", "show", server)
        self.assertEqual(
            "#!/bin/sh\necho a\n", yaml.safe_load(metadata.out)[0]["config"]
        )
        self.assertEqual(
            7, self.run_command(*config, "delete", made["id"]).code
        )
        self.succeed(*deployment, "delete", done.id)
        self.succeed(*config, "delete", made["id"])
        self.assertEqual(5, self.run_command(*config, "show", made["id"]).code)

    def test_software_is_deployed_with_values(self) -> None:
        config, deployment = ("software", "config"), ("software", "deployment")
        defined = str(
            self.write(
                "io.yaml",
                "inputs: [{name: a, default: x}, {name: b}]\n"
                "outputs: [{name: o}]\noptions: {mode: fast}\n",
            )
        )
        script = str(self.write("run.sh", "#!/bin/sh\n"))
        source = self.succeed(
            *(*config, "create", "c", "--group", "script", "-f", "json"),
            *("--config-file", script, "--definition-file", defined),
        ).document["id"]
        server = f"server-{self.name}"

        made = self.succeed(
            *(*deployment, "create", "d", "--server", server),
            *("--config", source, "--signal-transport", "NO_SIGNAL"),
            *("--input-value", "b=two=2", "--input-value", "more=3"),
            *("--action", "CREATE", "-f", "json"),
        ).document

        self.assertEqual(
            (server, "CREATE", "COMPLETE"),
            (made["server_id"], made["action"], made["state"]),
        )
        (told,) = self.orch.software_deployments.metadata(server)
        inputs = typing.cast(list[dict[str, object]], told["inputs"])
        self.assertEqual(
            [
                ("a", "x"),
                ("b", "two=2"),
                ("more", "3"),
                ("deploy_server_id", server),
                ("deploy_action", "CREATE"),
                ("deploy_signal_transport", "NO_SIGNAL"),
            ],
            [(each["name"], each["value"]) for each in inputs],
        )
        self.assertEqual(
            ("d", "script", "#!/bin/sh\n", {"mode": "fast"}),
            tuple(told[key] for key in ("name", "group", "config", "options")),
        )
        derived = made["config_id"]
        self.assertNotEqual(source, derived)
        self.succeed(*deployment, "delete", made["id"])
        self.assertEqual(5, self.run_command(*config, "show", derived).code)
        self.succeed(*config, "delete", source)

    def test_software_that_cannot_be_deployed_leaves_nothing(self) -> None:
        before = self.orch.software_configs.list()
        create = ("software", "deployment", "create", "d", "--server", "s")
        quiet = ("--signal-transport", "NO_SIGNAL")
        for words, code in (
            ((*quiet, "--config", "nowhere"), 5),
            ((*quiet, "--input-value", "alone"), 2),
            # Nobody has logged in to a cloud with an object store.
            ((), 8),
            # The server has no action of so many letters.
            ((*quiet, "--action", "x" * 300), 7),
        ):
            ended = self.run_command(*create, *words)
            self.assertEqual(code, ended.code, (words, ended))
        self.assertEqual(before, self.orch.software_configs.list())

    def wait_for_resource(self, name: str, status: str) -> None:
        waiting.wait_for(
            lambda: (
                str(self.orch.resources.show(self.name, name).status) == status
            ),
            f"{name} is {status}",
        )


class OpenStackTests(OrchTests):
    """``openstack orch …``."""

    form = "openstack orch"


class HelpTests(commanding.CommandTestCase):
    def test_each_command_has_help(self) -> None:
        told = self.run_command("help").out
        names = re.findall(r"^  ([a-z][a-z -]*?)  ", told, re.MULTILINE)
        self.assertIn("stack resource mark unhealthy", names)
        for name in names:
            ended = self.run_command("help", *name.split())
            self.assertEqual(0, ended.code, name)
            self.assertIn("usage: orch", ended.out, name)

    def test_other_shells_have_completion(self) -> None:
        for shell, wanted in (
            ("zsh", r"':stack_create' '[^']*--retry"),
            ("fish", r"case ':stack_create'\n +echo '[^']*--retry"),
        ):
            ended = self.succeed("complete", "--shell", shell)
            self.assertRegex(ended.out, wanted)
