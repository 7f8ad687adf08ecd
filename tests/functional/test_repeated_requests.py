"""``Idempotency-Key`` on each request that makes or begins something."""

import collections.abc
import concurrent.futures
import typing
import uuid

import requests

from tests import base
from tests.functional import acting
from tests.functional import test_idempotency as base_case
from tests.support import move_bodies
from tests.support import rest
from tests.support import running
from tests.support import systems
from tests.support import waiting
from tests.support import world_templates

Json = world_templates.Json

_AT_ONCE = 6
_STACKS = 6
_SOFTWARE = ("software_config", "software_deployment")
_VERSION: Json = {"heat_template_version": "2021-04-16"}


class Case(typing.NamedTuple):
    """A request, another one to the same address, and what counts.

    :ivar other: a body that says something else
    :ivar count: how many things of the kind there are
    """

    name: str
    path: str
    body: Json
    other: Json
    count: collections.abc.Callable[[], int]


class CaseTests(acting.ActionsTestCase):
    """Each kind of request is made by several at once, with one key."""

    options: typing.ClassVar[systems.Options] = {
        "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True}
    }

    def send(self, case: Case, key: str, body: Json) -> requests.Response:
        return base_case.send(self.client, case.path, body, key)

    def count(self, path: str, key: str) -> int:
        return len(typing.cast(list[Json], self.client.get(path, key)))

    def check(self, case: Case) -> None:
        """Check that one of several at once is carried out."""
        key = uuid.uuid4().hex
        before = case.count()
        with concurrent.futures.ThreadPoolExecutor(_AT_ONCE) as pool:
            answers = list(
                pool.map(
                    lambda _: self.send(case, key, case.body),
                    range(_AT_ONCE),
                )
            )
        other = self.send(case, key, case.other)

        first = answers[0]
        self.assertIn(first.status_code, (200, 201, 202), first.text)
        self.assertEqual(
            {(first.status_code, first.content)},
            {(each.status_code, each.content) for each in answers},
        )
        self.assertEqual(
            (422, "orch.request.key_reused"),
            (other.status_code, other.json()["error_code"]),
        )
        self.assertEqual(before + 1, case.count(), case.name)

    def on(self, stack: rest.Stack, path: str) -> str:
        return stack.path + path

    def test_adoption(self) -> None:
        document = {"resources": {}, "template": _VERSION}
        body: Json = {"stack_name": self.name, "adopt_stack_data": document}
        self.check(
            Case(
                "adopt",
                "/stacks",
                body,
                {**body, "stack_name": f"{self.name}x"},
                lambda: self.count("/stacks", "stacks"),
            )
        )

    def test_actions(self) -> None:
        stack = self.create()
        for action, other in (
            ("check", "suspend"),
            ("suspend", "resume"),
            ("resume", "check"),
        ):
            self.check(
                Case(
                    action,
                    self.on(stack, "/actions"),
                    {action: None},
                    {other: None},
                    lambda stack=stack: len(self.operations(stack)),
                )
            )
            self.client.wait(stack, f"{action.upper()}_COMPLETE")

    def test_snapshots_and_plans(self) -> None:
        stack = self.create()
        for name, body, other in (
            ("snapshots", {"name": "a"}, {"name": "b"}),
            ("plans", {"action": "check"}, {"action": "suspend"}),
        ):
            self.check(
                Case(
                    name,
                    self.on(stack, f"/{name}"),
                    typing.cast(Json, body),
                    typing.cast(Json, other),
                    lambda name=name: self.count(
                        self.on(stack, f"/{name}"), name
                    ),
                )
            )
            if name == "snapshots":
                self.client.wait(stack, "SNAPSHOT_COMPLETE")

    def test_a_snapshot_that_has_ended_is_told_as_it_began(self) -> None:
        stack = self.create()
        path = self.on(stack, "/snapshots")
        key = uuid.uuid4().hex
        body: Json = {"name": "a"}

        first = base_case.send(self.client, path, body, key)
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        again = base_case.send(self.client, path, body, key)

        self.assertEqual("IN_PROGRESS", first.json()["status"])
        self.assertEqual(first.json(), again.json())

    def test_software(self) -> None:
        made = self.client.ask("POST", "/software_configs", {"name": "c"})
        config = typing.cast(dict[str, Json], made)["software_config"]["id"]
        wanted: Json = {"config_id": config, "server_id": self.name}
        for name, body, other in (
            ("software_configs", {"name": "one"}, {"name": "two"}),
            ("software_deployments", wanted, {**wanted, "server_id": "two"}),
        ):
            self.check(
                Case(
                    name,
                    f"/{name}",
                    typing.cast(Json, body),
                    typing.cast(Json, other),
                    lambda name=name: self.count(f"/{name}", name),
                )
            )

    def test_moving(self) -> None:
        stack = self.created(
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource(),
            )
        )
        self.take_name()
        target = self.created(
            world_templates.template(own=world_templates.declare_resource())
        )
        body = move_bodies.written(
            self.system.endpoint, stack, target.id, ["a"]
        )
        self.check(
            Case(
                "move",
                self.on(stack, "/move"),
                body,
                {**body, "resources": ["b"]},
                lambda: len(self.client.resources(target)),
            )
        )

    def test_signals(self) -> None:
        """Without an id of its own each of them would count."""
        handle: Json = {"type": "OS::Heat::WaitConditionHandle"}
        stack = self.created({**_VERSION, "resources": {"handle": handle}})
        self.check(
            Case(
                "signal",
                self.on(stack, "/resources/handle/signal"),
                {"data": "one"},
                {"data": "two"},
                lambda: len(self.client.events(stack)),
            )
        )

    def test_a_signal_that_was_refused_may_be_sent_again(self) -> None:
        stack = self.create()
        path = self.on(stack, "/resources/a/signal")
        key = uuid.uuid4().hex

        for body in ({}, {"unset_hook": "pre-create"}):
            answer = base_case.send(self.client, path, body, key)
            self.assertEqual(400, answer.status_code, answer.text)


