"""A bus that answers from a table, and the application over it."""

import dataclasses
import functools
import re

from falcon import testing

from orch.api import app
from orch.api import routes
from orch.api.openapi import document
from orch.context import request
from orch.rpc import contract
from tests import base
from tests.support import conforming

_FINE = 200
_CRASH = 500
_OF_WORKER = re.compile(r"/(validate|export|abandon|resource_types/[^/]+)$")

STACK_ID = "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"
STACK_URL = f"http://falconframework.org/v1/demo/stacks/web/{STACK_ID}"
STACK_PATH = f"/v1/demo/stacks/web/{STACK_ID}"

IDENTITY: contract.StackIdentity = {
    "project_id": "demo",
    "stack_name": "web",
    "stack_id": STACK_ID,
}
ACCEPTED: contract.Accepted = {"identity": IDENTITY, "operation_id": "op-1"}

STACK: contract.StackFacts = {
    "id": STACK_ID,
    "name": "web",
    "project_id": "demo",
    "action": "CREATE",
    "status": "COMPLETE",
    "status_reason": "Stack CREATE completed successfully",
    "description": "a web site",
    "created_at": 1763632800.25,
    "updated_at": None,
    "deleted_at": None,
    "disable_rollback": True,
    "timeout_mins": None,
    "username": "ann",
    "user_id": "u1",
    "parent_id": None,
    "root_id": STACK_ID,
    "tags": [],
    "revision": "r1",
}

RESOURCE: contract.ResourceFacts = {
    "id": "r-1",
    "name": "net",
    "type_name": "OS::Heat::Value",
    "physical_id": None,
    "action": "CREATE",
    "status": "IN_PROGRESS",
    "status_reason": "state changed",
    "created_at": 1763632800.0,
    "updated_at": 1763632801.0,
    "required_by": ["server"],
    "stack": IDENTITY,
    "nested_stack": None,
}

EVENT: contract.EventFacts = {
    "id": "e-1",
    "sequence": 1,
    "created_at": 1763632800.0,
    "resource_name": "net",
    "resource_type": "OS::Heat::Value",
    "physical_id": "p-1",
    "action": "CREATE",
    "status": "COMPLETE",
    "reason": "state changed",
    "request_id": "req-1",
    "stack": IDENTITY,
    "root_stack": IDENTITY,
}


@dataclasses.dataclass(frozen=True)
class Sent:
    """One message that the application sent."""

    name: str
    args: dict[str, object]
    ctxt: request.RequestContext


class Bus:
    """Answers calls by ``namespace.method``; an exception is raised."""

    def __init__(self) -> None:
        self.answers: dict[str, object] = {}
        self.calls: list[Sent] = []
        self.casts: list[Sent] = []
        self.cast_error: Exception | None = None

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        name = f"{namespace}.{method}"
        self.calls.append(Sent(name, kwargs, ctxt))
        answer = self.answers[name]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def cast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        self.casts.append(Sent(f"{namespace}.{method}", kwargs, ctxt))
        if self.cast_error is not None:
            raise self.cast_error

    def sent(self, name: str) -> dict[str, object]:
        """Return the arguments of the one call of that name."""
        (found,) = [each for each in self.calls if each.name == name]
        return found.args


class ApiTestCase(base.TestCase):
    """The whole application over a :class:`Bus`."""

    settings = app.Settings()

    def setUp(self) -> None:
        super().setUp()
        self.bus = Bus()
        self.api = testing.TestClient(app.build_app(self.bus, self.settings))

    def get(
        self, path: str, status: int = 200, **kwargs: object
    ) -> testing.Result:
        """Return the answer to a GET, which must have that status."""
        return self.ask("GET", path, status, **kwargs)

    def ask(
        self, method: str, path: str, status: int, **kwargs: object
    ) -> testing.Result:
        """Return the answer to a request, which must have that status."""
        answer = self.api.simulate_request(method, path, **kwargs)
        self.assertEqual(status, answer.status_code, answer.text)
        self._check_described(method, path, answer)
        return answer

    def _check_described(
        self, method: str, path: str, answer: testing.Result
    ) -> None:
        """Check that the OpenAPI document says this may be answered.

        It says nothing of addresses that do not exist, nor of OPTIONS, nor
        of crashes. What a worker words is not as it words it, here.
        """
        place = path.partition("?")[0].replace("/v1.0/", "/v1/")
        known = document_of_all()
        if not known.knows(method, place) or answer.status_code == _CRASH:
            return
        if answer.status_code == _FINE and _OF_WORKER.search(place):
            return
        kind = answer.headers.get("Content-Type", "")
        body = conforming.parse_body(kind, answer.content)
        known.check(method, place, answer.status_code, kind, body)

    def assert_error(
        self, answer: testing.Result, type_name: str, *words: str
    ) -> None:
        """Check the shape of an error body, its type, words of its text."""
        body = answer.json
        self.assertEqual(answer.status_code, body["code"])
        self.assertLessEqual({"title", "explanation"}, body.keys())
        self.assertEqual(type_name, body["error"]["type"])
        self.assertIsNone(body["error"]["traceback"])
        for word in words:
            self.assertIn(word, body["error"]["message"])


def stack(**changed: object) -> dict[str, object]:
    """Return facts of a stack, some of them changed."""
    return {**STACK, **changed}


@functools.cache
def document_of_all() -> conforming.Document:
    """Return what the application says of itself."""
    return conforming.Document(document.build(routes.TABLE))
