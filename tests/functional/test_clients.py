"""The clients of OpenStack, unmodified, work against ``orch-all``."""

import functools
import json
import os
import pathlib
import time

import openstack
from openstack import exceptions

from tests.support import forks
from tests.support import processes
from tests.support import serving

_TEMPLATE = """
heat_template_version: 2021-04-16
description: A value that a parameter decides
parameters:
  word: {type: string}
  again: {type: string, default: "1"}
  hidden: {type: string, hidden: true, default: s3cret}
resources:
  first:
    type: OS::Heat::Value
    properties:
      value: {get_param: word}
  second:
    type: OS::Heat::TestResource
    properties:
      value:
        list_join: ["-", [{get_attr: [first, value]}, {get_param: again}]]
outputs:
  joined:
    description: Both
    value: {get_attr: [second, output]}
  word:
    value: {get_attr: [first, value]}
  hidden:
    value: {get_param: hidden}
"""

_FAILS = """
heat_template_version: 2021-04-16
resources:
  broken:
    type: OS::Heat::TestResource
    properties: {fail: true}
"""


_SLOW_TO_CHANGE = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string}
  wait: {type: number, default: 0}
resources:
  slow:
    type: OS::Heat::TestResource
    properties:
      value: {get_param: word}
      action_wait_secs: {update: {get_param: wait}}
  random:
    type: OS::Heat::RandomString
"""


class Command(Exception):  # noqa: N818 - an answer, not a mistake of ours
    """The command ended with an exit code other than 0.

    :ivar stderr: what it said
    """

    def __init__(self, code: int, stderr: str) -> None:
        super().__init__(f"exit code {code}: {stderr}")
        self.stderr = stderr


def run_command(
    endpoint: str, directory: pathlib.Path, *arguments: str
) -> str:
    """Run ``openstack``; return what it wrote.

    :raises Command: it failed
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OS_")
    }
    done = processes.complete(
        (
            processes.find("openstack"),
            *("--os-auth-type", "none"),
            *("--os-endpoint", endpoint),
            *arguments,
        ),
        environment,
        timeout_s=90,
        launch=functools.partial(forks.clients().launch, directory=directory),
    )
    if done.code:
        raise Command(done.code, done.errors)
    return done.output


class CommandTestCase(serving.ProjectTestCase):
    """``openstack stack ...``, of python-heatclient.

    A run of the command takes a while, so each test is a walk rather than a
    step.
    """

    limit_s = 240

    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()

    def write(self, name: str, text: str) -> str:
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run_command(self, *arguments: str) -> str:
        return run_command(self.client.endpoint, self.directory, *arguments)

    def ask(self, *arguments: str) -> object:
        return json.loads(self.run_command(*arguments, "-f", "json"))

    def status(self, name: str) -> str:
        return self.ask("stack", "show", name)["stack_status"]

    def wait(self, name: str, status: str) -> None:
        limit = time.monotonic() + 30
        while (now := self.status(name)) != status:
            self.assertLess(time.monotonic(), limit, now)


