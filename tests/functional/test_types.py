"""What the served types do beside create and delete, through REST."""

import json
import os
import pathlib
import urllib.request

from tests.support import ports
from tests.support import rest
from tests.support import serving
from tests.unit.resources.http import service

Json = dict[str, object]


def template(**resources: Json) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": resources}


def declared(type_name: str, **properties: object) -> Json:
    return {"type": type_name, "properties": properties}


class TypesTestCase(serving.ServerTestCase):
    """Each test removes its stack, and the files with it."""

    def setUp(self) -> None:
        super().setUp()
        self.root = self.system.root

    def create(self, wanted: Json) -> rest.Stack:
        name = self.id().rpartition(".")[2]
        stack = self.client.create(name, wanted)
        self.addCleanup(self.remove, stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def remove(self, stack: rest.Stack) -> None:
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

    def update(
        self,
        stack: rest.Stack,
        wanted: Json,
        status: str = "UPDATE_COMPLETE",
    ) -> Json:
        self.client.ask("PUT", stack.path, {"template": wanted})
        return self.client.wait(stack, status)

    def act(self, stack: rest.Stack, action: str, status: str) -> Json:
        self.client.ask("POST", f"{stack.path}/actions", {action: None})
        return self.client.wait(stack, status)

    def ids(self, stack: rest.Stack) -> dict[str, object]:
        return {
            name: row["physical_resource_id"]
            for name, row in self.client.resources(stack).items()
        }


class LocalTests(TypesTestCase):
    def test_files_and_directories_change_in_place(self) -> None:
        stack = self.create(
            template(
                page=declared("Orch::Local::File", path="a/p", content="old"),
                site=declared("Orch::Local::Directory", path="site"),
            )
        )
        before = self.ids(stack)

        self.update(
            stack,
            template(
                page=declared(
                    "Orch::Local::File",
                    path="a/p",
                    content="new",
                    mode="0600",
                ),
                site=declared(
                    "Orch::Local::Directory", path="site", mode="0700"
                ),
            ),
        )

        page = self.root / "a" / "p"
        self.assertEqual("new", page.read_text())
        self.assertEqual(0o100600, page.stat().st_mode)
        self.assertEqual(0o40700, (self.root / "site").stat().st_mode)
        self.assertEqual(before, self.ids(stack))
        self.act(stack, "check", "CHECK_COMPLETE")

    def test_another_path_is_another_file(self) -> None:
        stack = self.create(
            template(page=declared("Orch::Local::File", path="a/p"))
        )

        self.update(
            stack, template(page=declared("Orch::Local::File", path="b/q"))
        )

        self.assertTrue((self.root / "b" / "q").exists())
        self.assertFalse((self.root / "a").exists())
        self.assertEqual({"page": "b/q"}, self.ids(stack))

    def test_what_was_changed_behind_our_back_is_told_and_replaced(
        self,
    ) -> None:
        wanted = template(
            page=declared("Orch::Local::File", path="p", content="old"),
            other=declared("Orch::Local::File", path="o"),
        )
        stack = self.create(wanted)
        (self.root / "p").write_text("tampered with")

        self.act(stack, "check", "CHECK_FAILED")

        rows = self.client.resources(stack)
        self.assertEqual("CHECK_FAILED", rows["page"]["resource_status"])
        self.assertIn(
            "its content is not what was written",
            rows["page"]["resource_status_reason"],
        )
        self.assertEqual("CHECK_COMPLETE", rows["other"]["resource_status"])

        self.update(stack, wanted)

        self.assertEqual("old", (self.root / "p").read_text())
        self.act(stack, "check", "CHECK_COMPLETE")


class ProcessTests(TypesTestCase):
    def desired_template(self, port: int, **more: object) -> Json:
        command = [
            *("python3", "-m", "http.server"),
            *("-b", "127.0.0.1", str(port)),
        ]
        return template(
            web=declared("Orch::Local::Process", command=command, **more)
        )

    def test_it_is_looked_after_suspended_and_resumed(self) -> None:
        port = ports.find_free()
        stack = self.create(self.desired_template(port))
        before = self.ids(stack)
        check = {"url": f"http://127.0.0.1:{port}/"}

        self.update(stack, self.desired_template(port, health_check=check))
        self.assertEqual(before, self.ids(stack))
        self.act(stack, "suspend", "SUSPEND_COMPLETE")
        pid = int(str(before["web"]).partition(":")[0])
        facts = pathlib.Path(f"/proc/{pid}/stat").read_text()
        self.assertEqual("T", facts.rpartition(")")[2].split()[0])
        self.act(stack, "resume", "RESUME_COMPLETE")
        with urllib.request.urlopen(check["url"], timeout=10) as answer:
            self.assertEqual(200, answer.status)
        self.act(stack, "check", "CHECK_COMPLETE")

        os.kill(pid, 9)
        shown = self.act(stack, "check", "CHECK_FAILED")
        self.assertIn("signal 9", json.dumps(shown))

    def test_another_command_is_another_process(self) -> None:
        stack = self.create(self.desired_template(ports.find_free()))
        before = self.ids(stack)
        port = ports.find_free()
        check = {"port": port}

        self.update(stack, self.desired_template(port, health_check=check))

        self.assertNotEqual(before, self.ids(stack))
        pid = str(before["web"]).partition(":")[0]
        self.assertFalse(pathlib.Path("/proc", pid).exists())


class HttpTests(TypesTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(service.Service())
        answers = self.service.answers
        answers["POST", "/things"] = (201, {"id": "7"})
        answers["GET", "/things/7"] = (200, {"state": "UP"})
        answers["PUT", "/things/7"] = (200, {})
        answers["POST", "/things/7/rest"] = (202, {})
        answers["DELETE", "/things/7"] = (204, None)

    def desired_template(self, **more: object) -> Json:
        return template(
            thing=declared(
                "Orch::HTTP::Resource",
                url=self.service.url,
                create={"path": "/things"},
                suspend={"path": "/things/{id}/rest"},
                ready={"pointer": "/state", "value": "UP"},
                **more,
            )
        )

    def sent(self) -> list[tuple[str, str]]:
        return [
            (each.method, each.path)
            for each in self.service.requests
            if each.method != "GET"
        ]

    def test_it_is_changed_put_to_rest_and_checked_by_requests(self) -> None:
        stack = self.create(self.desired_template())
        self.service.requests.clear()

        self.update(stack, self.desired_template(update={"body": {"size": 5}}))
        self.update(stack, self.desired_template(update={"body": {"size": 5}}))
        self.update(
            stack,
            self.desired_template(
                update={"body": {"size": 5}}, headers={"X-A": "b"}
            ),
        )
        self.act(stack, "suspend", "SUSPEND_COMPLETE")
        self.act(stack, "resume", "RESUME_COMPLETE")
        self.act(stack, "check", "CHECK_COMPLETE")

        self.assertEqual(
            [("PUT", "/things/7"), ("POST", "/things/7/rest")], self.sent()
        )
        self.service.answers["GET", "/things/7"] = (200, {"state": "LOST"})
        shown = self.act(stack, "check", "CHECK_FAILED")
        self.assertIn("/state is 'LOST'", json.dumps(shown))
