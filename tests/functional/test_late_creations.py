"""A service stores what it was asked for after the worker that asked died.

It blocks until the test lets it go on: then another worker has taken over,
and has looked for what is not there yet.
"""

import contextlib
import http.server
import threading

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import waiting
from tests.unit.resources.http import service

_OPTIONS = {"engine": {"lease_ttl": 1, "scan_interval": 0.2}}
_HASTY = {
    **_OPTIONS,
    "engine": {**_OPTIONS["engine"], "retry_first_pause": 0.1},
    "http_resource": {"connect_timeout": 0.2, "read_timeout": 0.3},
}
Json = dict[str, object]


class LateService(service.Service):
    """A service that stores things when it is let.

    :ivar things: what it has stored, by id
    :ivar may_store: it stores what it is asked for
    :ivar shown_from: lists are empty before so many creations
    :ivar hangs_up: so many creations get no answer
    """

    def __init__(self) -> None:
        super().__init__()
        self.things: dict[str, Json] = {}
        self.may_store = threading.Event()
        self.shown_from = 0
        self.hangs_up = 0
        self._numbers = iter(range(1, 100))

    def handle(self, request: http.server.BaseHTTPRequestHandler) -> None:
        # Its client may have died meanwhile.
        with contextlib.suppress(ConnectionError):
            super().handle(request)

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        if method == "POST":
            return self.store(body)
        if "?tag=" in path:
            return 200, self.listed(path.partition("=")[2])
        number = path.rpartition("/")[2]
        if number not in self.things:
            return 404, None
        if method == "DELETE":
            del self.things[number]
            return 204, None
        return 200, self.things[number]

    def store(self, body: Json) -> tuple[int, object]:
        number = str(next(self._numbers))
        self.may_store.wait(60)
        self.things[number] = {"id": number, **body}
        if self.hangs_up:
            self.hangs_up -= 1
            return 0, None
        return 201, {"id": number}

    def listed(self, tag: str) -> list[Json]:
        """Return what has a tag; services may list more than was asked."""
        if len(self.paths("POST")) < self.shown_from:
            return []
        return [
            each
            for each in self.things.values()
            if each["tag"] in (tag, "foreign")
        ]

    def paths(self, method: str) -> list[str]:
        """Return the paths of the requests of a method so far."""
        return [each.path for each in self.requests if each.method == method]


class LateCase(base.TestCase):
    limit_s = 120
    options = _OPTIONS

    def setUp(self) -> None:
        super().setUp()
        self.service = LateService()
        # Cleaned up in reverse: it may answer before it is stopped.
        self.useFixture(self.service)
        self.addCleanup(self.service.may_store.set)
        self.system = self.useFixture(running.Embedded(self.options)).system
        self.client = self.system.client

    def create(self) -> rest.Stack:
        """Ask for a stack with one resource of the service."""
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

    def wait_for_request(self, method: str, count: int = 1) -> None:
        waiting.wait_for(
            lambda: len(self.service.paths(method)) >= count, method, 60
        )

    def lose_a_creation(self) -> rest.Stack:
        """Return a stack whose worker died while the service creates."""
        stack = self.create()
        self.wait_for_request("POST")
        self.system.server.kill()
        self.system.start()
        return stack

    def reasons(self, stack: rest.Stack) -> list[str]:
        return [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
        ]


class TakeoverTests(LateCase):
    def test_what_is_stored_late_is_the_only_one(self) -> None:
        stack = self.lose_a_creation()
        self.wait_for_request("GET")
        self.service.may_store.set()

        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(1, len(self.service.paths("POST")))
        self.assertEqual(["1"], list(self.service.things))
        row = self.client.resources(stack)["thing"]
        self.assertEqual("1", row["physical_resource_id"])
        self.assertIn("may still take effect", " ".join(self.reasons(stack)))
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual({}, self.service.things)

    def test_what_is_stored_while_the_stack_is_deleted_is_removed(
        self,
    ) -> None:
        stack = self.lose_a_creation()
        self.wait_for_request("GET")
        self.client.delete(stack)
        waiting.wait_for(
            lambda: (
                self.client.resources(stack)["thing"]["resource_status"]
                == "DELETE_IN_PROGRESS"
            ),
            "the deletion has begun",
        )
        looks = len(self.service.paths("GET"))
        self.wait_for_request("GET", looks + 1)
        self.service.may_store.set()

        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual({}, self.service.things)
        self.assertEqual(1, len(self.service.paths("POST")))


class DoubleTests(LateCase):
    options = _HASTY

    def test_what_was_made_twice_exists_once_and_then_not_at_all(
        self,
    ) -> None:
        self.service.things["77"] = {"id": "77", "tag": "foreign"}
        self.service.shown_from = 2
        self.service.may_store.set()
        self.service.hangs_up = 1
        stack = self.create()

        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)

        self.assertEqual(["77", "2"], list(self.service.things))
        self.assertIn(" 1", " ".join(self.reasons(stack)))
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(["77"], list(self.service.things))

    def test_what_appears_after_completion_goes_with_the_resource(
        self,
    ) -> None:
        self.service.shown_from = 9
        self.service.may_store.set()
        self.service.hangs_up = 1
        stack = self.create()
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
        self.assertEqual(["1", "2"], list(self.service.things))
        self.service.shown_from = 0

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual({}, self.service.things)
