"""Events that go to sinks: webhooks that environments name."""

import base64
import collections
import hashlib
import hmac
import json
import pathlib
import typing

import fixtures

from tests.functional import nesting
from tests.support import rest
from tests.support import waiting
from tests.support import webhooks
from tests.support import world_templates

Json = dict[str, typing.Any]

LIMIT_S = 60
SECRET = "a secret of one sink"
HEATS_KEYS = {
    "resource_name",
    "physical_resource_id",
    "stack_id",
    "resource_action",
    "resource_status",
    "resource_status_reason",
    "resource_type",
    "resource_properties",
    "version",
}
"""What the payload of Heat's sinks has."""
_KEY = {"get_param": "key"}
_HIDING = {
    "heat_template_version": "2021-04-16",
    "parameters": {"key": {"type": "string", "hidden": True}},
    "resources": {
        "a": world_templates.declare_resource(label=_KEY),
        "cut": world_templates.declare_resource(
            label={"str_split": ["r2", {"get_attr": ["a", "label"]}, 0]}
        ),
        "named": {
            "type": "Orch::Local::File",
            "properties": {"path": {"str_split": ["r2", _KEY, 0]}},
        },
        "bad": {
            "type": "OS::Heat::TestResource",
            "depends_on": ["cut", "named"],
            "properties": {"fail": True, "value": _KEY},
        },
    },
}


def sink(service: webhooks.Service, **more: object) -> Json:
    return {"type": "webhook", "target": service.url, **more}


def environment(*sinks: Json, **more: object) -> Json:
    return {"event_sinks": list(sinks), **more}


def bodies(service: webhooks.Service) -> list[Json]:
    """Return what came, in order, also what was not taken."""
    return [json.loads(each.body) for each in list(service.requests)]


def facts(found: typing.Iterable[Json]) -> list[tuple[object, ...]]:
    return [
        (
            each["payload"]["resource_name"],
            f"{each['payload']['resource_action']}"
            f"_{each['payload']['resource_status']}",
        )
        for each in found
    ]


class SinkTestCase(nesting.NestedTestCase):
    limit_s = 180

    def serve(self, *answers: tuple[int, bytes]) -> webhooks.Service:
        return self.useFixture(webhooks.Service(*answers))

    def heard(
        self, service: webhooks.Service, name: str, status: str
    ) -> list[Json]:
        """Return what came, once this of a resource or the stack did."""
        waiting.wait_for(
            lambda: (name, status) in facts(bodies(service)),
            f"{name} {status}",
            LIMIT_S,
        )
        return bodies(service)

    def listed(self, stack: rest.Stack) -> list[str]:
        return [str(each["id"]) for each in self.client.events(stack)]


