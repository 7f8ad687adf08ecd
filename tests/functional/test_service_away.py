"""A service behind a proxy that answers in its place while it is down."""

import typing

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting
from tests.unit.resources.http import service

Json = dict[str, object]

_OPTIONS: typing.Final = {
    **serving.options(
        retry_tries=2,
        retry_first_pause=0.05,
        retry_max_pause=0.1,
        blocked_first_pause=600,
    ),
    # What got no answer of the service may still be done for so long.
    "http_resource": {"connect_timeout": 0.2, "read_timeout": 0.3},
}


class ProxiedService(service.Service):
    """A service that keeps things, and the proxy before it.

    :ivar status: what the proxy answers instead; 0 where it passes all on
    :ivar makes_all_the_same: the service gets creations, its answers are lost
    """

    def __init__(self) -> None:
        super().__init__()
        self.things: dict[str, Json] = {}
        self.status = 0
        self.makes_all_the_same = False

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        if not self.status:
            return self.serve(method, path, body)
        if method == "POST" and self.makes_all_the_same:
            self.serve(method, path, body)
        return self.status, "<h1>Service Unavailable</h1>"

    def serve(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        if method == "POST":
            number = str(len(self.things) + 1)
            self.things[number] = {"id": number, **typing.cast(Json, body)}
            return 201, {"id": number}
        if "?tag=" in path:
            tag = path.partition("=")[2]
            found = self.things.values()
            return 200, [each for each in found if each["tag"] == tag]
        number = path.rpartition("/")[2]
        if number not in self.things:
            return 404, None
        return 200, self.things[number]


class AwayTests(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(ProxiedService())
        self.system = self.useFixture(running.Embedded(_OPTIONS)).system
        self.client = self.system.client

    def create(self) -> rest.Stack:
        properties = {
            "url": self.service.url,
            "create": {"path": "/things", "body": {"tag": "{token}"}},
            "find": {"path": "/things?tag={token}"},
        }
        thing = {"type": "Orch::HTTP::Resource", "properties": properties}
        return self.client.create(
            "s",
            {
                "heat_template_version": "2021-04-16",
                "resources": {"thing": thing},
            },
        )

    def wait_until_blocked(self, stack: rest.Stack) -> Json:
        def find() -> Json | None:
            found = self.client.get(f"{stack.path}/operations", "operations")
            (operation,) = typing.cast(list[Json], found)
            return operation if operation["state"] == "BLOCKED" else None

        return waiting.wait_for(find, "the operation is blocked", 60)

    def check_made_once(self, stack: rest.Stack) -> None:
        self.service.status = 0
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(["1"], list(self.service.things))

    def test_unavailable_is_waited_for(self) -> None:
        self.service.status = 503
        stack = self.create()

        found = self.wait_until_blocked(stack)

        self.assertIn("waiting for thing: Outage: ", str(found["reason"]))
        self.assertIn("answered 503", str(found["reason"]))
        self.check_made_once(stack)

    def test_what_a_gateway_gave_up_is_looked_for_first(self) -> None:
        for status in (502, 504):
            with self.subTest(status):
                self.service.status = status
                self.service.makes_all_the_same = True
                stack = self.create()

                found = self.wait_until_blocked(stack)

                self.assertIn(f"answered {status}", str(found["reason"]))
                self.check_made_once(stack)
                self.client.delete(stack)
                self.client.wait(stack, "DELETE_COMPLETE")
                self.service.things.clear()

    def test_an_error_of_the_service_itself_fails(self) -> None:
        self.service.status = 500

        shown = self.client.wait(self.create(), "CREATE_FAILED")

        self.assertIn("answered 500", str(shown["stack_status_reason"]))
