"""Secrets of users appear in nothing that Orch says, writes or stores.

Each secret is a word of its own that is looked for in all answers, in the
logs of all processes with debugging on, in notifications, and in every table
of the database.
"""

import collections.abc
import contextlib
import json
import typing

import requests
import sqlalchemy as sa

from orch.db import engine as db_engine
from orch.engine import credentials
from orch.engine.adoption import sealing
from tests.functional import acting
from tests.functional import observing
from tests.support import listeners
from tests.support import rest
from tests.support import running
from tests.support import systems
from tests.support import waiting
from tests.support import world
from tests.support import world_templates
from tests.unit.resources.http import service

Json = dict[str, typing.Any]

_HIDDEN = "canary-hidden-5f1c"
_LATER = "canary-later-77ab"
_TOLD = "canary-told-31d0"
_INPUT = "canary-input-9e42"
_SIGNAL = "canary-signal-c2aa"
_PART = "zq7vxwpart"
_WHOLE = f"canary-{_PART}-xy"
_ALL = (_HIDDEN, _LATER, _TOLD, _INPUT, _SIGNAL, _PART)

_PARAMETER = {"word": {"type": "string", "hidden": True}}
_WORD = {"get_param": "word"}
_INNER = {
    "heat_template_version": "2021-04-16",
    # Not hidden here: the secret comes under another name.
    "parameters": {"given": {"type": "string"}},
    "resources": {
        "deep": world_templates.declare_resource(value={"get_param": "given"})
    },
}


def template(**resources: Json) -> Json:
    return {**world_templates.template(**resources), "parameters": _PARAMETER}


def _without_attributes(answer: requests.Response) -> str:
    """Return the body of an answer, without what resources show of things."""
    is_shown = answer.request.method == "GET" and "/resources" in answer.url
    if not is_shown or not answer.ok:
        return answer.text
    body = answer.json()
    for each in [body.get("resource"), *body.get("resources", ())]:
        if each is not None:
            each.pop("attributes", None)
    return json.dumps(body)


