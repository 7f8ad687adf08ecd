"""Secrets of event sinks that come back as they are shown: asterisks."""

import base64
import hashlib
import hmac
import json
import typing

import yaml

from tests.functional import test_event_sinks
from tests.support import rest
from tests.support import running
from tests.support import services
from tests.support import webhooks
from tests.support import world_templates

Json = dict[str, typing.Any]

SECRET = "a secret of one sink"
OTHER = "a secret of another one"
OPTIONS: typing.Final = {"egress": {"allowed_networks": "127.0.0.0/8"}}

environment = test_event_sinks.environment
sink = test_event_sinks.sink


def key_of(asked: webhooks.ReceivedRequest) -> str | None:
    """Return which of the secrets has signed a request."""
    event_id = asked.headers["webhook-id"]
    moment = asked.headers["webhook-timestamp"]
    content = f"{event_id}.{moment}.".encode() + asked.body
    for secret in (SECRET, OTHER):
        digest = hmac.digest(secret.encode(), content, hashlib.sha256)
        wanted = f"v1,{base64.b64encode(digest).decode()}"
        if asked.headers.get("webhook-signature") == wanted:
            return secret
    return None


class StoredTests(test_event_sinks.SinkTestCase):
    """On the database of one process."""

    options: typing.ClassVar = OPTIONS

    def signed(self, service: webhooks.Service, action: str) -> set[object]:
        """Return what has signed the events of an action, once it ended."""
        self.heard(service, self.name, f"{action}_COMPLETE")
        return {
            key_of(each)
            for each in list(service.requests)
            if json.loads(each.body)["payload"]["resource_action"] == action
        }

    def shown(self, stack: rest.Stack) -> Json:
        """Return the environment as everybody is shown it."""
        found = self.client.ask("GET", f"{stack.path}/environment")
        return typing.cast(Json, found)

    def refused(self, method: str, path: str, body: Json) -> Json:
        """Return the only problem of what is refused."""
        error = self.assertRaises(
            rest.RefusedError, self.client.ask, method, path, body
        )
        self.assertEqual(400, error.status)
        (problem,) = typing.cast(Json, error.body)["problems"]
        return typing.cast(Json, problem)

    def test_what_was_read_can_be_written_back(self) -> None:
        service = self.serve()
        stack = self.create(
            environment=environment(sink(service, secret=SECRET))
        )
        shown = self.shown(stack)
        self.assertEqual("******", shown["event_sinks"][0]["secret"])

        for label in ("second", "third"):
            self.update(stack, world_templates.chain(label), environment=shown)
            self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({SECRET}, self.signed(service, "UPDATE"))
        self.assertEqual(shown, self.shown(stack))
        self.act(stack, "check")
        self.assertEqual({SECRET}, self.signed(service, "CHECK"))

    def test_a_patch_adds_a_sink_beside_one_that_keeps_its_secret(
        self,
    ) -> None:
        service, more = self.serve(), self.serve()
        stack = self.create(
            environment=environment(sink(service, secret=SECRET))
        )
        sinks = self.shown(stack)["event_sinks"]

        self.client.ask(
            "PATCH",
            stack.path,
            {"environment": environment(*sinks, sink(more, secret=OTHER))},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({SECRET}, self.signed(service, "UPDATE"))
        self.assertEqual({OTHER}, self.signed(more, "UPDATE"))
        self.client.ask("PATCH", stack.path, {"parameters": {}})
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.act(stack, "check")
        self.assertEqual({SECRET}, self.signed(service, "CHECK"))

    def test_a_file_that_is_written_back_holds_no_secret(self) -> None:
        service = self.serve()
        stack = self.create(
            environment=environment(sink(service, secret=SECRET))
        )
        text = yaml.safe_dump(self.shown(stack))

        for method in ("PUT", "PATCH"):
            self.client.ask(
                method,
                stack.path,
                {
                    "template": world_templates.chain(method),
                    "environment_files": ["env.yaml"],
                    "files": {"env.yaml": text},
                },
            )
            self.client.wait(stack, "UPDATE_COMPLETE")
            files = self.client.ask("GET", f"{stack.path}/files")
            self.assertEqual({"env.yaml": text}, files)

        self.assertEqual({SECRET}, self.signed(service, "UPDATE"))

    def test_a_plan_that_is_applied_keeps_it_too(self) -> None:
        service = self.serve()
        stack = self.create(
            environment=environment(sink(service, secret=SECRET))
        )
        plan = self.client.ask(
            "POST",
            f"{stack.path}/plans",
            {
                "action": "update",
                "template": world_templates.chain("new"),
                "environment": self.shown(stack),
            },
        )
        plan_id = typing.cast(dict[str, Json], plan)["plan"]["id"]

        self.client.ask("POST", f"{stack.path}/plans/{plan_id}/apply")
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({SECRET}, self.signed(service, "UPDATE"))

    def test_a_secret_goes_to_no_other_target(self) -> None:
        service, other = self.serve(), self.serve()
        stack = self.create(
            environment=environment(sink(service, secret=SECRET))
        )
        moved = environment(sink(other, secret="******"))

        for method, path in (
            ("PUT", stack.path),
            ("PATCH", stack.path),
            ("PUT", f"{stack.path}/preview"),
        ):
            problem = self.refused(
                method,
                path,
                {
                    "template": world_templates.chain("new"),
                    "environment": moved,
                },
            )
            self.assertEqual("event_sinks[0].secret", problem["path"])
            self.assertIn('Give the "secret" itself', str(problem["advice"]))

        self.assertEqual([], other.requests)
        self.assertEqual(
            "CREATE_COMPLETE", self.client.show(stack)["stack_status"]
        )

    def test_a_stack_without_that_sink_has_no_secret_to_keep(self) -> None:
        service = self.serve()
        stack = self.create(environment=environment(sink(service)))

        problem = self.refused(
            "PUT",
            stack.path,
            {
                "template": world_templates.chain("new"),
                "environment": environment(sink(service, secret="******")),
            },
        )

        self.assertEqual("event_sinks[0].secret", problem["path"])


class StoredByWorkersTests(StoredTests):
    """On RabbitMQ and PostgreSQL."""

    @classmethod
    def setUpClass(cls) -> None:
        services.require("RabbitMQ", "PostgreSQL")
        super().setUpClass()

    @classmethod
    def installation(cls) -> running.Distributed:
        return running.Distributed(OPTIONS, cls.environment(), workers=1)
