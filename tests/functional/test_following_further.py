"""Streams of resources, and streams that go on after everything was killed."""

import json
import typing

import requests

from tests import base
from tests.functional import acting
from tests.functional import test_following
from tests.support import conforming
from tests.support import rest
from tests.support import running
from tests.support import streams
from tests.support import systems
from tests.support import world_templates

Json = world_templates.Json

_IDLE = "&until=idle"
_DEEP = "&nested_depth=5"
read_statuses = test_following.read_statuses


class ResourceTests(acting.ActionsTestCase):
    """Events of one resource, by its own address."""

    def follow(
        self, stack: rest.Stack, query: str = "", after: str | None = None
    ) -> streams.Stream:
        found = streams.Stream(self.client, stack, query, after, resource="b")
        self.addCleanup(found.close)
        return found

    def listed(self, stack: rest.Stack) -> list[tuple[object, object]]:
        return [
            (each["id"], each["resource_status"])
            for each in self.client.events(stack)
            if each["resource_name"] == "b"
        ]

    def test_only_its_events_come_and_in_order(self) -> None:
        stack = self.create()

        found = list(self.follow(stack, _IDLE))

        self.assertEqual(
            ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"],
            [status for _, status in read_statuses(found)],
        )
        self.assertEqual(self.listed(stack), read_statuses(found))
        self.assertEqual(
            "no operation is in progress", found[-1].data["reason"]
        )

    def test_it_goes_on_after_any_of_them(self) -> None:
        stack = self.create()
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        found = list(self.follow(stack, _IDLE))[:-1]

        for number, each in enumerate(found):
            rest_ = list(self.follow(stack, _IDLE, each.id))
            self.assertEqual(
                read_statuses(found[number + 1 :]), read_statuses(rest_)
            )

    def test_an_event_comes_while_the_operation_runs(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("create", "b")
        stream = self.follow(stack)

        first = stream.take(1)
        self.world.release(self.name)
        second = stream.take(1)

        self.assertEqual(
            ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"],
            [status for _, status in read_statuses(first + second)],
        )

    def test_every_stream_is_described(self) -> None:
        stack = self.create()
        known = conforming.fetch(self.client.endpoint)
        base_url = self.client.endpoint.rpartition("/v1/")[0]
        document = requests.get(f"{base_url}/openapi.json", timeout=30).json()
        described = {
            path.partition("{stack_id}")[2]
            for path, methods in document["paths"].items()
            if "text/event-stream" in str(methods.get("get"))
        }

        self.assertEqual(
            {"/events", "/resources/{resource}/events"}, described
        )
        for path in described:
            answer = requests.get(
                f"{self.client.endpoint}{stack.path}"
                f"{path.replace('{resource}', 'b')}?follow=true{_IDLE}",
                timeout=30,
            )
            self.assertEqual(
                "text/event-stream", answer.headers["Content-Type"]
            )
            known.check_response(answer)
            parameters = document["paths"][
                f"/v1/{{project}}/stacks/{{name}}/{{stack_id}}{path}"
            ]["get"]["parameters"]
            names = {
                each.get("name", each.get("$ref", "").rpartition("/")[2])
                for each in parameters
            }
            self.assertLessEqual({"follow", "until", "Last-Event-ID"}, names)


class RestartTests(base.TestCase):
    """All processes are killed in the middle of a stream."""

    limit_s = 180

    def body(self) -> Json:
        slow: Json = {
            "type": "OS::Heat::TestResource",
            "properties": {"wait_secs": 1, "value": "x"},
        }
        inner = {
            "heat_template_version": "2021-04-16",
            "resources": {"a": slow, "b": slow},
        }
        return {
            "stack_name": "s",
            "template": {
                "heat_template_version": "2021-04-16",
                "resources": {
                    "one": {"type": "inner.yaml"},
                    "two": {"type": "inner.yaml", "depends_on": "one"},
                    "own": {**slow, "depends_on": "one"},
                },
            },
            "files": {"inner.yaml": json.dumps(inner)},
        }

    def check(
        self,
        system: systems.Embedded | systems.Distributed,
        restart: typing.Callable[[], None],
        query: str,
        count: int,
    ) -> None:
        client = system.client
        made = typing.cast(
            dict[str, Json], client.ask("POST", "/stacks", self.body())
        )
        stack = rest.Stack("s", str(made["stack"]["id"]))
        query += _IDLE
        with streams.Stream(client, stack, query, timeout_s=60) as stream:
            found = stream.take(count)
        restart()
        client = system.client
        with streams.Stream(
            client, stack, query, found[-1].id, timeout_s=90
        ) as stream:
            found += list(stream)

        client.wait(stack, "CREATE_COMPLETE")
        path = f"{stack.path}/events?sort_dir=asc"
        if _DEEP in query:
            path += _DEEP
        listed = typing.cast(list[Json], client.get(path, "events"))
        self.assertEqual("end", found[-1].kind)
        ids = [one for one, _ in read_statuses(found)]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual({each["id"] for each in listed}, set(ids))
        # Once more from the same place: the same events again.
        again = list(streams.Stream(client, stack, query, found[count - 1].id))
        self.assertEqual(
            {one for one, _ in read_statuses(found[count:])},
            {one for one, _ in read_statuses(again)},
        )

    def embedded(self, query: str, count: int) -> None:
        system = self.useFixture(
            running.Embedded({"engine": {"lease_ttl": 1}})
        ).system

        def restart() -> None:
            system.server.kill()
            system.server.start()
            system.server.wait_until(system.is_answering, timeout_s=30)

        self.check(system, restart, query, count)

    def distributed(self, query: str, count: int) -> None:
        system = self.useFixture(
            running.Distributed({"engine": {"lease_ttl": 1}})
        ).system

        def restart() -> None:
            every = [system.api, *system.engines]
            for each in every:
                each.kill()
            for each in every:
                each.start()
            system.api.wait_until(system.is_answering, timeout_s=60)

        self.check(system, restart, query, count)

    def test_of_a_stack_on_one_process(self) -> None:
        self.embedded("", 4)

    def test_of_a_tree_on_one_process(self) -> None:
        self.embedded(_DEEP, 8)

    def test_of_a_stack_on_several(self) -> None:
        self.distributed("", 4)

    def test_of_a_tree_on_several(self) -> None:
        self.distributed(_DEEP, 8)