class LifeTests(CommandTestCase):
    """Stacks from their beginning to their end."""

    def test_an_update_is_tried_out_before(self) -> None:
        self.run_command(
            *("stack", "create", "--wait", "--poll", "1"),
            *("-t", self.write("t.yaml", _TEMPLATE)),
            *("--parameter", "word=hello", "walk"),
        )

        found = self.ask(
            *("stack", "update", "--dry-run", "--existing"),
            *("--parameter", "again=2", "walk"),
        )

        self.assertEqual(
            {
                "added": [],
                "deleted": [],
                "replaced": [],
                "unchanged": ["first"],
                "updated": ["second"],
            },
            {
                kind: [each["resource_name"] for each in resources]
                for kind, resources in found.items()
            },
        )
        shown = self.ask("stack", "show", "walk")
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])

    def test_a_stack_lives_and_dies_by_the_command(self) -> None:
        self.run_command(
            *("stack", "create", "--wait", "--poll", "1"),
            *("-t", self.write("t.yaml", _TEMPLATE)),
            *("-e", self.write("e.yaml", "parameters: {again: two}")),
            *("--parameter", "word=hello"),
            "walk",
        )

        shown = self.ask("stack", "show", "walk")
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])
        self.assertEqual("hello", shown["parameters"]["word"])
        listed = self.ask("stack", "list")
        self.assertEqual(
            [("walk", "CREATE_COMPLETE")],
            [(row["Stack Name"], row["Stack Status"]) for row in listed],
        )
        outputs = self.ask("stack", "output", "show", "--all", "walk")
        self.assertEqual("hello-two", outputs["joined"]["output_value"])
        self.assertEqual("s3cret", outputs["hidden"]["output_value"])
        listed = self.ask("stack", "output", "list", "walk")
        self.assertEqual(
            {"joined", "word", "hidden"},
            {each["output_key"] for each in listed},
        )
        output = self.ask("stack", "output", "show", "walk", "hidden")
        self.assertEqual("s3cret", output["output_value"])
        resources = self.ask("stack", "resource", "list", "-n", "5", "walk")
        self.assertEqual(
            {"first": "CREATE_COMPLETE", "second": "CREATE_COMPLETE"},
            {
                row["resource_name"]: row["resource_status"]
                for row in resources
            },
        )
        events = self.ask("stack", "event", "list", "walk")
        self.assertEqual("CREATE_COMPLETE", events[-1]["resource_status"])
        self.assertEqual("walk", events[-1]["resource_name"])

        self.run_command("stack", "delete", "--yes", "--wait", "walk")

        self.assertEqual([], self.ask("stack", "list"))

    def test_a_stack_that_fails_ends_the_command_with_the_reason(
        self,
    ) -> None:
        failed = self.assertRaises(
            Command,
            self.run_command,
            *("stack", "create", "--wait", "--poll", "1"),
            *("-t", self.write("f.yaml", _FAILS)),
            "fails",
        )

        self.assertIn("CREATE_FAILED", failed.stderr)
        shown = self.ask("stack", "show", "fails")
        self.assertEqual("CREATE_FAILED", shown["stack_status"])
        self.assertIn("broken", shown["stack_status_reason"])

    def test_a_missing_parameter_is_named(self) -> None:
        refused = self.assertRaises(
            Command,
            self.run_command,
            *("stack", "create"),
            *("-t", self.write("t.yaml", _TEMPLATE)),
            "refused",
        )

        self.assertIn("word", refused.stderr)
        self.assertEqual([], self.ask("stack", "list"))


