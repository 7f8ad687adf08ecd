"""The lifecycle plug-ins that come with Orch, through REST."""

import json
import pathlib
import sys

import fixtures
import yaml

from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.support import webhooks
from tests.support import world_templates

Json = world_templates.Json

_PROGRAM = """
import json, pathlib, sys
call = json.load(sys.stdin)
view = call["after"] or call["before"]
if "program" in view["tags"]:
    with pathlib.Path("calls").open("a") as calls:
        outcome = call.get("ended", {}).get("outcome", "-")
        calls.write(f"{view['name']} {call['phase']} {outcome}\\n")
    if call["phase"] == "pre" and "b" in view["resources"]:
        print(json.dumps({"ruling": "deny", "text": "the program says no"}))
"""


class ShippedTestCase(serving.WorldTestCase):
    """One server with some plug-ins; tags say which one is meant."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = pathlib.Path(cls.use(fixtures.TempDir()).path)
        settings = cls.place / "lifecycle.yaml"
        settings.write_text(yaml.safe_dump(cls.settings()))
        cls.options = {"lifecycle": {"settings_file": str(settings)}}
        super().setUpClass()

    @classmethod
    def settings(cls) -> Json:
        """Return the settings of the plug-ins."""
        raise NotImplementedError

    def make(self, *names: str, tags: str = "", label: str = "") -> rest.Stack:
        return self.client.create(
            self.name,
            world_templates.template(
                **{
                    name: world_templates.declare_resource(label=label)
                    for name in names
                }
            ),
            tags=tags,
        )

    def denied(self, stack: rest.Stack, action: str = "CREATE") -> str:
        found = self.client.wait(stack, f"{action}_FAILED")
        return str(found["stack_status_reason"])


class ShippedTest(ShippedTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.service = cls.use(webhooks.Service())
        super().setUpClass()

    @classmethod
    def settings(cls) -> Json:
        (cls.place / "judge.py").write_text(_PROGRAM)
        (cls.place / "secret").write_text("a secret of both of them")
        return {
            "webhook": {
                "url": cls.service.url,
                "allow_http": True,
                "allowed_networks": ["127.0.0.0/8"],
                "secret_file": str(cls.place / "secret"),
            },
            "command": {
                "argv": [sys.executable, str(cls.place / "judge.py")],
                "directory": str(cls.place),
            },
        }

    def setUp(self) -> None:
        super().setUp()
        self.service.answers[:] = [(200, b"")]
        self.service.requests.clear()

    def test_a_webhook_denies_and_is_told(self) -> None:
        stack = self.make("a")
        self.client.wait(stack, "CREATE_COMPLETE")
        calls = [json.loads(each.body) for each in self.service.requests]
        self.service.answers[:] = [
            (200, b'{"ruling": "deny", "text": "no licence is left"}')
        ]
        self.take_name()

        told = self.denied(self.make("a"))

        self.assertEqual(["pre", "post"], [each["phase"] for each in calls])
        self.assertEqual("complete", calls[1]["ended"]["outcome"])
        resource = calls[1]["after"]["resources"]["a"]
        self.assertIn("thing-", resource["physical_id"])
        self.assertIn(
            "Lifecycle plug-in webhook denied the CREATE: no licence is left",
            told,
        )
        self.assertEqual([], self.names())

    def test_a_webhook_holds_until_somebody_approves(self) -> None:
        self.service.answers[:] = [
            (200, b'{"ruling": "hold", "text": "ticket 7 waits"}'),
            (200, b""),
        ]
        stack = self.make("a")

        def is_held() -> bool:
            return self.operation(stack)["state"] == "BLOCKED"

        waiting.wait_for(is_held, "the operation is held")
        before = self.names()
        self.client.ask(
            "POST", f"{stack.path}/actions", {"approve": {"text": "done"}}
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual([], before)
        self.assertEqual(["a"], self.names())

    def test_a_webhook_that_is_away_fails_closed(self) -> None:
        self.service.answers[:] = [(403, b"who are you")]

        told = self.denied(self.make("a"))

        self.assertIn("Lifecycle plug-in webhook denied the CREATE", told)
        self.assertIn("answered 403: who are you", told)

    def test_a_command_denies_and_is_told(self) -> None:
        good = self.make("a", tags="program")
        self.client.wait(good, "CREATE_COMPLETE")
        name = self.name
        self.take_name()

        told = self.denied(self.make("b", tags="program"))

        self.assertIn(
            "Lifecycle plug-in command denied the CREATE: the program says no",
            told,
        )
        lines = (self.place / "calls").read_text().splitlines()
        self.assertEqual(
            [f"{name} pre -", f"{name} post complete", f"{self.name} pre -"],
            lines,
        )