class EventSinkTests(SinkTestCase):
    """All on one server."""

    def test_all_events_come_in_order_with_heats_keys_and_ours(self) -> None:
        service = self.serve()

        stack = self.create(environment=environment(sink(service)))
        found = self.heard(service, self.name, "CREATE_COMPLETE")

        self.assertEqual(
            self.listed(stack), [str(each["id"]) for each in found]
        )
        numbers = [each["payload"]["sequence"] for each in found]
        self.assertEqual(list(range(1, len(found) + 1)), numbers)
        for each in found:
            self.check_body(each, stack)
        last = found[-2]["payload"]
        self.assertEqual("c", last["resource_name"])
        self.assertEqual("Test::World::Thing", last["resource_type"])
        self.assertEqual("", last["resource_properties"]["label"])
        self.assertTrue(last["physical_resource_id"])

    def check_body(self, body: Json, stack: rest.Stack) -> None:
        payload = body["payload"]
        self.assertEqual("os.heat.event", body["type"])
        self.assertEqual(("0.1", "0.1"), (body["version"], payload["version"]))
        self.assertRegex(
            body["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
        )
        self.assertEqual(set(), HEATS_KEYS - set(payload))
        operation = self.operations(stack)[-1]
        self.assertEqual(
            (
                stack.id,
                self.name,
                self.name,
                stack.id,
                None,
                "demo",
                operation["id"],
                "CREATE",
            ),
            tuple(
                payload[key]
                for key in (
                    "stack_id",
                    "stack_name",
                    "path",
                    "root_id",
                    "parent_id",
                    "project_id",
                    "operation_id",
                    "resource_action",
                )
            ),
        )
        self.assertTrue(str(payload["request_id"]).startswith("req-"))

    def test_inner_stacks_are_told_with_their_path(self) -> None:
        service = self.serve()

        stack = self.make(
            {"web": self.child_resource()},
            environment=environment(sink(service)),
        )
        found = self.heard(service, self.name, "CREATE_COMPLETE")

        inner = self.child_of(stack, "web")
        mine = [
            each for each in found if each["payload"]["stack_id"] == inner.id
        ]
        self.assertEqual(
            self.listed(inner), [str(each["id"]) for each in mine]
        )
        self.assertEqual(
            {(f"{self.name}/web", stack.id, stack.id)},
            {
                (
                    each["payload"]["path"],
                    each["payload"]["parent_id"],
                    each["payload"]["root_id"],
                )
                for each in mine
            },
        )
        self.assertEqual(len(found), len({each["id"] for each in found}))

    @staticmethod
    def child_resource() -> Json:
        return typing.cast(Json, nesting.child_resource())

    def test_a_sink_with_a_secret_is_signed_and_it_is_shown_to_nobody(
        self,
    ) -> None:
        service = self.serve()
        stack = self.create(
            environment=environment(sink(service, secret=SECRET))
        )

        self.heard(service, self.name, "CREATE_COMPLETE")

        for each in list(service.requests):
            moment = each.headers["webhook-timestamp"]
            event_id = each.headers["webhook-id"]
            content = f"{event_id}.{moment}.".encode() + each.body
            digest = hmac.digest(SECRET.encode(), content, hashlib.sha256)
            self.assertEqual(
                f"v1,{base64.b64encode(digest).decode()}",
                each.headers["webhook-signature"],
            )
            self.assertEqual(json.loads(each.body)["id"], event_id)
        shown = self.client.ask("GET", f"{stack.path}/environment")
        assert isinstance(shown, dict)
        self.assertEqual(
            [{**sink(service), "secret": "******"}], shown["event_sinks"]
        )

    def test_without_a_secret_there_is_no_signature(self) -> None:
        service = self.serve()
        self.create(environment=environment(sink(service)))

        self.heard(service, self.name, "CREATE_COMPLETE")

        self.assertNotIn("webhook-signature", service.requests[0].headers)

    def test_hidden_values_never_leave(self) -> None:
        service = self.serve()
        stack = self.client.create(
            self.name,
            _HIDING,
            parameters={"key": "hunter2hunter2"},
            environment=environment(sink(service)),
        )
        self.client.wait(stack, "CREATE_FAILED")

        found = self.heard(service, self.name, "CREATE_FAILED")

        self.assertNotIn(b"hunte", b"".join(e.body for e in service.requests))
        self.assertEqual(
            {"a": "******", "cut": "******", "bad": "******"},
            {
                each["payload"]["resource_name"]: properties[name]
                for each in found
                for properties in [each["payload"]["resource_properties"]]
                for name in ("label", "value")
                if properties.get(name)
            },
        )

    def test_an_event_that_was_not_taken_is_sent_again_in_its_place(
        self,
    ) -> None:
        service = self.serve((200, b""), (503, b"busy"), (200, b""))
        stack = self.create(environment=environment(sink(service)))

        self.heard(service, self.name, "CREATE_COMPLETE")

        found = [str(each["id"]) for each in bodies(service)]
        wanted = self.listed(stack)
        self.assertEqual(wanted, list(dict.fromkeys(found)))
        self.assertEqual(
            [wanted[1]],
            [
                one
                for one, times in collections.Counter(found).items()
                if times > 1
            ],
        )

    def test_an_event_that_is_refused_for_good_is_left_out(self) -> None:
        service = self.serve((200, b""), (400, b"no"), (200, b""))
        stack = self.create(environment=environment(sink(service)))

        self.heard(service, self.name, "CREATE_COMPLETE")

        found = [str(each["id"]) for each in bodies(service)]
        self.assertEqual(self.listed(stack), found)

    def test_a_sink_that_says_nothing_delays_only_itself(self) -> None:
        slow, dead, quick = self.serve(), self.serve((500, b"")), self.serve()
        slow.held = b"os.heat.event"
        self.addCleanup(slow.gate.set)

        self.create(
            environment=environment(sink(slow), sink(dead), sink(quick))
        )
        found = self.heard(quick, self.name, "CREATE_COMPLETE")

        self.assertEqual(8, len(found))
        self.assertLessEqual(len({each["id"] for each in bodies(slow)}), 1)
        self.assertLessEqual(len({each["id"] for each in bodies(dead)}), 1)
        slow.held = None
        slow.gate.set()
        again = self.heard(slow, self.name, "CREATE_COMPLETE")
        self.assertEqual(
            [each["id"] for each in found],
            list(dict.fromkeys(each["id"] for each in again)),
        )

    def test_updates_and_the_end_of_the_stack_are_told(self) -> None:
        service = self.serve()
        told = environment(sink(service))
        stack = self.create(environment=told)
        self.update(stack, world_templates.chain("new"), environment=told)
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.client.delete(stack)

        found = self.heard(service, self.name, "DELETE_COMPLETE")

        numbers = [each["payload"]["sequence"] for each in found]
        self.assertEqual(list(range(1, len(found) + 1)), numbers)

    def test_a_sink_that_comes_with_an_update_hears_of_it_and_what_follows(
        self,
    ) -> None:
        service = self.serve()
        stack = self.make({"web": self.child_resource()})
        before = self.listed(stack)

        self.client.ask(
            "PATCH", stack.path, {"environment": environment(sink(service))}
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")
        found = self.heard(service, self.name, "CHECK_COMPLETE")

        mine = [each for each in found if each["payload"]["parent_id"] is None]
        self.assertEqual(
            self.listed(stack)[len(before) :], [each["id"] for each in mine]
        )
        self.assertNotIn(
            "CREATE", {each["payload"]["resource_action"] for each in found}
        )

    def test_a_patch_that_names_no_sinks_keeps_them(self) -> None:
        service = self.serve()
        stack = self.create(environment=environment(sink(service)))

        self.client.ask("PATCH", stack.path, {"parameters": {}})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.heard(service, self.name, "UPDATE_COMPLETE")

    def test_a_sink_that_an_update_takes_away_hears_nothing_more(self) -> None:
        gone, kept = self.serve(), self.serve()
        stack = self.create(environment=environment(sink(gone), sink(kept)))
        self.heard(gone, self.name, "CREATE_COMPLETE")

        self.update(
            stack,
            world_templates.chain("new"),
            environment=environment(sink(kept)),
        )
        self.heard(kept, self.name, "UPDATE_COMPLETE")

        self.assertEqual(
            {"CREATE"},
            {each["payload"]["resource_action"] for each in bodies(gone)},
        )

    def test_what_is_wrong_with_a_sink_is_told_with_its_place(self) -> None:
        for wrong, path, said in (
            ({"type": "webhok", "target": "x"}, "[0].type", "webhok"),
            ({"type": "webhook"}, "[0]", 'needs a "target"'),
            ({"type": "webhook", "target": "ftp://x"}, "[0].target", "https"),
            (
                {"type": "webhook", "target": "https://a:b@c/"},
                "[0].target",
                "no user name",
            ),
            (
                {"type": "webhook", "target": "https://c/", "secret": "s"},
                "[0].secret",
                "shorter than 16",
            ),
            (
                {"type": "webhook", "target": f"https://{'c' * 254}/"},
                "[0].target",
                "longer than 253",
            ),
            (
                {
                    "type": "webhook",
                    "target": "https://c/",
                    "secret": "******",
                },
                "[0].secret",
                "shown in its place",
            ),
            (
                {"type": "webhook", "target": "https://c/", "ttl": 5},
                "[0].ttl",
                'no "ttl"',
            ),
            (
                {"type": "zaqar-queue", "target": "no/queue"},
                "[0].target",
                "no queue has that name",
            ),
            (
                {"type": "zaqar-queue", "target": "q", "ttl": 5},
                "[0].ttl",
                "60 or more",
            ),
            (
                {"type": "zaqar-queue", "target": "q", "ttl": 10**400},
                "[0].ttl",
                "at most",
            ),
        ):
            for ask in (self.refuse_create, self.refuse_validate):
                problem = ask(wrong)
                self.assertEqual(f"event_sinks{path}", problem["path"])
                self.assertIn(said, str(problem["message"]))

    def refuse_create(self, wrong: Json) -> Json:
        return self.refuse("/stacks", wrong, {"stack_name": "s"})

    def refuse_validate(self, wrong: Json) -> Json:
        return self.refuse("/validate", wrong, {})

    def refuse(self, path: str, wrong: Json, more: Json) -> Json:
        body = {
            "template": world_templates.chain(),
            "environment": environment(wrong),
            **more,
        }
        error = self.assertRaises(
            rest.RefusedError, self.client.ask, "POST", path, body
        )
        self.assertEqual(400, error.status)
        problems = typing.cast(Json, error.body)["problems"]
        self.assertEqual(1, len(problems), problems)
        return typing.cast(Json, problems[0])


class GuardedTest(SinkTestCase):
    """Where nothing on the machine itself may be reached."""

    arguments = ()
    options: typing.ClassVar = {
        "egress": {"allowed_networks": "203.0.113.0/24"},
    }

    def test_a_sink_on_this_machine_is_never_reached(self) -> None:
        service = self.serve()
        stack = self.create(environment=environment(sink(service)))

        problem = waiting.wait_for(self.logged_problem, "a problem", LIMIT_S)

        self.assertIn("takes no events, they wait", problem)
        self.assertIn(stack.id, problem)
        self.assertEqual([], service.requests)

    def logged_problem(self) -> str:
        log = self.system.server.log.read_text(errors="replace")
        return next(
            (line for line in log.splitlines() if "they wait" in line), ""
        )


class InstallationTest(SinkTestCase):
    """Options of the installation; events get too old within a minute."""

    @classmethod
    def setUpClass(cls) -> None:
        found = fixtures.TempDir()
        cls.addClassCleanup(found.cleanUp)
        found.setUp()
        path = pathlib.Path(found.path) / "secrets"
        path.write_text("the newest of them all\nthe one before that\n")
        cls.options = {"event_sinks": {"secret_file": str(path)}}
        super().setUpClass()

    def test_webhooks_without_a_secret_get_those_of_the_installation(
        self,
    ) -> None:
        service = self.serve()
        self.create(environment=environment(sink(service)))

        self.heard(service, self.name, "CREATE_COMPLETE")

        asked = service.requests[0]
        content = (
            f"{asked.headers['webhook-id']}."
            f"{asked.headers['webhook-timestamp']}."
        ).encode() + asked.body
        self.assertEqual(
            [
                "v1,"
                + base64.b64encode(
                    hmac.digest(key, content, hashlib.sha256)
                ).decode()
                for key in (b"the newest of them all", b"the one before that")
            ],
            asked.headers["webhook-signature"].split(),
        )
