"""What lives in servers finds its stack after that has moved."""

import json
import typing

import requests

from tests import base
from tests.functional import adopting
from tests.functional import deploying
from tests.functional import signalling
from tests.support import rest
from tests.support import running
from tests.support import systems
from tests.support import waiting

Json = adopting.Json

OPTIONS: systems.Options = {
    "engine": {"lease_ttl": 2, "scan_interval": 0.2},
    "api": {"rpc_timeout": 5},
    "adoption": {"address_idle_time": 1},
}


class Moves:
    """What a test does with two installations.

    :ivar old: the one that the stack leaves
    :ivar new: the one that it comes to
    """

    old: systems.System
    new: systems.System

    def __init__(self, old: systems.System, new: systems.System) -> None:
        self.old, self.new = old, new

    def create(self, name: str, wanted: Json) -> rest.Stack:
        """Create a stack that waits for nobody."""
        stack = self.old.client.create(name, wanted)
        self.old.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def abandon(self, stack: rest.Stack) -> Json:
        found = self.old.client.ask("DELETE", f"{stack.path}/abandon")
        self.old.client.wait(stack, "DELETE_COMPLETE")
        return typing.cast(Json, found)

    def adopt(self, stack: rest.Stack, document: Json) -> rest.Stack:
        request = {"stack_name": stack.name, "adopt_stack_data": document}
        answer = self.new.client.ask("POST", "/stacks", request)
        made = typing.cast(dict[str, dict[str, str]], answer)["stack"]
        adopted = rest.Stack(stack.name, made["id"])
        self.new.client.wait(adopted, "ADOPT_COMPLETE")
        return adopted

    def announcement(self, adopted: rest.Stack) -> Json:
        return typing.cast(
            Json,
            self.new.client.get(f"{adopted.path}/addresses", "announcement"),
        )

    def announce(self, stack: rest.Stack, told: Json) -> list[Json]:
        answer = self.old.client.ask(
            "POST",
            f"{stack.path}/abandon/addresses",
            {"announcement": told},
        )
        return typing.cast(dict[str, list[Json]], answer)["addresses"]

    def addresses(self, stack: rest.Stack) -> dict[str, Json]:
        """Return the listing of the old installation, by resource."""
        found = self.old.client.get(
            f"{stack.path}/abandon/addresses", "addresses"
        )
        return {
            str(each["resource"]): each
            for each in typing.cast(list[Json], found)
        }

    def signalled(self, stack: rest.Stack, name: str) -> list[str]:
        """Return what events of the new installation tell of signals."""
        return [
            str(each["resource_status_reason"])
            for each in self.new.client.events(stack)
            if each["resource_name"] == name
            and str(each["resource_status"]).startswith("SIGNAL_")
        ]


def origin(system: systems.System) -> str:
    """Return what the addresses of an installation begin with."""
    return system.endpoint.partition("/v1/")[0]


def handle() -> Json:
    wanted = signalling.handle_only()
    wanted["outputs"] = {
        "url": {"value": {"get_attr": ["handle", "endpoint"]}}
    }
    return wanted


