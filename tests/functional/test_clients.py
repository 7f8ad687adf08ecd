"""The clients of OpenStack, unmodified, work against ``orch-all``."""

import json
import os
import pathlib
import subprocess
import sys

import openstack
from openstack import exceptions

from tests import base
from tests.support import running

_TEMPLATE = """
heat_template_version: 2021-04-16
description: A value that a parameter decides
parameters:
  word: {type: string}
  again: {type: string, default: "1"}
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
"""

_FAILS = """
heat_template_version: 2021-04-16
resources:
  broken:
    type: OS::Heat::TestResource
    properties: {fail: true}
"""


class Command(Exception):  # noqa: N818 - an answer, not a mistake of ours
    """The command ended with an exit code other than 0.

    :ivar stderr: what it said
    """

    def __init__(self, code: int, stderr: str) -> None:
        super().__init__(f"exit code {code}: {stderr}")
        self.stderr = stderr


class CommandTests(base.TestCase):
    """``openstack stack ...``, of python-heatclient.

    The command takes some seconds to load and waits in steps of five, so
    each test is a walk rather than a step.
    """

    limit_s = 240

    def setUp(self) -> None:
        super().setUp()
        self.system = self.useFixture(running.Embedded()).system
        self.directory = self.make_directory()

    def write(self, name: str, text: str) -> str:
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run_command(self, *arguments: str) -> str:
        program = pathlib.Path(sys.executable).with_name("openstack")
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("OS_")
        }
        done = subprocess.run(
            (
                str(program),
                *("--os-auth-type", "none"),
                *("--os-endpoint", self.system.endpoint),
                *arguments,
            ),
            cwd=self.directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        if done.returncode:
            raise Command(done.returncode, done.stderr)
        return done.stdout

    def ask(self, *arguments: str) -> object:
        return json.loads(self.run_command(*arguments, "-f", "json"))

    def test_a_stack_lives_and_dies_by_the_command(self) -> None:
        self.run_command(
            *("stack", "create", "--wait"),
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
            *("stack", "create", "--wait"),
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


class SdkTests(base.TestCase):
    """openstacksdk's orchestration proxy."""

    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.system = self.useFixture(running.Embedded()).system
        connection = openstack.connect(
            load_yaml_config=False,
            load_envvars=False,
            auth_type="none",
            auth={"endpoint": self.system.endpoint},
            orchestration_endpoint_override=self.system.endpoint,
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
            {"joined": "hello-1", "word": "hello"},
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
