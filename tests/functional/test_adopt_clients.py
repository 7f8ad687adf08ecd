"""``openstack stack adopt``, ``abandon`` and ``export``, and openstacksdk."""

import json
import pathlib
import typing

import openstack

from tests.functional import adopting
from tests.functional import test_clients
from tests.support import installations
from tests.support import rest
from tests.support import running
from tests.support import systems

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template


class CommandTests(adopting.AdoptingTestCase):
    """Unmodified python-heatclient on both sides."""

    limit_s = 240

    def run_command(self, system: systems.System, *arguments: str) -> str:
        return test_clients.run_command(
            system.endpoint, self.directory, *arguments
        )

    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()

    def read(self, path: pathlib.Path) -> Json:
        return typing.cast(Json, json.loads(path.read_text("utf-8")))

    def test_a2_a_stack_moves_by_the_command(self) -> None:
        stack = self.created(self.chain("l"), tags="x")
        ids, outputs = self.ids(self.here, stack), self.here.outputs(stack)
        exported = self.directory / "exported.json"
        abandoned = self.directory / "abandoned.json"

        self.run_command(
            self.pair.here,
            *("stack", "export", "--output-file", str(exported), self.name),
        )
        self.run_command(
            self.pair.here,
            *("stack", "abandon", "--output-file", str(abandoned), self.name),
        )
        self.wait_gone(stack)
        self.run_command(
            self.pair.there,
            *("stack", "adopt", "--adopt-file", str(abandoned), "--wait"),
            self.name,
        )

        self.assertEqual(self.read(exported), self.read(abandoned))
        shown = typing.cast(
            Json, self.there.get(f"/stacks/{self.name}", "stack")
        )
        adopted = rest.Stack(self.name, str(shown["id"]))
        self.assertEqual("ADOPT_COMPLETE", shown["stack_status"])
        self.assertEqual(ids, self.ids(self.there, adopted))
        self.assertEqual(outputs, self.there.outputs(adopted))

    def test_a8_a_failure_ends_the_command_with_the_reason(self) -> None:
        path = self.directory / "document.json"
        document = {
            "template": template(a=declare_resource()),
            "resources": {},
        }
        path.write_text(json.dumps(document), "utf-8")

        error = self.assertRaises(
            test_clients.Command,
            self.run_command,
            self.pair.there,
            *("stack", "adopt", "--adopt-file", str(path), "--wait"),
            self.name,
        )

        self.assertIn("ADOPT_FAILED", error.stderr)


class CheckedTests(adopting.AdoptingTestCase):
    """With ``check_after_adopt``, for clients that do not know adoption."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.checked = cls.use(
            running.Embedded(
                {
                    **installations.OPTIONS,
                    "DEFAULT": {"check_after_adopt": True},
                },
                cls.world.environment,
            )
        ).system

    def test_a_g8_a_check_follows_an_adoption(self) -> None:
        ids = self.make_resources("a")
        client = self.checked.client
        document = {
            "template": template(a=declare_resource()),
            "resources": ids,
        }

        stack = self.begin_adopt(document, client)
        client.wait(stack, "CHECK_COMPLETE")

        told = [
            each["resource_status"]
            for each in client.events(stack)
            if each["resource_name"] == self.name
        ]
        self.assertEqual(
            [
                "ADOPT_IN_PROGRESS",
                "ADOPT_COMPLETE",
                "CHECK_IN_PROGRESS",
                "CHECK_COMPLETE",
            ],
            told,
        )
        connection = openstack.connect(
            load_yaml_config=False,
            load_envvars=False,
            auth_type="none",
            auth={"endpoint": self.checked.endpoint},
            orchestration_endpoint_override=self.checked.endpoint,
        )
        self.addCleanup(connection.close)
        found = connection.orchestration.get_stack(stack.id)
        self.assertEqual(self.name, found.name)
