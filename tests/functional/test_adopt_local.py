"""Processes and files of the machine that a stack names by their ids."""

import os
import pathlib
import subprocess
import sys
import typing

from tests.support import foreign
from tests.support import rest
from tests.support import serving
from tests.support import waiting

Json = dict[str, typing.Any]

_FOREIGN = "was not started by a resource of this installation"


def _template(**resource: object) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": {"a": resource},
        "outputs": {"shown": {"value": {"get_attr": ["a", "show"]}}},
    }


def _process(**more: object) -> Json:
    return _template(
        type="Orch::Local::Process",
        properties={"command": ["sleep", "300"], "stop_timeout_s": 1},
        **more,
    )


def _physical_id(pid: int) -> str:
    text = pathlib.Path("/proc", str(pid), "stat").read_text()
    return f"{pid}:{text.rpartition(')')[2].split()[19]}"


class AdoptLocalTests(serving.ServerTestCase):
    defaults = serving.options()

    def setUp(self) -> None:
        super().setUp()
        self.name = self.id().rsplit(".", 1)[-1].replace("_", "-")

    def start(self) -> subprocess.Popen[bytes]:
        """Return a process that leads a group, and that no stack started."""
        started = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        return started

    def adopt(self, physical_id: str, **body: object) -> rest.Stack:
        """Return a stack whose process is to be adopted."""
        data = {"template": _process(), "resources": {"a": physical_id}}
        answer = self.client.ask(
            "POST",
            "/stacks",
            {"stack_name": self.name, "adopt_stack_data": data, **body},
        )
        made = typing.cast(dict[str, Json], answer)["stack"]
        return rest.Stack(self.name, made["id"])

    def reason(self, stack: rest.Stack) -> str:
        row = self.client.resources(stack)["a"]
        return str(row["resource_status_reason"])

    def delete(self, stack: rest.Stack) -> None:
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

    def test_a_foreign_process_is_neither_adopted_nor_killed(self) -> None:
        for verify in ("take", "refuse"):
            started = self.start()

            stack = self.adopt(_physical_id(started.pid), adopt_verify=verify)
            self.client.wait(stack, "ADOPT_FAILED")

            self.assertIn(_FOREIGN, self.reason(stack))
            self.delete(stack)
            self.assertIsNone(started.poll())

    def test_so_it_is_with_one_of_another_user(self) -> None:
        started = foreign.start_process()
        self.addCleanup(started.communicate)

        stack = self.adopt(_physical_id(started.pid))
        self.client.wait(stack, "ADOPT_FAILED")
        self.delete(stack)

        self.assertIsNone(started.poll())

    def test_a_foreign_process_is_not_read_by_its_id(self) -> None:
        started = self.start()
        wanted = _process(external_id=_physical_id(started.pid))

        stack = self.client.create(self.name, wanted)
        self.client.wait(stack, "CREATE_FAILED")

        self.assertIn(_FOREIGN, self.reason(stack))
        self.delete(stack)
        self.assertIsNone(started.poll())

    def test_an_abandoned_process_is_adopted_again(self) -> None:
        first = self.client.create(self.name, _process())
        self.client.wait(first, "CREATE_COMPLETE")
        row = self.client.resources(first)["a"]
        physical_id = str(row["physical_resource_id"])
        self.client.ask("DELETE", f"{first.path}/abandon")
        self.client.wait(first, "DELETE_COMPLETE")
        pid = int(physical_id.partition(":")[0])
        os.kill(pid, 0)

        second = self.adopt(physical_id)
        self.client.wait(second, "ADOPT_COMPLETE")
        self.delete(second)

        waiting.wait_for(
            lambda: not pathlib.Path("/proc", str(pid)).exists(), "its end"
        )

    def test_a_file_is_read_by_its_id(self) -> None:
        for kind in ("File", "Directory"):
            place = pathlib.Path(self.system.root) / f"{self.name}-{kind}"
            if kind == "File":
                place.write_text("there\n")
            else:
                place.mkdir()
            wanted = _template(
                type=f"Orch::Local::{kind}", external_id=place.name
            )
            wanted["outputs"]["path"] = {"value": {"get_attr": ["a", "path"]}}

            stack = self.client.create(f"{self.name}-{kind}", wanted)
            self.client.wait(stack, "CREATE_COMPLETE")

            outputs = self.client.outputs(stack)
            self.assertEqual(str(place), outputs["path"])
            self.assertEqual(str(place), outputs["shown"]["path"])
            self.delete(stack)
            self.assertTrue(place.exists())
