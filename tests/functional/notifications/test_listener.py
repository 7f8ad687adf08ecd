"""Notifications as Heat's consumers get them, through oslo.messaging.

The same stacks over a real RabbitMQ, with the product's own processes, and
over the bus inside one process.
"""

import collections.abc
import datetime
import time
import typing
import uuid

import requests
from falcon import testing

from orch.api import app
from orch.cmd import assembly
from orch.conf import load
from orch.db import engine as db_engine
from orch.db import migrate
from orch.engine import service
from orch.plugin import registry
from orch.rpc import options
from orch.rpc import transport
from tests import base
from tests.support import listeners
from tests.support import running
from tests.support import services

_PROJECT = "/v1/demo/stacks"
_HOST = "127.0.0.1"
_HEADERS = {"X-User-Id": "u1", "X-User-Name": "ann"}
_FAILED = (
    "Resource CREATE failed: ValueError: resources.broken: Test Resource"
    " failed broken"
)


def template(**broken: object) -> dict[str, object]:
    resources: dict[str, object] = {"good": {"type": "OS::Heat::TestResource"}}
    if broken:
        resources["broken"] = {
            "type": "OS::Heat::TestResource",
            "depends_on": "good",
            "properties": broken,
        }
    return {
        "heat_template_version": "2021-04-16",
        "description": "a stack to hear of",
        "resources": resources,
    }


class NotificationCases:
    """What holds on every bus; the classes below say on which."""

    listener: listeners.Listener
    name: str
    ask: collections.abc.Callable[..., typing.Any]

    def create(self, wanted: object, **body: object) -> str:
        """Ask for a stack; its name is :attr:`name`, which is new then."""
        self.name = f"web-{uuid.uuid4().hex[:8]}"
        answer = self.ask(
            "POST",
            _PROJECT,
            {"stack_name": self.name, "template": wanted, **body},
        )
        return str(answer["stack"]["id"])

    def hear(self, stack_id: str, last: str) -> list[listeners.Heard]:
        """Return what is heard of a stack, once ``last`` was."""
        limit = time.monotonic() + 20
        while True:
            heard = self.listener.of(stack_id)
            kinds = [each.event_type for each in heard]
            if f"orchestration.stack.{last}" in kinds:
                return heard
            if time.monotonic() > limit:
                raise AssertionError(f"{last} does not come: {kinds}")
            time.sleep(0.02)

    def test_a_life_is_told_in_order_with_heats_keys_and_texts(self) -> None:
        stack_id = self.create(template(), tags="a,b")
        self.hear(stack_id, "create.end")
        self.ask("DELETE", f"{_PROJECT}/{self.name}/{stack_id}")

        heard = self.hear(stack_id, "delete.end")

        self.assertEqual(
            [
                ("create.start", "CREATE_IN_PROGRESS", "Stack CREATE started"),
                (
                    "create.end",
                    "CREATE_COMPLETE",
                    "Stack CREATE completed successfully",
                ),
                ("delete.start", "DELETE_IN_PROGRESS", "Stack DELETE started"),
                (
                    "delete.end",
                    "DELETE_COMPLETE",
                    "Stack DELETE completed successfully",
                ),
            ],
            [_facts(each) for each in heard],
        )
        self.assertEqual({"info"}, {each.priority for each in heard})
        sequences = [each.payload["sequence"] for each in heard]
        self.assertEqual(sorted(sequences), sequences)
        for each in heard:
            self.check_payload(each.payload, stack_id)

    def check_payload(self, payload: dict[str, object], stack_id: str) -> None:
        self.assertEqual(set(), listeners.HEATS_KEYS - set(payload))
        self.assertEqual(
            {
                "tenant_id": "demo",
                "user_id": "ann",
                "username": "ann",
                "user_identity": "u1",
                "stack_identity": stack_id,
                "stack_name": self.name,
                "name": self.name,
                "description": "a stack to hear of",
                "tags": ["a", "b"],
                "updated_at": None,
            },
            {
                key: payload[key]
                for key in (
                    "tenant_id",
                    "user_id",
                    "username",
                    "user_identity",
                    "stack_identity",
                    "stack_name",
                    "name",
                    "description",
                    "tags",
                    "updated_at",
                )
            },
        )
        # Heat's form of a moment, or this fails.
        datetime.datetime.strptime(
            str(payload["create_at"]), "%Y-%m-%dT%H:%M:%SZ"
        )

    def test_who_asked_is_told_with_it(self) -> None:
        stack_id = self.create(template())

        heard = self.hear(stack_id, "create.end")

        for each in heard:
            self.assertEqual("u1", each.context["user_id"])
            self.assertEqual("demo", each.context["project_id"])
            self.assertTrue(each.publisher_id.startswith("orchestration."))

    def test_a_failure_is_told_as_an_error_with_its_reason(self) -> None:
        stack_id = self.create(template(fail=True))

        self.hear(stack_id, "create.start")
        heard = sorted(
            self.hear(stack_id, "create.error"),
            key=lambda each: each.payload["sequence"],
        )

        self.assertEqual(
            [
                ("create.start", "CREATE_IN_PROGRESS", "Stack CREATE started"),
                ("create.error", "CREATE_FAILED", _FAILED),
            ],
            [_facts(each) for each in heard],
        )
        self.assertEqual("error", heard[1].priority)
        failed = typing.cast(
            list[dict[str, object]], heard[1].payload["failed_resources"]
        )
        self.assertEqual(["broken"], [each["name"] for each in failed])

    def test_a_rollback_is_told_after_the_failure(self) -> None:
        stack_id = self.create(template(fail=True), disable_rollback=False)

        heard = self.hear(stack_id, "rollback.end")

        # Errors travel on a queue of their own and may pass the others; the
        # number in each says where it belongs.
        ordered = sorted(heard, key=lambda each: each.payload["sequence"])
        self.assertEqual(
            [
                ("create.start", "CREATE_IN_PROGRESS"),
                ("create.error", "CREATE_FAILED"),
                ("rollback.start", "ROLLBACK_IN_PROGRESS"),
                ("rollback.end", "ROLLBACK_COMPLETE"),
            ],
            [_facts(each)[:2] for each in ordered],
        )
        self.assertEqual(
            [each for each in ordered if each.priority == "info"],
            [each for each in heard if each.priority == "info"],
        )
        self.assertEqual(
            "Stack ROLLBACK completed successfully", _facts(ordered[-1])[2]
        )

    def test_stacks_at_once_are_each_told_in_order(self) -> None:
        stack_ids = [self.create(template()) for _ in range(8)]

        for stack_id in stack_ids:
            heard = self.hear(stack_id, "create.end")
            self.assertEqual(
                ["create.start", "create.end"],
                [_facts(each)[0] for each in heard],
            )