class SecretsTestCase(acting.ActionsTestCase):
    """A server whose answers, notifications, logs and rows are looked at.

    What is asked for in clear text is left out: outputs, attributes, an
    export.

    :cvar words: the secrets
    :cvar more: options of the server beyond those of all such classes
    """

    words: typing.ClassVar[tuple[str, ...]] = _ALL
    searchers: typing.ClassVar[int] = 0
    more: typing.ClassVar[systems.Options] = {}

    @classmethod
    def setUpClass(cls) -> None:
        # Not the server of the other classes: processes, broker, database.
        cls.world = cls.use(world.World())
        cls.found = cls.use(
            running.Distributed(
                {
                    "DEFAULT": {
                        "debug": True,
                        "encrypt_parameters_and_properties": True,
                        "enable_stack_adopt": True,
                        "enable_stack_abandon": True,
                    },
                    "engine": {"lease_ttl": 2, "scan_interval": 0.2},
                    "adoption": {
                        "secrets": "sealed",
                        "private_keys": sealing.new_key(),
                    },
                    "signals": {"seal_keys": "k" * 32},
                    "credentials": {"encryption_keys": credentials.new_key()},
                    "egress": {"allowed_networks": "127.0.0.1/32"},
                    **cls.more,
                },
                cls.world.environment,
                workers=1,
                searchers=cls.searchers,
            )
        )
        cls.system = cls.found.system
        cls.client = cls.system.client

    def setUp(self) -> None:
        super().setUp()
        self.said: list[str] = []
        session = self.client._session
        session.hooks["response"] = [self.record_answer]
        self.addCleanup(session.hooks["response"].clear)
        self.listener = self.useFixture(
            listeners.Listener(self.found.broker.url())
        )

    def record_answer(self, answer: requests.Response, **more: object) -> None:
        self.said.append(
            f"{answer.request.method} {answer.url} {answer.headers}"
            f" {_without_attributes(answer)}"
        )

    def look_at_all(self, stack: rest.Stack) -> None:
        """Ask for whatever can be asked of a stack."""
        self.client.ask("GET", "/stacks/detail")
        for place in (
            "",
            "/template",
            "/environment",
            "/files",
            "/resources?nested_depth=3&with_detail=true",
            "/events?nested_depth=3",
            "/operations",
            "/snapshots",
            "/plans",
            "/outputs",
            "/drift",
            "/drift/policy",
            "/drift/template",
        ):
            self.client.ask("GET", stack.path + place)
        for each in self.operations(stack):
            self.client.ask("GET", f"{stack.path}/operations/{each['id']}")
        for name, row in self.client.resources(stack).items():
            place = f"{stack.path}/resources/{name}"
            self.client.ask("GET", place)
            events = self.client.get(f"{place}/events", "events")
            for each in typing.cast(list[Json], events):
                self.client.ask("GET", f"{place}/events/{each['id']}")
            if row["resource_type"] == "inner.yaml":
                inner_id = str(row["physical_resource_id"])
                found = self.client.get(f"/stacks/{inner_id}", "stack")
                assert isinstance(found, dict)
                self.look_at_all(
                    rest.Stack(str(found["stack_name"]), inner_id)
                )

    def check(self) -> None:
        """Look for all secrets in all that was said until now."""
        heard = self.listener.heard
        self.assertNotEqual([], heard)
        self.assertEqual([], self.look_in("notification", map(repr, heard)))
        self.check_but_notifications()

    def check_but_notifications(self) -> None:
        """Look for them in answers, logs and the database."""
        self.assertNotEqual([], self.said)
        found = self.look_in("answer", self.said)
        for member in self.system.members:
            lines = member.log.read_text().splitlines()
            found += self.look_in(member.log.name, lines)
        found += self.look_in("database", self.rows())
        self.assertEqual([], found)

    def look_in(
        self, where: str, texts: collections.abc.Iterable[str]
    ) -> list[str]:
        """Return where the secrets are, with what stands before them."""
        return [
            f"{where} {text[:70]} … {text[max(0, place - 250) : place + 40]}"
            for text in texts
            for secret in self.words
            if (place := text.find(secret)) >= 0
        ]

    def rows(self) -> list[str]:
        database = db_engine.Database(self.found.database.url)
        self.addCleanup(database.dispose)
        with database.engine.connect() as conn:
            return [
                f"{name}: {row!r}"
                for name in sa.inspect(conn).get_table_names()
                for row in conn.execute(sa.text(f'SELECT * FROM "{name}"'))
            ]

    def is_gone(self, stack: rest.Stack) -> bool:
        found = self.client.ask("GET", "/stacks")
        assert isinstance(found, dict)
        return stack.id not in {each["id"] for each in found["stacks"]}


