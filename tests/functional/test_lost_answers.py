"""A worker dies when the world has answered and nothing is committed yet.

For each served type that can find what a lost attempt left: what was made
once is not made again, and a change that was made half is made whole.
"""

import contextlib
import os
import pathlib
import signal
import time

from tests import base
from tests.support import deaths
from tests.support import rest
from tests.support import running
from tests.unit.resources.http import service

_OPTIONS = {"engine": {"lease_ttl": 1, "scan_interval": 0.2}}
_END_S = 20


class ItemService(service.Service):
    """A service that gives things an id of its own.

    :ivar items: what it has, by id
    """

    def __init__(self) -> None:
        super().__init__()
        self.items: dict[str, object] = {}

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        if method == "POST":
            number = str(len(self.items) + 1)
            self.items[number] = body
            return 201, {"id": number}
        if "?tag=" in path:
            tag = path.partition("=")[2]
            return 200, [
                {"id": number}
                for number, thing in self.items.items()
                if thing["tag"] == tag
            ]
        return self.answer_of_one(method, path.rpartition("/")[2], body)

    def answer_of_one(
        self, method: str, number: str, body: object
    ) -> tuple[int, object]:
        if number not in self.items:
            return 404, None
        if method == "PUT":
            self.items[number] = {**self.items[number], **body}
        if method == "DELETE":
            return 204, self.items.pop(number) and None
        return 200, self.items[number]


class LostAnswerTestCase(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.deaths = self.useFixture(deaths.Deaths())
        self.system = self.useFixture(
            running.Embedded(_OPTIONS, self.deaths.environment)
        ).system
        self.client = self.system.client
        self.root = self.system.root

    def template(
        self, kind: str, properties: dict[str, object]
    ) -> dict[str, object]:
        return {
            "heat_template_version": "2021-04-16",
            "resources": {
                "thing": {
                    "type": f"Test::Dying::{kind}",
                    "properties": properties,
                }
            },
        }

    def create(self, kind: str, **properties: object) -> rest.Stack:
        """Create a stack; the worker dies in it, and is started again."""
        self.deaths.ask_for("create")
        stack = self.client.create("s", self.template(kind, properties))
        self.wait_for_death("create")
        self.left = self.look()
        self.system.start()
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def update(
        self, stack: rest.Stack, kind: str, **properties: object
    ) -> None:
        """Change the stack; the worker dies in it, and is started again."""
        self.deaths.ask_for("update")
        body = {"template": self.template(kind, properties)}
        self.client.ask("PUT", stack.path, body)
        self.wait_for_death("update")
        self.system.start()
        self.client.wait(stack, "UPDATE_COMPLETE")

    def delete(self, stack: rest.Stack) -> None:
        """Delete the stack; nobody dies."""
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

    def wait_for_death(self, act: str) -> None:
        limit = time.monotonic() + _END_S
        while self.system.server.is_running():
            self.assertLess(time.monotonic(), limit, "nobody died")
            time.sleep(0.02)
        self.system.server.kill()
        self.assertIn(f"{act}.thing", self.deaths.happened())

    def look(self) -> object:
        """Return what tells the thing in the world from a second one."""
        raise NotImplementedError


class FileTests(LostAnswerTestCase):
    def look(self) -> object:
        return (self.root / "a" / "page").stat().st_ino

    def test_it_is_made_once_changed_whole_and_removed(self) -> None:
        stack = self.create("File", path="a/page", content="old")
        self.assertEqual(self.left, self.look())

        self.update(stack, "File", path="a/page", content="new", mode="0600")
        path = self.root / "a" / "page"
        self.assertEqual("new", path.read_text())
        self.assertEqual(0o100600, path.stat().st_mode)

        self.delete(stack)
        self.assertEqual([], list((self.root / ".orch/files").iterdir()))
        self.assertFalse((self.root / "a").exists())


class DirectoryTests(LostAnswerTestCase):
    def look(self) -> object:
        return (self.root / "a" / "site").stat().st_ino

    def test_it_is_made_once_changed_and_removed(self) -> None:
        stack = self.create("Directory", path="a/site")
        self.assertEqual(self.left, self.look())

        self.update(stack, "Directory", path="a/site", mode="0700")
        self.assertEqual(0o40700, (self.root / "a" / "site").stat().st_mode)
        self.assertEqual(self.left, self.look())

        self.delete(stack)
        self.assertFalse((self.root / "a").exists())


class ProcessTests(LostAnswerTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.kill_all)

    def kill_all(self) -> None:
        for pid in self.look():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def look(self) -> list[int]:
        """Return the processes of this test's stack."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                place = (entry / "cwd").readlink()
                command = (entry / "cmdline").read_bytes()
                if place == self.root and b"sleep" in command:
                    found.append(int(entry.name))
        return found

    def test_it_is_started_once_and_stopped(self) -> None:
        stack = self.create("Process", command=["sleep", "600"])
        self.assertEqual(1, len(self.left))
        self.assertEqual(self.left, self.look())

        self.update(
            stack, "Process", command=["sleep", "600"], stop_timeout_s=3
        )
        self.assertEqual(self.left, self.look())

        self.delete(stack)
        self.assertEqual([], self.look())


class HttpTests(LostAnswerTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(ItemService())

    def look(self) -> object:
        return list(self.service.items)

    def properties(self, **more: object) -> dict[str, object]:
        return {
            "url": self.service.url,
            "create": {"path": "/things", "body": {"tag": "{token}"}},
            "find": {"path": "/things?tag={token}"},
            **more,
        }

    def requests(self, method: str) -> list[service.ReceivedRequest]:
        return [
            each for each in self.service.requests if each.method == method
        ]

    def test_it_is_asked_for_once_changed_and_removed(self) -> None:
        stack = self.create("Http", **self.properties())
        self.assertEqual(1, len(self.requests("POST")))
        self.assertEqual(self.left, self.look())
        row = self.client.resources(stack)["thing"]
        self.assertEqual("1", row["physical_resource_id"])

        update = {"body": {"size": 5}}
        self.update(stack, "Http", **self.properties(update=update))
        keys = {
            each.headers["idempotency-key"] for each in self.requests("PUT")
        }
        self.assertEqual(1, len(keys))
        self.assertEqual(2, len(self.requests("PUT")))
        self.assertEqual(5, self.service.items["1"]["size"])

        self.delete(stack)
        self.assertEqual({}, self.service.items)