def _facts(heard: listeners.Heard) -> tuple[str, str, str]:
    return (
        heard.event_type.removeprefix("orchestration.stack."),
        str(heard.payload["state"]),
        str(heard.payload["state_reason"]),
    )


class RabbitTests(NotificationCases, base.TestCase):
    """All on one system; each test has stacks of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        services.require("RabbitMQ", "PostgreSQL")
        found = running.Distributed(workers=1)
        cls.addClassCleanup(found.cleanUp)
        found.setUp()
        cls.found = found

    def setUp(self) -> None:
        super().setUp()
        self.listener = self.useFixture(
            listeners.Listener(self.found.broker.url())
        )
        self.address = self.found.system.endpoint.removesuffix("/v1/demo")

    def ask(self, method: str, path: str, body: object = None) -> typing.Any:
        answer = requests.request(
            method,
            self.address + path,
            json=body,
            headers=_HEADERS,
            timeout=30,
        )
        self.assertLess(answer.status_code, 400, answer.text)
        return answer.json() if answer.content else None


class InprocTests(NotificationCases, base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        conf = load.load([], files=[])
        options.register_options(conf)
        url = f"orch-inproc:///{uuid.uuid4().hex}"
        conf.set_override("transport_url", url)
        # Without a socket no user is at the other end.
        conf.set_override("local_users", "any", "api")
        path = self.make_directory() / "orch.db"
        database = db_engine.Database(f"sqlite:///{path}")
        self.addCleanup(database.dispose)
        migrate.upgrade(database)
        served = transport.build_transport(conf)
        self.addCleanup(served.cleanup)
        worker = service.Service(
            conf, database, served, registry.ResourceTypes(conf), "host"
        )
        self.listener = self.useFixture(listeners.Listener(url, conf))
        worker.start()
        self.addCleanup(worker.stop, 5.0)
        bus = transport.build_transport(conf)
        self.addCleanup(bus.cleanup)
        self.http = testing.TestClient(
            app.build_app(
                transport.Caller(bus, 20), assembly.build_settings(conf)
            )
        )

    def ask(self, method: str, path: str, body: object = None) -> typing.Any:
        answer = self.http.simulate_request(
            method, path, json=body, headers=_HEADERS, host=_HOST
        )
        self.assertLess(answer.status_code, 400, answer.text)
        return answer.json if answer.content else None
