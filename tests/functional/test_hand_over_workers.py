"""Workers that are killed in the middle of a hand-over; secrets in it."""

import collections.abc
import json
import typing

import requests

from tests import base
from tests.functional import handing_over
from tests.support import installations
from tests.support import listeners
from tests.support import rest
from tests.support import running
from tests.support import waiting
from tests.support import world

Json = handing_over.Json
_LIMIT_S = 60
_SECRET = "canary-4f81d2"
_TOUCHING = frozenset({"create", "made", "update", "delete", "removed"})


class WorkersTestCase(base.TestCase):
    """Workers on RabbitMQ and PostgreSQL; one stack, ``s``."""

    limit_s = 300
    more: typing.ClassVar[Json] = {}

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        options = {
            **installations.OPTIONS,
            **installations.SWITCHED_ON,
            "signals": {"seal_keys": "k" * 32},
            **self.more,
        }
        self.found = self.useFixture(
            running.Distributed(options, self.world.environment)
        )
        self.system = self.found.system
        self.client = self.system.client
        self.theirs = handing_over.client_of(self.system, handing_over.TO)
        self.addCleanup(self.theirs.close)
        self.parties = handing_over.Parties(self.client, self.theirs)

    def made(self, secret: str = "", **body: object) -> rest.Stack:
        template, files = handing_over.tree(secret)
        stack = self.client.create("s", template, files=files, **body)
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=_LIMIT_S)
        return stack

    def touched(self) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for each in self.world.calls()
            if each.act in _TOUCHING
        ]

    def kill_all(self) -> None:
        """Kill the workers, and start them again."""
        for each in self.system.engines:
            each.kill()
        for each in self.system.engines:
            each.start()


class KilledTests(WorkersTestCase):
    def test_a_tree_arrives_whole_and_no_signal_is_lost(self) -> None:
        held = {"mid": {}, "child": {"thing": {"hooks": "pre-delete"}}}
        stack = self.made(
            environment={"resource_registry": {"resources": held}}
        )
        before = self.touched()
        address = str(self.client.outputs(stack)["url"])
        # The workers do not know where this test lets the API listen.
        origin = self.system.endpoint.partition("/v1/")[0]
        url = origin + address[address.index("/v1/") :]

        answer = self.parties.offer(stack)
        child = self.child(self.client, stack)
        self.wait(lambda: self.is_held(child), "the breakpoint")
        self.kill_all()
        self.assertEqual(answer, self.parties.offer(stack))
        self.client.ask(
            "POST",
            f"{child.path}/resources/thing/signal",
            {"unset_hook": "pre-delete"},
        )
        self.client.wait(stack, "DELETE_COMPLETE", timeout_s=_LIMIT_S)
        sent = [self.signal(url, 1)]
        self.world.order("s", "read", "thing", moment="before")
        taken = self.parties.begin_take_over(stack)
        self.wait(self.is_read, "a resource that is read")
        sent.append(self.signal(url, 2))
        self.kill_all()
        self.world.release("s")
        self.theirs.wait(taken, "ADOPT_COMPLETE", timeout_s=_LIMIT_S)
        sent.append(self.signal(url, 3))

        low = self.child(self.theirs, self.child(self.theirs, taken))
        path = f"{low.path}/resources/handle/metadata"
        self.wait(
            lambda: len(self.metadata(path)) == 3, "the signals of all times"
        )
        self.assertEqual([202] * 3, sent)
        self.assertEqual(before, self.touched())

    def wait(
        self, ask: collections.abc.Callable[[], object], what: str
    ) -> None:
        waiting.wait_for(ask, what, _LIMIT_S)

    def metadata(self, path: str) -> Json:
        return typing.cast(Json, self.theirs.get(path, "metadata"))

    def is_held(self, stack: rest.Stack) -> bool:
        found = self.client.get(f"{stack.path}/operations", "operations")
        newest = typing.cast(list[Json], found)[0]
        return (newest["action"], newest["state"]) == ("DELETE", "BLOCKED")

    def is_read(self) -> bool:
        return any(
            each.act == "held-read-before" for each in self.world.calls()
        )

    @staticmethod
    def child(client: rest.Client, stack: rest.Stack) -> rest.Stack:
        held = client.resources(stack)["child"]["physical_resource_id"]
        answer = typing.cast(Json, client.ask("GET", f"/stacks/{held}"))
        found = answer["stack"]
        return rest.Stack(str(found["stack_name"]), str(found["id"]))

    @staticmethod
    def signal(url: str, number: int) -> int:
        body = {"id": str(number), "reason": f"n{number}"}
        return requests.post(url, json=body, timeout=30).status_code


class SecretTests(WorkersTestCase):
    more: typing.ClassVar[Json] = {
        "notifications": {
            "template": "full",
            "outputs": "true",
            "resources": "true",
        },
    }

    def test_a_hidden_parameter_is_shown_to_neither_project(self) -> None:
        listener = self.useFixture(listeners.Listener(self.found.broker.url()))
        stack = self.made(_SECRET, parameters={"word": _SECRET})
        said: list[object] = [self.parties.hand_over(stack)]

        for client in (self.client, self.theirs):
            said.append(client.ask("GET", "/hand_overs"))
        said.append(
            self.theirs.ask(
                "POST",
                "/stacks/preview",
                {"stack_name": "s", "hand_over": stack.id},
            )
        )
        taken = self.parties.take_over(stack)
        for client, each in ((self.client, stack), (self.theirs, taken)):
            said.append(client.show(each))
            said.append(
                client.ask("GET", f"{each.path}/events?nested_depth=3")
            )
            said.append(client.get(f"{each.path}/operations", "operations"))
        waiting.wait_for(
            lambda: any(
                each.event_type == "orchestration.stack.adopt.end"
                for each in listener.heard
            ),
            "the notification of the end",
            _LIMIT_S,
        )

        labels = {each.label for each in self.world.physical_resources("s")}
        self.assertEqual({_SECRET}, labels)
        self.assertNotIn(_SECRET, json.dumps(said))
        self.assertNotIn(_SECRET, repr(listener.heard))