class StoredTests(CommandTestCase):
    """What is stored beside stacks."""

    def test_a_stack_goes_back_to_a_snapshot_by_the_command(self) -> None:
        self.run_command(
            *("stack", "create", "--wait", "--poll", "1"),
            *("-t", self.write("t.yaml", _TEMPLATE)),
            *("--parameter", "word=old", "walk"),
        )
        taken = self.ask("stack", "snapshot", "create", "--name", "s", "walk")
        self.wait("walk", "SNAPSHOT_COMPLETE")
        self.run_command(
            *("stack", "update", "--wait", "--existing"),
            *("--parameter", "word=new", "walk"),
        )

        listed = self.ask("stack", "snapshot", "list", "walk")
        shown = self.ask("stack", "snapshot", "show", "walk", taken["ID"])
        self.run_command("stack", "snapshot", "restore", "walk", taken["ID"])
        self.wait("walk", "RESTORE_COMPLETE")
        outputs = self.ask("stack", "output", "show", "--all", "walk")
        self.run_command(
            "stack", "snapshot", "delete", "--yes", "walk", taken["ID"]
        )

        self.assertEqual("IN_PROGRESS", taken["status"])
        self.assertEqual(
            [("s", "COMPLETE")],
            [(each["name"], each["status"]) for each in listed],
        )
        self.assertEqual(taken["ID"], shown["snapshot"]["id"])
        self.assertEqual("old", outputs["word"]["output_value"])
        self.assertEqual([], self.ask("stack", "snapshot", "list", "walk"))

    def test_software_is_deployed(self) -> None:
        script = self.write("run.sh", "#!/bin/sh\n")
        made = self.ask(
            *("software", "config", "create", "--config-file", script),
            *("--group", "script", "setup"),
        )
        config_id = made["id"]
        deployed = self.ask(
            *("software", "deployment", "create", "--server", "web"),
            *("--config", config_id, "--signal-transport", "NO_SIGNAL"),
            *("--action", "CREATE", "--input-value", "word=x", "50-setup"),
        )

        found = json.loads(
            self.run_command(
                "software", "deployment", "metadata", "show", "web"
            )
        )
        listed = self.ask("software", "deployment", "list", "--server", "web")
        shown = self.ask("software", "deployment", "show", deployed["id"])
        self.run_command("software", "deployment", "delete", deployed["id"])
        self.run_command("software", "config", "delete", config_id)

        self.assertEqual(
            [("50-setup", "script", "#!/bin/sh\n")],
            [(one["name"], one["group"], one["config"]) for one in found],
        )
        told = {one["name"]: one["value"] for one in found[0]["inputs"]}
        self.assertEqual(
            ("x", "CREATE"), (told["word"], told["deploy_action"])
        )
        self.assertEqual([deployed["id"]], [one["id"] for one in listed])
        self.assertEqual(
            ("web", "IN_PROGRESS"), (shown["server_id"], shown["status"])
        )
        self.assertEqual([], self.ask("software", "config", "list"))
        self.assertEqual([], self.ask("software", "deployment", "list"))


class ActionTests(CommandTestCase):
    """What is done to a stack that stands."""

    def test_actions_are_followed_to_their_end(self) -> None:
        template = self.write("slow.yaml", _SLOW_TO_CHANGE)
        self.run_command(
            *("stack", "create", "--wait", "--poll", "1", "-t", template),
            *("--parameter", "word=old", "walk"),
        )

        for action in ("suspend", "resume", "check"):
            self.run_command("stack", action, "--wait", "walk")
            self.assertEqual(f"{action.upper()}_COMPLETE", self.status("walk"))

        self.update_slowly("walk", "new")
        self.run_command("stack", "cancel", "--wait", "walk")
        self.assertEqual("ROLLBACK_COMPLETE", self.status("walk"))

        self.update_slowly("walk", "newer")
        self.assertRaises(
            Command,
            self.run_command,
            *("stack", "cancel", "--no-rollback", "--wait", "walk"),
        )
        self.assertEqual("UPDATE_FAILED", self.status("walk"))

    def update_slowly(self, name: str, word: str) -> None:
        self.run_command(
            *("stack", "update", "--existing", "--parameter", f"word={word}"),
            *("--parameter", "wait=600", name),
        )

    def test_what_is_marked_unhealthy_is_replaced(self) -> None:
        template = self.write("slow.yaml", _SLOW_TO_CHANGE)
        given = ("-t", template, "--parameter", "word=old", "marked")
        self.run_command("stack", "create", "--wait", "--poll", "1", *given)

        self.run_command(
            *("stack", "resource", "mark", "unhealthy"),
            *("marked", "random", "out of luck"),
        )

        show = ("stack", "resource", "show", "marked", "random")
        before = self.ask(*show)
        self.assertEqual("CHECK_FAILED", before["resource_status"])
        self.assertEqual("out of luck", before["resource_status_reason"])
        self.run_command("stack", "update", "--wait", *given)
        after = self.ask(*show)
        self.assertEqual("CREATE_COMPLETE", after["resource_status"])
        self.assertNotEqual(
            before["physical_resource_id"], after["physical_resource_id"]
        )