class ForwardingTests(base.TestCase):
    """All tests of the class on the same two installations."""

    limit_s = 120

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        systems_ = []
        for _ in "ab":
            fixture = running.Embedded(OPTIONS)
            cls.addClassCleanup(fixture.cleanUp)
            fixture.setUp()
            systems_.append(fixture.system)
        cls.moves = Moves(*systems_)
        cls.old, cls.new = systems_

    def setUp(self) -> None:
        super().setUp()
        self.name = self.id().rpartition(".")[2][:60]

    def moved(
        self, wanted: Json | None = None
    ) -> tuple[rest.Stack, rest.Stack, str]:
        """Return a stack before and after, and the address of its handle."""
        stack = self.moves.create(self.name, wanted or handle())
        url = str(self.old.client.outputs(stack)["url"])
        return stack, self.moves.adopt(stack, self.moves.abandon(stack)), url

    def wait_signals(self, adopted: rest.Stack, count: int) -> list[str]:
        return waiting.wait_for(
            lambda: (
                len(found := self.moves.signalled(adopted, "handle")) >= count
                and found
            ),
            f"{count} signals",
        )

    def test_a10_signals_before_the_announcement_come_in_order(self) -> None:
        stack, adopted, url = self.moved()
        for each in range(25):
            answer = requests.post(
                url, json={"id": str(each), "reason": f"n{each}"}, timeout=10
            )
            self.assertEqual(202, answer.status_code)

        self.moves.announce(stack, self.moves.announcement(adopted))

        self.assertEqual(
            [f"Signal: status:SUCCESS reason:n{each}" for each in range(25)],
            self.wait_signals(adopted, 25),
        )

    def test_a10_a_signal_of_the_same_id_is_taken_once(self) -> None:
        stack, adopted, url = self.moved()
        told = self.moves.announcement(adopted)
        self.moves.announce(stack, told)
        known = {"X-Orch-Signal-Id": "one"}
        place = str(told["addresses"][0]["address"])

        for target in (url, place, url):
            answer = requests.post(
                target, json={"reason": "once"}, headers=known, timeout=10
            )
            self.assertLess(answer.status_code, 300)
        requests.post(place, json={"reason": "last"}, timeout=10)

        waiting.wait_for(
            lambda: (
                not self.moves.addresses(stack)["handle"]["signals_waiting"]
            ),
            "all passed on",
        )
        self.assertEqual(
            ["once", "last"],
            [
                each.rpartition(":")[2]
                for each in self.wait_signals(adopted, 2)
            ],
        )

    def test_a10_what_the_receiver_refuses_is_told_and_dropped(self) -> None:
        stack, adopted, url = self.moved()
        self.moves.announce(stack, self.moves.announcement(adopted))

        requests.post(url, json={"status": "NONSENSE"}, timeout=10)
        requests.post(url, json={"reason": "good"}, timeout=10)

        found = self.wait_signals(adopted, 2)
        self.assertIn("refused", found[0])
        self.assertIn("good", found[1])

    def test_a10_nothing_is_announced_without_the_key(self) -> None:
        stack, adopted, _ = self.moved()
        told = self.moves.announcement(adopted)
        wrong = [{**told, "made_at_ms": 1}, {**told, "seal": "x" * 43}]
        wrong += [{}, {**told, "stack_id": adopted.id}]
        addresses = json.loads(json.dumps(told["addresses"]))
        addresses[0]["address"] = "http://127.0.0.1:1/v1/signal/arn?Signature="
        wrong.append({**told, "addresses": addresses})

        for each in wrong:
            error = self.assertRaises(
                rest.RefusedError, self.moves.announce, stack, each
            )
            self.assertEqual(400, error.status, each)
        self.assertIsNone(self.moves.addresses(stack)["handle"]["new_address"])

    def test_a10_an_older_announcement_is_refused(self) -> None:
        stack, adopted, _ = self.moved()
        first = self.moves.announcement(adopted)
        waiting.wait_for(
            lambda: (
                self.moves.announcement(adopted)["made_at_ms"]
                > first["made_at_ms"]
            ),
            "a later one",
        )
        self.moves.announce(stack, self.moves.announcement(adopted))

        error = self.assertRaises(
            rest.RefusedError, self.moves.announce, stack, first
        )

        self.assertEqual(400, error.status)

    def test_a10_what_did_not_move_announces_nothing(self) -> None:
        stack = self.moves.create(self.name, handle())

        error = self.assertRaises(
            rest.RefusedError,
            self.old.client.get,
            f"{stack.path}/addresses",
            "announcement",
        )

        self.assertEqual(404, error.status)

    def test_a10_revoked_addresses_stay_so(self) -> None:
        stack = self.moves.create(self.name, handle())
        url = str(self.old.client.outputs(stack)["url"])
        self.old.client.ask("DELETE", f"{stack.path}/resources/handle/signal")
        self.moves.abandon(stack)

        answer = requests.post(url, json={}, timeout=10)

        self.assertGreaterEqual(answer.status_code, 400)
        self.assertEqual({}, self.moves.addresses(stack))

    def test_a10_those_of_others_are_not_there(self) -> None:
        stack, adopted, _ = self.moved()
        told = self.moves.announcement(adopted)
        start = self.old.endpoint.rpartition("/")[0]
        other = rest.Client(f"{start}/others")
        other._session.headers["X-Roles"] = "member"
        self.addCleanup(other.close)
        path = f"{stack.path}/abandon/addresses"

        for method, body in (("GET", None), ("POST", {"announcement": told})):
            error = self.assertRaises(
                rest.RefusedError, other.ask, method, path, body
            )
            self.assertEqual(404, error.status)

    def test_a10_a_nested_handle_is_forwarded(self) -> None:
        inner = signalling.handle_only()
        inner["outputs"] = {
            "url": {"value": {"get_attr": ["handle", "endpoint"]}}
        }
        wanted: Json = {
            "heat_template_version": "2021-04-16",
            "resources": {
                "group": {
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 2,
                        "resource_def": {"type": "inner.yaml"},
                    },
                }
            },
            "outputs": {"urls": {"value": {"get_attr": ["group", "url"]}}},
        }
        client = self.old.client
        stack = client.create(
            self.name, wanted, files={"inner.yaml": json.dumps(inner)}
        )
        client.wait(stack, "CREATE_COMPLETE")
        urls = typing.cast(list[str], client.outputs(stack)["urls"])
        adopted = self.moves.adopt(stack, self.moves.abandon(stack))
        self.moves.announce(stack, self.moves.announcement(adopted))

        requests.post(urls[1], json={"reason": "deep"}, timeout=10)

        waiting.wait_for(
            lambda: (
                not self.moves.addresses(stack)["group/1/handle"][
                    "signals_waiting"
                ]
            ),
            "passed on",
        )
        found = self.new.client.get(
            f"{adopted.path}/events?nested_depth=3", "events"
        )
        self.assertEqual(
            ["Signal: status:SUCCESS reason:deep"],
            [
                each["resource_status_reason"]
                for each in typing.cast(list[Json], found)
                if str(each["resource_status"]).startswith("SIGNAL")
            ],
        )

    def test_a10_signals_that_were_taken_travel_along(self) -> None:
        stack = self.moves.create(self.name, handle())
        url = str(self.old.client.outputs(stack)["url"])
        requests.post(url, json={"id": "7", "data": "early"}, timeout=10)

        adopted = self.moves.adopt(stack, self.moves.abandon(stack))

        self.assertEqual(
            "early",
            self.new.client.get(
                f"{adopted.path}/resources/handle/metadata", "metadata"
            )["7"]["data"],
        )

    def test_a10_outputs_of_deployments_travel_along(self) -> None:
        wanted = deploying.template()
        stack = self.old.client.create(self.name, wanted)
        agent = deploying.Agent(self.old.client, stack)
        agent.apply(result="r", deploy_stdout="out", deploy_stderr="err")
        self.old.client.wait(stack, "CREATE_COMPLETE")

        adopted = self.moves.adopt(stack, self.moves.abandon(stack))

        self.assertEqual(
            {"result": "r", "stdout": "out"}, self.new.client.outputs(adopted)
        )
        rows = self.new.client.resources(adopted)
        deployment_id = rows["deployment"]["physical_resource_id"]
        shown = self.new.client.get(
            f"/software_deployments/{deployment_id}", "software_deployment"
        )
        self.assertEqual("COMPLETE", shown["status"])
        self.assertEqual(
            {
                "result": "r",
                "deploy_stdout": "out",
                "deploy_stderr": "err",
                "deploy_status_code": 0,
            },
            shown["output_values"],
        )

    def test_a10_a_late_word_is_visible_after_the_move(self) -> None:
        """The stack stopped to wait; its server tells after the move."""
        client = self.old.client
        stack = client.create(self.name, deploying.template())
        agent = deploying.Agent(client, stack)
        found = agent.fetch()
        document = self.moves.abandon(stack)
        adopted = self.moves.adopt(stack, document)
        self.moves.announce(stack, self.moves.announcement(adopted))

        agent.send_result(found, result="late", deploy_stdout="at last")

        path = f"{adopted.path}/resources/deployment?with_attr=result"
        waiting.wait_for(
            lambda: (
                self.new.client.get(path, "resource")["attributes"]
                == {
                    "result": "late",
                    "deploy_stdout": "at last",
                    "deploy_stderr": None,
                    "deploy_status_code": 0,
                }
            ),
            "the outputs",
        )

    def test_a10_a_sealed_document_hides_the_key(self) -> None:
        stack = self.moves.create(self.name, handle())
        url = str(self.old.client.outputs(stack)["url"])
        plain = typing.cast(
            Json, self.old.client.ask("GET", f"{stack.path}/export")
        )
        path = f"{stack.path}/abandon?secrets=sealed"

        sealed = typing.cast(Json, self.old.client.ask("DELETE", path))
        self.old.client.wait(stack, "DELETE_COMPLETE")

        self.assertNotIn(str(plain["announcement_key"]), json.dumps(sealed))
        torn = {k: v for k, v in sealed.items() if k != "seal"}
        request = {"stack_name": self.name, "adopt_stack_data": torn}
        error = self.assertRaises(
            rest.RefusedError, self.old.client.ask, "POST", "/stacks", request
        )
        self.assertEqual(400, error.status)
        same = Moves(self.old, self.old)
        adopted = same.adopt(stack, sealed)
        same.announce(stack, same.announcement(adopted))
        requests.post(url, json={"reason": "sealed"}, timeout=10)
        waiting.wait_for(
            lambda: same.signalled(adopted, "handle"), "the signal"
        )

    def test_a10_the_list_of_a_moved_server_leads_there(self) -> None:
        stack = self.old.client.create(self.name, deploying.template())
        agent = deploying.Agent(self.old.client, stack)
        agent.apply(result="r")
        self.old.client.wait(stack, "CREATE_COMPLETE")
        rows = self.old.client.resources(stack)
        path = (
            "/software_deployments/metadata/"
            f"{rows['server']['physical_resource_id']}"
        )
        adopted = self.moves.adopt(stack, self.moves.abandon(stack))
        before = typing.cast(Json, self.old.client.ask("GET", path))
        self.moves.announce(stack, self.moves.announcement(adopted))

        after = typing.cast(Json, self.old.client.ask("GET", path))

        for found, system in ((before, self.old), (after, self.new)):
            (config,) = found["metadata"]
            inputs = deploying.Agent.inputs(config)
            self.assertTrue(
                str(inputs["deploy_signal_id"]).startswith(origin(system))
            )
            heat = found["os-collect-config"]["heat"]
            self.assertTrue(
                str(heat["metadata_url"]).startswith(origin(system))
            )
        self.assertRegex(
            str(self.moves.addresses(stack)["deployment"]["last_notified_at"]),
            r"^\d{4}-\d\d-\d\dT[\d:]{8}Z$",
        )
