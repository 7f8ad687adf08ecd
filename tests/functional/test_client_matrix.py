"""Each command of python-heatclient, unmodified, works against Orch.

What the commands do in detail is told in ``test_clients``; here none is left
out: each of heatclient's entry points needs a case.
"""

import collections.abc
import importlib.metadata
import json
import pathlib

from tests.functional import test_clients
from tests.support import rest

_GROUP = "openstack.orchestration.v1"
_TEMPLATE = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string, default: hello}
  wait: {type: number, default: 0}
resources:
  first:
    type: OS::Heat::TestResource
    properties:
      value: {get_param: word}
      action_wait_secs: {update: {get_param: wait}}
  second:
    type: OS::Heat::RandomString
    metadata: {told: everything}
  handle:
    type: OS::Heat::WaitConditionHandle
outputs:
  word:
    value: {get_attr: [first, output]}
"""
_VERSION = "heat_template_version.2021-04-16"
_SIGNAL = '{"id": "1", "data": "d", "status": "SUCCESS", "reason": "r"}'


class MatrixTest(test_clients.CommandTestCase):
    """A walk through all commands; each is known by its entry point."""

    limit_s = 400

    def setUp(self) -> None:
        super().setUp()
        self.observed: set[str] = set()
        self.template = self.write("t.yaml", _TEMPLATE)

    def ran(self, *arguments: str, says: str = "") -> str:
        """Return what a command wrote, which has to have these words in it."""
        self.note(arguments)
        found = self.run_command(*arguments)
        self.assertIn(says, found, arguments)
        return found

    def read_json(self, *arguments: str) -> object:
        """Return what a command tells as JSON."""
        self.note(arguments)
        return self.ask(*arguments)

    def note(self, arguments: collections.abc.Sequence[str]) -> None:
        """Count the longest entry point that the arguments begin with."""
        words = [each.replace("-", "_") for each in arguments]
        names = {"_".join(words[:count]) for count in range(1, len(words) + 1)}
        found = names & entry_points()
        self.assertNotEqual(set(), found, arguments)
        self.observed.add(max(found, key=len))

    def settle(self, name: str, status: str) -> rest.Stack:
        """Return the stack once it has the status."""
        stacks = self.client.get("/stacks", "stacks")
        (stack_id,) = [
            each["id"] for each in stacks if each["stack_name"] == name
        ]
        stack = rest.Stack(name, stack_id)
        self.client.wait(stack, status)
        return stack

    def test_each_command_has_worked(self) -> None:
        self.ask_the_service()
        self.read_a_stack()
        self.hold_and_release()
        self.act_on_a_stack()
        self.go_back_to_a_snapshot()
        self.abandon_and_adopt()
        self.deploy_software()

        self.assertEqual(set(), entry_points() - self.observed)

    def ask_the_service(self) -> None:
        service = "orchestration"
        self.ran(service, "build", "info", says="revision")
        (worker,) = self.read_json(service, "service", "list")
        self.assertEqual("up", worker["Status"])
        self.ran(service, "resource", "type", "list", says="OS::Heat::Value")
        shown = self.read_json(
            service, "resource", "type", "show", "OS::Heat::Value"
        )
        self.assertIn("value", shown["properties"])
        self.ran(service, "template", "version", "list", says=_VERSION)
        self.ran(
            *(service, "template", "function", "list", _VERSION),
            says="get_param",
        )
        self.ran(
            *(service, "template", "validate", "-t", self.template),
            says="word",
        )

    def read_a_stack(self) -> None:
        self.ran("stack", "create", "-t", self.template, "walk", says="walk")
        self.settle("walk", "CREATE_COMPLETE")
        self.ran("stack", "list", says="walk")
        self.ran("stack", "show", "walk", says="CREATE_COMPLETE")
        self.ran("stack", "environment", "show", "walk", says="parameters")
        self.ran("stack", "template", "show", "walk", says="RandomString")
        self.ran("stack", "file", "list", "walk", says="{}")
        self.ran("stack", "output", "list", "walk", says="word")
        self.ran("stack", "output", "show", "walk", "word", says="hello")
        self.ran("stack", "failures", "list", "walk")
        resource = ("stack", "resource")
        self.ran(*resource, "list", "walk", says="second")
        self.ran(*resource, "list", "walk", "-f", "dot", says="digraph")
        self.ran(*resource, "show", "walk", "second", says="RandomString")
        self.ran(*resource, "metadata", "walk", "second", says="everything")
        self.ran(*resource, "signal", "walk", "handle", "--data", _SIGNAL)
        events = self.read_json("stack", "event", "list", "walk")
        (event_id,) = [
            each["id"]
            for each in events
            if each["resource_name"] == "second"
            and each["resource_status"] == "CREATE_COMPLETE"
        ]
        self.ran(
            *("stack", "event", "show", "walk", "second", event_id),
            says="RandomString",
        )

    def hold_and_release(self) -> None:
        self.ran(
            *("stack", "create", "--pre-create", "first"),
            *("-t", self.template, "held"),
        )
        poll = ("stack", "hook", "poll", "held")
        self.wait("held", "CREATE_IN_PROGRESS")
        while not (found := self.read_json(*poll)):
            self.assertEqual("CREATE_IN_PROGRESS", self.status("held"))
        self.assertEqual("first", found[0]["Resource Name"])
        self.ran("stack", "hook", "clear", "held", "first")
        self.settle("held", "CREATE_COMPLETE")
        self.ran("stack", "delete", "--yes", "held")

    def act_on_a_stack(self) -> None:
        for action in ("suspend", "resume", "check"):
            self.ran("stack", action, "walk")
            self.settle("walk", f"{action.upper()}_COMPLETE")
        update = ("stack", "update", "--existing")
        self.ran(*update, "--parameter", "word=new", "walk")
        self.settle("walk", "UPDATE_COMPLETE")
        self.ran(
            *(*update, "--parameter", "word=newer"),
            *("--parameter", "wait=600", "walk"),
        )
        self.ran("stack", "cancel", "walk")
        self.settle("walk", "ROLLBACK_COMPLETE")
        self.ran(
            *("stack", "resource", "mark", "unhealthy"),
            *("walk", "second", "out of luck"),
        )
        shown = self.read_json("stack", "resource", "show", "walk", "second")
        self.assertEqual("CHECK_FAILED", shown["resource_status"])
        self.ran(*update, "--parameter", "wait=0", "walk")
        self.settle("walk", "UPDATE_COMPLETE")

    def go_back_to_a_snapshot(self) -> None:
        snapshot = ("stack", "snapshot")
        made = self.read_json(*snapshot, "create", "--name", "kept", "walk")
        self.settle("walk", "SNAPSHOT_COMPLETE")
        self.ran(*snapshot, "list", "walk", says="kept")
        self.ran(*snapshot, "show", "walk", made["ID"], says="COMPLETE")
        self.ran(*snapshot, "restore", "walk", made["ID"])
        self.settle("walk", "RESTORE_COMPLETE")
        self.ran(*snapshot, "delete", "--yes", "walk", made["ID"])

    def abandon_and_adopt(self) -> None:
        exported = str(self.directory / "exported.json")
        self.ran("stack", "export", "--output-file", exported, "walk")
        abandoned = str(self.directory / "abandoned.json")
        self.ran("stack", "abandon", "--output-file", abandoned, "walk")
        for name in (exported, abandoned):
            document = json.loads(pathlib.Path(name).read_text("utf-8"))
            self.assertEqual("walk", document["name"])
        self.ran("stack", "adopt", "--adopt-file", abandoned, "taken")
        self.settle("taken", "ADOPT_COMPLETE")
        self.ran("stack", "delete", "--yes", "taken")

    def deploy_software(self) -> None:
        config, deployment = ("software", "config"), ("software", "deployment")
        script = self.write("run.sh", "#!/bin/sh\n")
        made = self.read_json(
            *config, "create", "--config-file", script, "--group", "s", "setup"
        )
        self.ran(*config, "list", says="setup")
        self.ran(*config, "show", made["id"], says="setup")
        put = self.read_json(
            *(*deployment, "create", "--server", "web"),
            *("--config", made["id"], "--signal-transport", "NO_SIGNAL", "d"),
        )
        self.ran(*deployment, "list", says=put["id"])
        self.ran(*deployment, "show", put["id"], says="web")
        self.ran(*deployment, "metadata", "show", "web", says="#!/bin/sh")
        self.ran(*deployment, "output", "show", "--all", put["id"])
        self.ran(*deployment, "delete", put["id"])
        self.ran(*config, "delete", made["id"])


def entry_points() -> set[str]:
    """Return the names of heatclient's commands, underscores for blanks."""
    found = importlib.metadata.entry_points(group=_GROUP)
    return {each.name for each in found}