class BreakpointTests(CommandTestCase):
    """Resources that wait to be let go."""

    def test_breakpoints_are_found_and_cleared(self) -> None:
        template = self.write("t.yaml", _TEMPLATE)
        given = ("-t", template, "--parameter", "word=hello", "held")
        self.run_command("stack", "create", "--pre-create", "fi*", *given)

        self.check_held("pre-create", "first")
        self.run_command("stack", "hook", "clear", "held", "first")
        self.run_command("stack", "update", "--wait", *given)
        again = (*given[:-2], "word=bye", "held")
        self.run_command("stack", "update", "--pre-update", "second", *again)
        self.check_held("pre-update", "second")
        self.run_command("stack", "hook", "clear", "held", "sec*")
        self.wait("held", "UPDATE_COMPLETE")

        output = self.ask("stack", "output", "show", "held", "joined")
        self.assertEqual("bye-1", output["output_value"])

    def check_held(self, hook: str, name: str) -> None:
        """Check that one resource waits, as the command sees it."""
        action = hook.partition("-")[2].upper()
        limit = time.monotonic() + 30
        found: list[dict[str, str]] = []
        while not found:
            self.assertLess(time.monotonic(), limit, "nothing is held")
            found = self.ask("stack", "hook", "poll", "held")
        self.assertEqual(
            [(name, f"{action} paused until Hook {hook} is cleared")],
            [
                (each["Resource Name"], each["Resource Status Reason"])
                for each in found
            ],
        )


class SdkTests(serving.ProjectTestCase):
    """openstacksdk's orchestration proxy."""

    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        connection = openstack.connect(
            load_yaml_config=False,
            load_envvars=False,
            auth_type="none",
            auth={"endpoint": self.client.endpoint},
            orchestration_endpoint_override=self.client.endpoint,
        )
        self.addCleanup(connection.close)
        self.proxy = connection.orchestration

    def create(self, name: str) -> object:
        return self.proxy.create_stack(
            name=name, template=_TEMPLATE, parameters={"word": "hello"}
        )

    def test_a_stack_is_made_found_and_read(self) -> None:
        made = self.create("sdk")
        self.proxy.wait_for_status(
            made, "CREATE_COMPLETE", ["CREATE_FAILED"], interval=0.2, wait=60
        )

        found = self.proxy.find_stack("sdk", ignore_missing=False)
        self.assertEqual(made.id, found.id)
        self.assertEqual(["sdk"], [each.name for each in self.proxy.stacks()])
        shown = self.proxy.get_stack(found.id)
        self.assertEqual(
            {"joined": "hello-1", "word": "hello", "hidden": "s3cret"},
            {
                each["output_key"]: each["output_value"]
                for each in shown.outputs
            },
        )
        self.assertEqual(
            {"first", "second"},
            {each.name for each in self.proxy.resources(shown)},
        )
        template = self.proxy.get_stack_template(shown)
        self.assertIn("first", template.resources)

    def test_a_deleted_stack_is_no_longer_found(self) -> None:
        made = self.create("gone")
        self.proxy.wait_for_status(
            made, "CREATE_COMPLETE", ["CREATE_FAILED"], interval=0.2, wait=60
        )

        self.proxy.delete_stack(made)
        self.proxy.wait_for_delete(made, interval=0.2, wait=60)

        self.assertIsNone(self.proxy.find_stack("gone"))

    def test_a_template_is_validated(self) -> None:
        answer = self.proxy.validate_template(_TEMPLATE)

        self.assertIn("word", answer["Parameters"])

    def test_a_broken_template_is_refused(self) -> None:
        self.assertRaises(
            exceptions.BadRequestException,
            self.proxy.create_stack,
            name="refused",
            template="heat_template_version: 2021-04-16\nresources: [1]",
        )