class KilledTests(base.TestCase):
    """Processes are killed while requests are under way."""

    limit_s = 180

    def test_nothing_is_done_twice(self) -> None:
        system = self.useFixture(
            running.Distributed(
                {
                    "api": {"rpc_timeout": 3},
                    "DEFAULT": {"enable_stack_adopt": True},
                }
            )
        ).system
        client = system.client
        stacks = [client.create(f"s{n}", _VERSION) for n in range(_STACKS)]
        stored = [client.create(f"t{n}", _VERSION) for n in range(_STACKS)]
        for stack in (*stacks, *stored):
            client.wait(stack, "CREATE_COMPLETE")
        made = client.ask("POST", "/software_configs", {"name": "c"})
        config = typing.cast(dict[str, Json], made)["software_config"]["id"]
        wanted: list[tuple[str, Json]] = []
        document = {"resources": {}, "template": _VERSION}
        for stack, other in zip(stacks, stored, strict=True):
            wanted += [
                (f"{other.path}/snapshots", {"name": "one"}),
                (
                    "/stacks",
                    {
                        "stack_name": f"adopted-{stack.name}",
                        "adopt_stack_data": document,
                    },
                ),
                (f"{stack.path}/actions", {"check": None}),
                (f"{stack.path}/plans", {"action": "suspend"}),
                ("/software_configs", {"name": stack.name}),
                (
                    "/software_deployments",
                    {"config_id": config, "server_id": stack.name},
                ),
            ]

        def ask(number: int) -> str | None:
            """Return the id of what was made; what is shown may change."""
            path, body = wanted[number]
            try:
                answer = base_case.send(client, path, body, f"k{number}")
            except base_case.CUT_OFF:
                return None
            # The check of the same stack may still run.
            if answer.status_code in (409, 503):
                return None
            self.assertLess(answer.status_code, 300, answer.text)
            found = answer.json() or {}
            for key in ("stack", "plan", *_SOFTWARE):
                found = found.get(key, found)
            return str(found.get("id", "nothing is made"))

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            every = range(len(wanted))
            first = [pool.submit(ask, number) for number in every]
            waiting.wait_for(lambda: first[3].done(), "the first answers")
            system.engines[0].kill()
            system.api.kill()
            before = [each.result() for each in first]
        system.api.start()
        system.api.wait_until(system.is_answering, timeout_s=30)
        after = [
            waiting.wait_for(lambda number=number: ask(number), "answer", 60)
            for number in every
        ]

        self.assertIn(None, before)
        self.assertEqual(
            after,
            [
                mine or theirs
                for mine, theirs in zip(before, after, strict=True)
            ],
        )
        for stack in stacks:
            client.wait(stack, "CHECK_COMPLETE")
            found = client.get(f"{stack.path}/operations", "operations")
            self.assertEqual(2, len(typing.cast(list[Json], found)))
            plans = client.get(f"{stack.path}/plans", "plans")
            self.assertEqual(1, len(typing.cast(list[Json], plans)))
        for stack in stored:
            client.wait(stack, "SNAPSHOT_COMPLETE")
            taken = client.get(f"{stack.path}/snapshots", "snapshots")
            self.assertEqual(1, len(typing.cast(list[Json], taken)))
        for key, most in (
            ("stacks", 3 * len(stacks)),
            ("software_configs", len(stacks) + 1),
            ("software_deployments", len(stacks)),
        ):
            listed = client.get(f"/{key}", key)
            self.assertEqual(most, len(typing.cast(list[Json], listed)), key)
