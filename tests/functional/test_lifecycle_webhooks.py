"""Webhooks and a worker that dies while it waits for their answer."""

import json
import typing

import yaml

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting
from tests.support import webhooks
from tests.support import world
from tests.support import world_templates

Json = world_templates.Json

_WORD: typing.Final = "canary-webhook-5c1e"


class WebhookTestCase(base.TestCase):
    """One service, and a world to see what was begun.

    :cvar limits: settings of the plug-in
    """

    limit_s = 120
    limits: typing.ClassVar[Json] = {"request_timeout": 60, "time_limit": 60}

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        self.service = self.useFixture(webhooks.Service())
        place = self.make_directory()
        (place / "secret").write_text("a secret of both of them")
        settings = place / "lifecycle.yaml"
        settings.write_text(
            yaml.safe_dump(
                {
                    "webhook": {
                        "url": self.service.url,
                        "allow_http": True,
                        "allowed_networks": ["127.0.0.0/8"],
                        "secret_file": str(place / "secret"),
                        **self.limits,
                    }
                }
            )
        )
        self.system = self.useFixture(
            running.Embedded(
                {
                    **serving.options(),
                    "lifecycle": {"settings_file": str(settings)},
                },
                self.world.environment,
            )
        ).system
        self.client = self.system.client

    def create(self) -> rest.Stack:
        return self.client.create(
            "hooked",
            world_templates.template(a=world_templates.declare_resource()),
        )

    def calls(self, phase: str) -> list[tuple[str, typing.Any]]:
        """Return the ids and bodies of the calls so far."""
        found = [
            (each.headers["webhook-id"], json.loads(each.body))
            for each in list(self.service.requests)
        ]
        return [each for each in found if each[1]["phase"] == phase]


class SecretsTest(WebhookTestCase):
    """What a service is shown of hidden values."""

    def test_no_call_has_a_value_of_a_hidden_parameter(self) -> None:
        word = {"get_param": "word"}
        member = {
            "type": "Test::World::Thing",
            "properties": {"label": word},
            "metadata": {"map_replace": [{"key": 1}, {"keys": {"key": word}}]},
        }
        template = world_templates.template(
            group={
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": 1, "resource_def": member},
            }
        )
        template["parameters"] = {"word": {"type": "string", "hidden": True}}

        stack = self.client.create(
            "secret", template, parameters={"word": _WORD}
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.ask("PATCH", stack.path, {"parameters": {}})
        self.client.wait(stack, "UPDATE_COMPLETE")

        bodies = [body for _, body in self.calls("pre")]
        child = bodies[-1]["before"]["resources"]["group"]["child_stack"]
        self.assertIn("heat_template_version", child["template"])
        for body in bodies + [body for _, body in self.calls("post")]:
            self.assertNotIn(_WORD, json.dumps(body))


class KilledTest(WebhookTestCase):
    def kill_in_call(self, stack: rest.Stack, phase: str) -> list[str]:
        """Kill the server while it waits for an answer, and start it.

        :returns: the names of the things that were there then
        """
        waiting.wait_for(lambda: self.calls(phase), f"call {phase}")
        self.system.server.kill()
        there = self.world.names()
        self.service.held = None
        self.service.gate.set()
        self.system.start()
        self.client.wait(stack, "CREATE_COMPLETE")
        return there

    def check_repeated(self, phase: str) -> None:
        """Check that the same call came twice, and all others once."""
        for each in ("pre", "post"):
            ids = [call_id for call_id, _ in self.calls(each)]
            self.assertEqual(2 if each == phase else 1, len(ids))
            self.assertEqual(1, len(set(ids)))

    def test_l4_a_post_op_whose_answer_was_lost_is_told_again(self) -> None:
        self.service.held = b'"phase": "post"'
        stack = self.create()

        there = self.kill_in_call(stack, "post")

        self.assertEqual(["a"], there)
        self.check_repeated("post")
        self.assertEqual(
            ["complete", "complete"],
            [body["ended"]["outcome"] for _, body in self.calls("post")],
        )
        self.assertEqual([], self.world.doubles())

    def test_l_g5_a_pre_op_whose_answer_was_lost_is_asked_again(self) -> None:
        self.service.held = b'"phase": "pre"'
        stack = self.create()

        there = self.kill_in_call(stack, "pre")

        self.assertEqual([], there)
        self.check_repeated("pre")
        self.assertEqual(["a"], self.world.names())


class AwayTest(WebhookTestCase):
    """A service that is away for longer than a call may take."""

    limits: typing.ClassVar[Json] = {"request_timeout": 0.5, "time_limit": 1}

    def test_it_is_told_who_gave_no_answer_and_for_how_long(self) -> None:
        self.service.held = b'"phase": "pre"'
        self.addCleanup(self.service.gate.set)

        stack = self.create()
        shown = self.client.wait(stack, "CREATE_FAILED")

        told = str(shown["stack_status_reason"])
        self.assertIn("Lifecycle plug-in webhook denied the CREATE", told)
        self.assertIn("gave no answer: nothing came in time", told)
        self.assertIn("the 1 s that it has are over", told)
        self.assertEqual([], self.world.names())
        self.service.gate.set()
        self.service.held = None
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")
