"""Events as they happen: ``GET …/events?follow=true``."""

import concurrent.futures

from tests import base
from tests.functional import acting
from tests.functional import nesting
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import streams
from tests.support import waiting
from tests.support import world_templates

_IDLE = "&until=idle"
_DEEP = "&nested_depth=5"
_FEW = 3

Statuses = list[tuple[object, object]]


def read_statuses(found: list[streams.Sent]) -> Statuses:
    """Return id and status of each event; what ends a stream is none."""
    return [
        (each.data["id"], each.data["resource_status"])
        for each in found
        if each.kind == "message"
    ]


class FollowingTests(acting.ActionsTestCase):
    def follow(
        self, stack: rest.Stack, query: str = "", after: str | None = None
    ) -> streams.Stream:
        found = streams.Stream(self.client, stack, query, after)
        self.addCleanup(found.close)
        return found

    def listed(self, stack: rest.Stack) -> Statuses:
        return [
            (each["id"], each["resource_status"])
            for each in self.client.events(stack)
        ]

    def test_all_events_come_once_and_in_order(self) -> None:
        stack = self.create()

        found = list(self.follow(stack, _IDLE))

        self.assertEqual(self.listed(stack), read_statuses(found))
        self.assertEqual("end", found[-1].kind)
        self.assertEqual(
            "no operation is in progress", found[-1].data["reason"]
        )
        self.assertTrue(all(each.id == each.data["id"] for each in found[:-1]))

    def test_an_event_comes_while_the_operation_runs(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("create", "b")
        stream = self.follow(stack)
        before = stream.take(4)
        self.world.release(self.name)

        after = stream.take(_FEW)

        self.assertEqual(
            "CREATE_IN_PROGRESS", before[-1].data["resource_status"]
        )
        self.assertEqual("b", after[0].data["resource_name"])
        self.assertEqual("CREATE_COMPLETE", after[0].data["resource_status"])
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_it_goes_on_after_any_event_without_loss_or_doubles(self) -> None:
        stack = self.create()
        found = list(self.follow(stack, _IDLE))[:-1]

        for number, each in enumerate(found):
            rest_ = list(self.follow(stack, _IDLE, each.id))
            self.assertEqual(
                read_statuses(found[number + 1 :]), read_statuses(rest_)
            )

    def test_a_marker_does_the_same(self) -> None:
        stack = self.create()
        found = list(self.follow(stack, _IDLE))

        rest_ = list(self.follow(stack, f"{_IDLE}&marker={found[0].id}"))

        self.assertEqual(read_statuses(found[1:]), read_statuses(rest_))

    def test_it_ends_with_the_stack(self) -> None:
        stack = self.create()
        stream = self.follow(stack)
        self.client.delete(stack)

        found = list(stream)

        self.assertEqual("end", found[-1].kind)
        self.assertEqual("the stack is gone", found[-1].data["reason"])
        self.assertEqual("DELETE_COMPLETE", found[-2].data["resource_status"])

    def test_filters_hold(self) -> None:
        stack = self.create()

        found = list(
            self.follow(
                stack, f"{_IDLE}&resource_name=a&resource_status=COMPLETE"
            )
        )

        self.assertEqual(
            ["CREATE_COMPLETE"], [status for _, status in read_statuses(found)]
        )

    def test_one_who_asks_for_events_by_their_type_gets_a_stream(self) -> None:
        stack = self.create()
        session = self.client._session

        answer = session.get(
            f"{self.client.endpoint}{stack.path}/events?until=idle",
            headers={"Accept": "text/event-stream"},
            timeout=30,
        )

        self.assertEqual("text/event-stream", answer.headers["Content-Type"])
        self.assertEqual("no-store", answer.headers["Cache-Control"])
        self.assertIn(b"event: end", answer.content)

    def test_what_cannot_be_followed_is_refused(self) -> None:
        stack, other = self.create(), None
        self.take_name()
        other = self.create()
        strange = str(self.client.events(other)[0]["id"])

        self.assertEqual(
            (404, "EntityNotFound"), self.refused(self.follow, acting.MISSING)
        )
        for after in (strange, "nonsense"):
            self.assertEqual(
                (400, "HTTPBadRequest"),
                self.refused(self.follow, stack, "", after),
            )
        self.assertEqual(
            (400, "HTTPBadRequest"),
            self.refused(self.follow, stack, "&until=never"),
        )


class TreeTests(nesting.NestedTestCase):
    """Stacks in a stack, whose events have no numbers in common."""

    def follow(
        self, stack: rest.Stack, query: str = "", after: str | None = None
    ) -> streams.Stream:
        found = streams.Stream(self.client, stack, _DEEP + query, after)
        self.addCleanup(found.close)
        return found

    def listed(self, stack: rest.Stack) -> set[object]:
        path = f"{stack.path}/events?nested_depth=5"
        return {each["id"] for each in self.client.get(path, "events")}

    def test_it_goes_on_after_any_event_of_the_tree(self) -> None:
        stack = self.make(
            {f"r{n}": nesting.child_resource() for n in range(_FEW)}
        )
        found = list(self.follow(stack, _IDLE))[:-1]
        self.assertEqual(
            self.listed(stack), {each.data["id"] for each in found}
        )
        self.assertEqual(len(found), len(set(read_statuses(found))))
        self.assertEqual(1, len({each.data["request_id"] for each in found}))

        for number, each in enumerate(found):
            rest_ = list(self.follow(stack, _IDLE, each.id))
            self.assertEqual(
                read_statuses(found[number + 1 :]), read_statuses(rest_)
            )

    def test_a_reader_who_leaves_all_the_time_misses_nothing(self) -> None:
        stack = self.client.create(
            self.name,
            {
                "heat_template_version": "2021-04-16",
                "resources": {
                    f"r{n}": nesting.child_resource() for n in range(_FEW)
                },
            },
            files={"inner.yaml": nesting.INNER},
        )
        found: list[streams.Sent] = []
        while not found or found[-1].kind != "end":
            after = found[-1].id if found else None
            with self.follow(stack, _IDLE, after) as stream:
                found += stream.take(_FEW)

        self.assertEqual(
            self.listed(stack), {one for one, _ in read_statuses(found)}
        )
        self.assertEqual(
            len(read_statuses(found)), len(set(read_statuses(found)))
        )

    def test_without_a_depth_inner_stacks_are_not_told_of(self) -> None:
        stack = self.make({"r": nesting.child_resource()})

        found = list(streams.Stream(self.client, stack, _IDLE))

        names = {each.data.get("resource_name") for each in found}
        self.assertEqual({None, "r", self.name}, names)


class LimitTests(serving.ServerTestCase):
    """Only so many streams, each only for so long; one thread serves."""

    options = {  # noqa: RUF012
        "api": {
            "max_event_streams": 2 * _FEW,
            "threads": 1,
            "event_stream_max_duration": 4,
        }
    }

    def setUp(self) -> None:
        super().setUp()
        self.other = rest.Client(
            f"http://127.0.0.1:{self.system.port}/v1/other"
        )
        self.stacks = {
            client: self.find_stack(client)
            for client in (self.client, self.other)
        }
        self.stack = self.stacks[self.client]

    def find_stack(self, client: rest.Client) -> rest.Stack:
        found = client.get("/stacks", "stacks")
        if not found:
            client.create(
                "s",
                {
                    "heat_template_version": "2021-04-16",
                    "resources": {"a": {"type": "OS::Heat::RandomString"}},
                },
            )
            found = client.get("/stacks", "stacks")
        stack = rest.Stack("s", str(found[0]["id"]))
        client.wait(stack, "CREATE_COMPLETE")
        return stack

    def open(self, client: rest.Client | None = None) -> streams.Stream:
        client = client or self.client
        found = streams.Stream(client, self.stacks[client])
        self.addCleanup(found.close)
        return found

    def try_open(
        self, client: rest.Client | None = None
    ) -> streams.Stream | None:
        try:
            return self.open(client)
        except rest.RefusedError as refused:
            self.assertEqual(503, refused.status)
            return None

    def wait_for_stream(
        self, client: rest.Client | None = None
    ) -> streams.Stream:
        return waiting.wait_for(
            lambda: self.try_open(client), "room for another stream"
        )

    def test_one_more_is_refused_and_others_are_served(self) -> None:
        opened = [self.wait_for_stream() for _ in range(_FEW)]

        refused = self.assertRaises(rest.RefusedError, self.open)
        self.client.show(self.stack)
        opened += [self.wait_for_stream(self.other) for _ in range(_FEW)]

        self.assertEqual(503, refused.status)
        self.assertEqual("HTTPServiceUnavailable", refused.type)
        self.assertIn("retry in 5 seconds", refused.message)
        for each in opened:
            each.close()
        self.wait_for_stream()

    def test_a_stream_ends_after_its_time(self) -> None:
        found = list(self.wait_for_stream())

        self.assertEqual("end", found[-1].kind)
        self.assertIn("Last-Event-ID", str(found[-1].data["reason"]))


class StoppingTests(base.TestCase):
    def test_a_server_that_stops_waits_for_no_reader(self) -> None:
        system = self.useFixture(running.Embedded()).system
        stack = system.client.create(
            "s", {"heat_template_version": "2021-04-16"}
        )
        with streams.Stream(system.client, stack) as stream:
            stream.take(2)
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                rest_ = pool.submit(list, stream)

                self.assertEqual(0, system.server.stop())

                self.assertEqual([], rest_.result(timeout=30))


class WorkersTests(base.TestCase):
    """Streams of an API that asks workers over RabbitMQ."""

    limit_s = 180

    def test_all_comes_although_a_worker_is_killed(self) -> None:
        system = self.useFixture(
            running.Distributed(
                # What the killed one was asked is asked again after that.
                {"engine": {"lease_ttl": 2}, "api": {"rpc_timeout": 5}}
            )
        ).system
        stack = system.client.create(
            "s",
            {
                "heat_template_version": "2021-04-16",
                "resources": {
                    f"r{number}": {
                        "type": "OS::Heat::TestResource",
                        "properties": {"wait_secs": 1, "value": "x"},
                    }
                    for number in range(_FEW)
                },
            },
        )
        with streams.Stream(
            system.client, stack, _IDLE, timeout_s=90
        ) as stream:
            found = stream.take(1)
            system.engines[0].kill()
            found += list(stream)

        self.assertEqual("end", found[-1].kind)
        listed = [each["id"] for each in system.client.events(stack)]
        self.assertEqual(listed, [one for one, _ in read_statuses(found)])
