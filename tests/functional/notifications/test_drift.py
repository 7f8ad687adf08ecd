"""Drift of stacks that several workers share, over a real RabbitMQ."""

import typing

from tests import base
from tests.functional import observing
from tests.support import listeners
from tests.support import rest
from tests.support import running
from tests.support import services
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

Json = dict[str, typing.Any]


class DriftTests(base.TestCase):
    """All on one system; each test has a stack of its own."""

    limit_s = 120

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        services.require("RabbitMQ", "PostgreSQL")
        cls.world = cls.use(world.World())
        cls.found = cls.use(
            running.Distributed(
                {
                    "engine": {"lease_ttl": 2, "scan_interval": 0.2},
                    "observer": {"claim_ttl": 2},
                },
                cls.world.environment,
            )
        )
        cls.system = cls.found.system
        cls.client = cls.system.client

    @classmethod
    def use(cls, fixture: typing.Any) -> typing.Any:
        cls.addClassCleanup(fixture.cleanUp)
        fixture.setUp()
        return fixture

    def setUp(self) -> None:
        super().setUp()
        self.listener = self.useFixture(
            listeners.Listener(self.found.broker.url())
        )

    def made(self, name: str, wanted: Json, **body: object) -> rest.Stack:
        self.addCleanup(self.world.forgive, name)
        stack = self.client.create(name, wanted, **body)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def ask(self, stack: rest.Stack) -> None:
        self.client.ask("POST", f"{stack.path}/actions", {"observe": None})

    def observe(self, stack: rest.Stack) -> Json:
        self.ask(stack)
        waiting.wait_for(
            lambda: not observing.read(self.client, stack)["in_progress"],
            "the look",
        )
        return observing.read(self.client, stack)

    def heard(self, stack: rest.Stack, kind: str) -> Json:
        """Return the payload of the notification of this kind."""
        wanted = f"orchestration.stack.drift.{kind}"
        waiting.wait_for(
            lambda: (stack.id, wanted) in self.listener.kinds(), kind
        )
        (found,) = [
            each
            for each in self.listener.of(stack.id)
            if each.event_type == wanted
        ]
        self.assertEqual("info", found.priority)
        return typing.cast(Json, found.payload)

    def test_each_change_of_drift_is_told_once(self) -> None:
        stack = self.made(
            "told",
            world_templates.template(
                a=observing.single(), b=observing.listed()
            ),
        )
        self.world.relabel("told", "a", "other")
        self.world.remove("told", "b")
        self.observe(stack)
        self.observe(stack)

        payload = self.heard(stack, "detected")
        self.assertEqual(set(), listeners.HEATS_KEYS - set(payload))
        self.assertEqual(
            {
                "state": "drifted",
                "coverage": 59,
                "drifted": 2,
                "count": 1,
                "resources": [
                    {
                        "resource_name": "a",
                        "path": "a",
                        "resource_type": "Test::World::Single",
                        "physical_resource_id": payload["drift"]["resources"][
                            0
                        ]["physical_resource_id"],
                        "differences": [
                            {
                                "property": "label",
                                "expected": "l",
                                "live": "other",
                                "policy": "report",
                            }
                        ],
                    }
                ],
            },
            payload["drift"],
        )
        self.assertEqual(
            {"CREATE_COMPLETE": 2}, payload["resource_counts"]["by_status"]
        )
        (gone,) = self.heard(stack, "vanished")["drift"]["resources"]
        self.assertEqual(("b", []), (gone["path"], gone["differences"]))

        self.world.relabel("told", "a", "third")
        self.observe(stack)
        self.heard(stack, "changed")
        self.world.relabel("told", "a", "l")
        self.observe(stack)
        payload = self.heard(stack, "cleared")
        self.assertEqual(1, payload["drift"]["drifted"])
        self.heard(stack, "detected")

    def test_what_is_accepted_is_told(self) -> None:
        stack = self.made(
            "taken", world_templates.template(a=observing.single())
        )
        self.world.relabel("taken", "a", "other")
        self.observe(stack)
        self.client.ask(
            "POST", f"{stack.path}/actions", {"accept_drift": None}
        )

        payload = self.heard(stack, "accepted")

        self.assertEqual("in_sync", payload["drift"]["state"])
        self.assertEqual(0, payload["drift"]["drifted"])
        self.assertEqual(
            {"CREATE_COMPLETE": 1}, payload["resource_counts"]["by_status"]
        )

    def test_hidden_values_are_covered(self) -> None:
        thing = observing.single()
        thing["properties"]["label"] = {"get_param": "word"}
        part = observing.single()
        part["properties"]["label"] = {
            "str_split": ["-", {"get_attr": ["a", "label"]}, 0]
        }
        stack = self.made(
            "covered",
            {
                **world_templates.template(a=thing, part=part),
                "parameters": {"word": {"type": "string", "hidden": True}},
            },
            parameters={"word": "canary-5c0"},
        )
        self.world.relabel("covered", "a", "canary-live")
        self.world.relabel("covered", "part", "canary-too")
        self.observe(stack)

        payload = self.heard(stack, "detected")

        self.assertNotIn("canary", str(payload))
        self.assertEqual(4, str(payload["drift"]).count("******"))

    def test_where_a_worker_dies_another_looks(self) -> None:
        stack = self.made(
            "killed",
            world_templates.template(
                a=observing.listed(), b=observing.single()
            ),
        )
        self.world.relabel("killed", "b", "other")
        self.world.order("killed", "list", "a", moment="after")
        self.ask(stack)
        pid = self._held("killed", "list-after")
        (dying,) = [each for each in self.system.engines if each.pid == pid]
        dying.kill()
        self.addCleanup(dying.start)
        self.world.release("killed")

        waiting.wait_for(
            lambda: not observing.read(self.client, stack)["in_progress"],
            "the look of another worker",
        )

        drift = observing.read(self.client, stack)
        self.assertEqual("drifted", drift["state"])
        self.assertEqual(["b"], observing.drifted(self.client, stack))
        pids = {
            each.pid
            for each in self.world.calls("killed")
            if each.act == "list"
        }
        self.assertEqual(2, len(pids), pids)
        self.heard(stack, "detected")

    def test_a_check_reports_each_kind_once(self) -> None:
        stack = self.made(
            "checked",
            world_templates.template(
                a=observing.single(),
                b=observing.single(),
                c=observing.single(),
            ),
        )
        for name in "ac":
            self.world.relabel("checked", name, "other")
        self.world.order("checked", "read", "c", moment="before")
        self.client.ask("POST", f"{stack.path}/actions", {"check": None})
        pid = self._held("checked", "read-before")
        waiting.wait_for(
            lambda: any(
                each["resource_status_reason"] == "It has drifted: label"
                for each in self.client.events(stack)
            ),
            "the drift of a",
        )
        (dying,) = [each for each in self.system.engines if each.pid == pid]
        dying.kill()
        self.addCleanup(dying.start)
        before = self._kinds(stack)
        self.world.release("checked")
        self.client.wait(stack, "CHECK_COMPLETE")

        drift = self.heard(stack, "detected")["drift"]

        self.assertEqual([], before)
        self.assertEqual((2, 2), (drift["count"], drift["drifted"]))
        self.assertEqual(
            ["a", "c"], sorted(each["path"] for each in drift["resources"])
        )
        waiting.wait_for(
            lambda: (
                (stack.id, "orchestration.stack.check.end")
                in self.listener.kinds()
            ),
            "the end of the check",
        )
        self.assertEqual(["detected"], self._kinds(stack))

    def _kinds(self, stack: rest.Stack) -> list[str]:
        """Return the kinds of drift that the stack was notified of."""
        return [
            kind.rpartition(".")[2]
            for stack_id, kind in self.listener.kinds()
            if stack_id == stack.id and ".drift." in kind
        ]

    def _held(self, name: str, moment: str) -> int:
        """Return the process that is held in an act just now."""

        def held() -> list[int]:
            return [
                each.pid
                for each in self.world.calls(name)
                if each.act == f"held-{moment}"
            ]

        waiting.wait_for(lambda: bool(held()), f"a worker in {moment}")
        return held()[0]
