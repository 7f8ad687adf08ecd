"""What single types tell of their things: drift seen, and put back."""

import os
import pathlib
import signal
import typing

from tests.functional import observing
from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.unit.resources.http import service

Json = dict[str, typing.Any]


class KindsTestCase(serving.ServerTestCase):
    """Somebody works in what the stacks of the tests have.

    :ivar name: of the stack
    """

    defaults: typing.ClassVar[dict[str, Json]] = {
        **serving.options(),
        "egress": {"allowed_networks": "127.0.0.0/8"},
    }

    def setUp(self) -> None:
        super().setUp()
        self.name = self.id().rsplit(".", 1)[-1].replace("_", "-")

    def create(self, **resources: Json) -> rest.Stack:
        template = {
            "heat_template_version": "2021-04-16",
            "resources": resources,
        }
        stack = self.client.create(self.name, template)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def look(self, stack: rest.Stack) -> Json:
        """Return what is seen now of the resources, by name."""
        self.client.ask("POST", f"{stack.path}/actions", {"observe": {}})
        waiting.wait_for(
            lambda: not observing.read(self.client, stack)["in_progress"],
            "the look",
        )
        (told,) = observing.read(self.client, stack)["stacks"]
        return {each["resource_name"]: each for each in told["resources"]}

    def differences(self, stack: rest.Stack, name: str = "a") -> Json:
        """Return expected and live values of what has drifted."""
        thing = self.look(stack)[name]
        return {
            each["property"]: (each["expected"], each["live"])
            for each in thing["differences"]
        }

    def state(self, stack: rest.Stack, name: str = "a") -> tuple[str, bool]:
        thing = self.look(stack)[name]
        return thing["state"], thing["is_vanished"]

    def converge(self, stack: rest.Stack) -> None:
        before = len(self.client.events(stack))
        self.client.ask("PATCH", stack.path, {"converge": True})
        waiting.wait_for(
            lambda: len(self.client.events(stack)) > before, "the update"
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

    def check(self, stack: rest.Stack, status: str) -> str:
        """Check a stack; return the reason of its resource."""
        self.client.ask("POST", f"{stack.path}/actions", {"check": None})
        self.client.wait(stack, status)
        row = self.client.resources(stack)["a"]
        return str(row["resource_status_reason"])

    def physical_id(self, stack: rest.Stack, name: str = "a") -> str:
        return str(self.client.resources(stack)[name]["physical_resource_id"])


class FileTests(KindsTestCase):
    def test_d1_a_file_that_an_editor_made_anew_is_put_back(self) -> None:
        stack = self.create(
            a={
                "type": "Orch::Local::File",
                "properties": {"path": self.name, "content": "ours\n"},
            }
        )
        path = pathlib.Path(self.system.root) / self.name
        other = path.with_suffix(".new")
        other.write_text("theirs\n")
        other.chmod(0o644)
        other.rename(path)

        self.assertEqual(
            {"content": ("ours\n", "theirs\n")}, self.differences(stack)
        )
        self.converge(stack)

        self.assertEqual("ours\n", path.read_text())
        self.assertEqual(("in_sync", False), self.state(stack))
        self.assertIn("CHECK", self._checked(stack))

    def test_a_check_holds_for_well_what_was_accepted(self) -> None:
        stack = self.create(
            a={
                "type": "Orch::Local::File",
                "properties": {"path": self.name, "content": "ours\n"},
            }
        )
        path = pathlib.Path(self.system.root) / self.name
        path.write_text("theirs\n")
        made = self.physical_id(stack)
        self.check(stack, "CHECK_FAILED")

        # What a check found fault with is told like all other drift.
        seen = self.differences(stack)
        self.client.ask(
            "POST",
            f"{stack.path}/actions",
            {"accept_drift": {"resources": ["a"]}},
        )

        self.assertEqual({"content": ("ours\n", "theirs\n")}, seen)
        self.check(stack, "CHECK_COMPLETE")
        self.client.ask("PATCH", stack.path, {})
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual("theirs\n", path.read_text())
        self.assertEqual(made, self.physical_id(stack))

    def test_what_cannot_be_a_text_is_unknown_and_left_alone(self) -> None:
        stack = self.create(
            a={
                "type": "Orch::Local::File",
                "properties": {"path": self.name, "content": "ours\n"},
            }
        )
        path = pathlib.Path(self.system.root) / self.name
        path.write_bytes(b"\xff")

        thing = self.look(stack)["a"]
        self.converge(stack)

        self.assertEqual("unknown", thing["state"])
        self.assertIn("no UTF-8", thing["reason"])
        self.assertEqual(b"\xff", path.read_bytes())

    def _checked(self, stack: rest.Stack) -> str:
        self.check(stack, "CHECK_COMPLETE")
        return str(self.client.show(stack)["stack_status"])


class ProcessTests(KindsTestCase):
    def test_d4_a_process_that_has_ended_is_started_anew(self) -> None:
        stack = self.create(
            a={
                "type": "Orch::Local::Process",
                "properties": {"command": ["sleep", "300"]},
            }
        )
        in_sync = self.state(stack)
        pid, _, _ = self.physical_id(stack).partition(":")
        os.kill(int(pid), signal.SIGKILL)
        waiting.wait_for(lambda: not _is_running(pid), "its end")

        vanished = self.state(stack)
        reason = self.check(stack, "CHECK_FAILED")
        self.converge(stack)

        self.assertEqual(("in_sync", False), in_sync)
        self.assertEqual(("drifted", True), vanished)
        self.assertIn("ended by signal 9", reason)
        again, _, _ = self.physical_id(stack).partition(":")
        self.assertNotEqual(pid, again)
        self.assertTrue(_is_running(again))
        self.assertEqual(("in_sync", False), self.state(stack))
        self.client.delete(stack)
        waiting.wait_for(lambda: not _is_running(again), "its end")


class HttpTests(KindsTestCase):
    """The service shows what was last sent to it, and more."""

    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(_ItemService())

    def http_resource(self, **properties: object) -> Json:
        return {
            "type": "Orch::HTTP::Resource",
            "properties": {
                "url": self.service.url,
                "create": {
                    "path": "/things",
                    "body": {"name": "{name}", "size": 5, "secret": "s"},
                },
                "read": {},
                **properties,
            },
        }

    def test_d1_what_was_changed_is_changed_back_by_one_request(self) -> None:
        update = {"method": "PATCH", "body": {"size": 5}}
        stack = self.create(a=self.http_resource(update=update))
        in_sync = self.state(stack)
        thing = self.service.items[self.physical_id(stack)]
        thing["size"] = 6

        ((name, (expected, live)),) = self.differences(stack).items()
        self.service.writing.clear()
        self.converge(stack)

        self.assertEqual(("in_sync", False), in_sync)
        self.assertEqual("update", name)
        self.assertEqual({"size": 5}, expected["body"])
        self.assertEqual({"size": 6}, live["body"])
        self.assertEqual(["PATCH"], self.service.writing)
        self.assertEqual(5, thing["size"])
        self.service.writing.clear()
        self.converge(stack)
        self.assertEqual([], self.service.writing)

    def test_d4_what_was_removed_is_made_anew(self) -> None:
        stack = self.create(a=self.http_resource())
        self.service.items.clear()

        vanished = self.state(stack)
        reason = self.check(stack, "CHECK_FAILED")
        self.converge(stack)

        self.assertEqual(("drifted", True), vanished)
        self.assertIn("answered 404", reason)
        self.assertEqual([self.physical_id(stack)], list(self.service.items))

    def test_d5_no_answer_is_no_end(self) -> None:
        stack = self.create(a=self.http_resource())
        before = self.physical_id(stack)
        self.service.status = 503

        thing = self.look(stack)["a"]
        self.service.writing.clear()
        self.converge(stack)

        self.assertEqual("unknown", thing["state"])
        self.assertIn("answered 503", thing["reason"])
        self.assertEqual(before, self.physical_id(stack))
        self.assertEqual([], self.service.writing)

    def test_without_read_nothing_there_is_no_end(self) -> None:
        wanted = self.http_resource()
        del wanted["properties"]["read"]
        stack = self.create(a=wanted)
        self.service.items.clear()

        thing = self.look(stack)["a"]

        self.assertEqual("unknown", thing["state"])
        self.assertIn("give the property read", thing["reason"])


class SoftwareTests(KindsTestCase):
    def test_d4_a_config_that_was_deleted_is_made_anew(self) -> None:
        stack = self.create(
            a={
                "type": "OS::Heat::SoftwareConfig",
                "properties": {"group": "script", "config": "echo"},
            },
            b={
                "type": "OS::Heat::SoftwareDeployment",
                "properties": {
                    "config": {"get_resource": "a"},
                    "server": {"get_resource": "c"},
                    "signal_transport": "NO_SIGNAL",
                },
            },
            c={"type": "OS::Heat::DeployedServer"},
        )
        in_sync = {
            name: each["state"] for name, each in self.look(stack).items()
        }
        config = self.physical_id(stack)
        self.client.ask("DELETE", f"/software_configs/{config}")

        vanished = self.state(stack)
        reason = self.check(stack, "CHECK_FAILED")
        self.converge(stack)

        self.assertEqual(
            {"a": "in_sync", "b": "in_sync", "c": "nothing"}, in_sync
        )
        self.assertEqual(("drifted", True), vanished)
        self.assertIn("is not there any more", reason)
        self.assertNotEqual(config, self.physical_id(stack))
        states = {
            name: each["state"] for name, each in self.look(stack).items()
        }
        self.assertEqual(in_sync, states)


class _ItemService(service.Service):
    """A service of things.

    :ivar items: by id
    :ivar writing: methods of the requests that changed something
    :ivar status: of all answers; 0 for those that fit
    """

    def __init__(self) -> None:
        super().__init__()
        self.items: dict[str, Json] = {}
        self.writing: list[str] = []
        self.status = 0

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        if self.status:
            return self.status, {}
        thing_id = path.rpartition("/")[2]
        if method != "GET":
            self.writing.append(method)
        if method == "POST":
            thing_id = f"t{len(self.writing)}"
            assert isinstance(body, dict)
            self.items[thing_id] = dict(body)
        found = self.items.get(thing_id)
        if found is None:
            return 404, {}
        if method == "DELETE":
            del self.items[thing_id]
        if method == "PATCH":
            assert isinstance(body, dict)
            found.update(body)
        shown = {key: found[key] for key in found if key != "secret"}
        asked = len(self.requests)
        return 200, {**shown, "id": thing_id, "read_at": asked}


def _is_running(pid: str) -> bool:
    try:
        text = pathlib.Path("/proc", pid, "stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"