class SecretsTest(SecretsTestCase):
    def body(self, wanted: Json, word: str) -> Json:
        return {
            "template": wanted,
            "parameters": {"word": word},
            "files": {"inner.yaml": json.dumps(_INNER)},
        }

    def test_a_life_with_a_hidden_parameter(self) -> None:
        wanted = template(
            a=world_templates.declare_resource(value=_WORD, label=_WORD),
            b=world_templates.declare_resource("a", label="plain"),
            inner={"type": "inner.yaml", "properties": {"given": _WORD}},
        )
        body = self.body(wanted, _HIDDEN)
        self.client.ask("POST", "/validate", body)
        self.client.ask(
            "POST", "/stacks/preview", {"stack_name": self.name, **body}
        )
        stack = self.client.create(self.name, **body)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.look_at_all(stack)
        self.check()

        later = self.body(wanted, _LATER)
        self.client.ask("PUT", f"{stack.path}/preview", later)
        plan = self.client.ask(
            "POST", f"{stack.path}/plans", {"action": "update", **later}
        )
        assert isinstance(plan, dict)
        self.client.ask("GET", f"{stack.path}/plans/{plan['plan']['id']}")
        self.client.ask("PUT", stack.path, later)
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.client.ask("POST", f"{stack.path}/snapshots", {"name": "kept"})
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        self.look_at_all(stack)
        self.check()

        self.client.ask("GET", f"{stack.path}/export")
        document = self.client.ask("DELETE", f"{stack.path}/abandon")
        waiting.wait_for(lambda: self.is_gone(stack), "the stack is gone")
        answer = self.client.ask(
            "POST",
            "/stacks",
            {
                "stack_name": f"{self.name}-again",
                "adopt_stack_data": json.dumps(document),
            },
        )
        assert isinstance(answer, dict)
        again = rest.Stack(f"{self.name}-again", answer["stack"]["id"])
        self.client.wait(again, "ADOPT_COMPLETE")
        self.look_at_all(again)
        self.check()

    def test_parts_that_the_template_cuts_out(self) -> None:
        part = {"str_split": ["-", _WORD, 1]}
        told = {"get_attr": ["part", "label"]}
        wanted = template(
            part=world_templates.declare_resource(label=part, value="plain"),
            reader=world_templates.declare_resource(label=told),
            inner={"type": "inner.yaml", "properties": {"given": told}},
            given={"type": "inner.yaml", "properties": {"given": part}},
            short={
                "type": "inner.yaml",
                "properties": {"given": {"str_split": ["-", _WORD, 2]}},
            },
        )
        body = self.body(wanted, _WHOLE)
        self.client.ask(
            "POST", "/stacks/preview", {"stack_name": self.name, **body}
        )
        stack = self.client.create(self.name, **body)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.ask("PUT", f"{stack.path}/preview", body)
        self.client.ask("GET", f"{stack.path}/export")
        self.look_at_all(stack)

        waiting.wait_for(lambda: self.listener.heard, "a notification")
        self.check()
        found = self.client.get(f"{stack.path}/resources/part", "resource")
        shown = typing.cast(Json, found)["attributes"]
        self.assertEqual((_PART, "plain"), (shown["label"], shown["value"]))
        row = self.client.resources(stack)["short"]
        place = f"/stacks/{row['physical_resource_id']}"
        inner = typing.cast(Json, self.client.get(place, "stack"))
        stack = rest.Stack(str(inner["stack_name"]), str(inner["id"]))
        environment = self.client.ask("GET", f"{stack.path}/environment")
        for shown in (inner, typing.cast(Json, environment)):
            self.assertEqual("******", shown["parameters"]["given"])

    def followed(self, stack: rest.Stack, last: str) -> None:
        """Keep what a stream of events says, up to one that says ``last``."""
        answer = requests.get(
            f"{self.client.endpoint}{stack.path}/events?follow=true",
            stream=True,
            timeout=30,
        )
        with answer:
            for line in answer.iter_lines(decode_unicode=True):
                self.said.append(line)
                if last in line:
                    return
        self.fail(f"the stream has ended without {last}")

    def test_what_has_drifted(self) -> None:
        thing = observing.single()
        thing["properties"]["label"] = _WORD
        inner = {
            **_INNER,
            "resources": {
                "deep": {
                    "type": "Test::World::Single",
                    "properties": {"label": {"get_param": "given"}},
                }
            },
        }
        body = self.body(
            template(
                a=thing,
                inner={"type": "inner.yaml", "properties": {"given": _WORD}},
            ),
            _HIDDEN,
        )
        body["files"] = {"inner.yaml": json.dumps(inner)}
        stack = self.client.create(self.name, **body)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.world.relabel(self.name, "a", f"{_HIDDEN}-changed")
        below = observing.read(self.client, stack)["stacks"][1]
        self.world.relabel(below["stack_name"], "deep", "plain")
        place = f"{stack.path}/actions"
        self.client.ask("POST", place, {"observe": None})
        waiting.wait_for(
            lambda: observing.read(self.client, stack)["state"] == "drifted",
            "drift",
        )

        self.assertEqual(
            ["a", "inner/deep"], observing.drifted(self.client, stack)
        )
        self.look_at_all(stack)
        waiting.wait_for(
            lambda: (
                "orchestration.stack.drift.detected"
                in {kind for _, kind in self.listener.kinds()}
            ),
            "the notification",
        )
        self.check()
        self.client.ask("POST", place, {"accept_drift": None})
        self.look_at_all(stack)
        self.check()

    def test_what_was_asked_for_in_clear_text_is_nowhere_else(self) -> None:
        wanted = template(
            a=world_templates.declare_resource(value=_WORD, label=_WORD),
            inner={"type": "inner.yaml", "properties": {"given": _WORD}},
        )
        stack = self.client.create(self.name, **self.body(wanted, _HIDDEN))
        self.client.wait(stack, "CREATE_COMPLETE")
        for method, end in (("GET", "export"), ("DELETE", "abandon")):
            self.client.ask(method, f"{stack.path}/{end}?secrets=plain")
            # Whoever asked for it has got it.
            self.assertIn(_HIDDEN, self.said.pop())
        waiting.wait_for(lambda: self.is_gone(stack), "the stack is gone")

        self.client.ask("GET", "/stacks/detail?show_deleted=true")
        self.check()

    def test_moves_and_streams(self) -> None:
        wanted = template(
            a=world_templates.declare_resource(value=_WORD, label=_WORD),
            b=world_templates.declare_resource(label="plain"),
        )
        stack = self.client.create(self.name, **self.body(wanted, _HIDDEN))
        self.client.wait(stack, "CREATE_COMPLETE")
        other = template(c=world_templates.declare_resource(value=_WORD))
        target = self.client.create(
            f"{self.name}-target", **self.body(other, _LATER)
        )
        self.client.wait(target, "CREATE_COMPLETE")
        self.followed(stack, "Stack CREATE completed")

        wanted["resources"].pop("b")
        other["resources"]["b"] = world_templates.declare_resource(
            label="plain"
        )
        body = {
            "target": target.name,
            "source_template": wanted,
            "target_template": other,
        }
        for name, status in (("a", 409), ("b", 202)):
            body["resources"] = [name]
            for end in ("move/preview", "move"):
                answer = self.client._session.post(
                    f"{self.client.endpoint}{stack.path}/{end}",
                    json=body,
                    timeout=30,
                )
                if end == "move":
                    self.assertEqual(status, answer.status_code, answer.text)
        for each in (stack, target):
            self.client.wait(each, "UPDATE_COMPLETE")
            self.followed(each, "Stack UPDATE completed")
            self.look_at_all(each)
        self.check()

    def test_a_value_that_is_refused_is_not_told(self) -> None:
        wanted = template(a=world_templates.declare_resource(value=_WORD))
        for constraint in (
            {"allowed_pattern": "[0-9]+"},
            {"allowed_values": ["x"]},
            {"length": {"max": 3}},
        ):
            wanted["parameters"] = {
                "word": {
                    **_PARAMETER["word"],
                    "constraints": [constraint],
                }
            }
            body = {"stack_name": self.name, **self.body(wanted, _HIDDEN)}
            self.check_refused(body)
            for place in ("/validate", "/stacks/preview"):
                with contextlib.suppress(rest.RefusedError):
                    self.client.ask("POST", place, body)
        for kind in ("number", "json"):
            wanted["parameters"] = {"word": {"type": kind, "hidden": True}}
            body = {"stack_name": self.name, **self.body(wanted, _HIDDEN)}
            self.check_refused(body)

        self.check_but_notifications()

    def check_refused(self, body: Json) -> None:
        status, _ = self.refused(self.client.ask, "POST", "/stacks", body)
        self.assertEqual(400, status)

    def test_a_service_that_tells_the_secret_when_it_refuses(self) -> None:
        told = self.useFixture(service.Service())
        told.answers["POST", "/users"] = (400, {"bad": _TOLD, "why": "weak"})
        wanted = template(
            user={
                "type": "Orch::HTTP::Resource",
                "properties": {
                    "url": told.url,
                    "create": {"path": "/users", "body": {"password": _WORD}},
                },
            }
        )
        stack = self.client.create(self.name, **self.body(wanted, _TOLD))

        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("weak", str(shown["stack_status_reason"]))
        self.look_at_all(stack)
        self.check()

    def test_software_and_its_inputs(self) -> None:
        wanted = template(
            config={
                "type": "OS::Heat::SoftwareConfig",
                "properties": {
                    "group": "script",
                    "inputs": [{"name": "password", "type": "String"}],
                    "config": "echo",
                },
            },
            handle={"type": "OS::Heat::WaitConditionHandle"},
            deployment={
                "type": "OS::Heat::SoftwareDeployment",
                "properties": {
                    "config": {"get_resource": "config"},
                    "server": "5b3e0d0e-7f5a-4f0e-8d58-3d6e6f1d2a11",
                    "input_values": {"password": _WORD},
                    "signal_transport": "NO_SIGNAL",
                },
            },
        )
        stack = self.client.create(self.name, **self.body(wanted, _INPUT))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.ask(
            "POST",
            f"{stack.path}/resources/handle/signal",
            {"status": "SUCCESS", "data": _SIGNAL, "id": "1"},
        )

        self.look_at_all(stack)
        waiting.wait_for(lambda: self.listener.heard, "a notification")
        self.check()
