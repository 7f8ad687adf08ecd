"""A service that answers what a test has laid out; no network is needed."""

import collections
import collections.abc
import dataclasses
import io
import json

import requests
import urllib3
from keystoneauth1 import adapter
from keystoneauth1 import noauth
from keystoneauth1 import session

from orchclient import client
from orchclient import transport

ENDPOINT = "http://orch.test/v1/demo"
STACK_ID = "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"
STACK = f"/stacks/shop/{STACK_ID}"

Json = dict[str, object]


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the service says, JSON unless it is bytes or chunks."""

    body: object = None
    status: int = 200
    headers: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )

    def response(self, request: requests.PreparedRequest) -> requests.Response:
        found = requests.Response()
        found.status_code = self.status
        found.request = request
        found.url = str(request.url)
        headers = {"Content-Type": "application/json", **self.headers}
        found.headers.update(headers)
        found.raw = urllib3.HTTPResponse(
            body=self._file(),  # type: ignore[arg-type]
            headers=headers,
            status=self.status,
            preload_content=False,
        )
        return found

    def _file(self) -> io.BytesIO:
        if isinstance(self.body, bytes):
            return io.BytesIO(self.body)
        text = "" if self.body is None else json.dumps(self.body)
        return io.BytesIO(text.encode())


Laid = Answer | Exception
Answers = dict[str, list[Laid]]


@dataclasses.dataclass(frozen=True)
class ReceivedRequest:
    """A request that came."""

    method: str
    path: str
    body: object
    headers: collections.abc.Mapping[str, str]


class Service(requests.adapters.BaseAdapter):
    """Answers each ``METHOD /path`` with what was laid out, the last again.

    :ivar requests: all requests, in order
    """

    def __init__(self, **_: object) -> None:
        super().__init__()
        self._answers: Answers = collections.defaultdict(list)
        self.requests: list[ReceivedRequest] = []

    def lay(self, what: str, *answers: Laid) -> None:
        self._answers[what] += answers

    def paths(self) -> list[str]:
        return [f"{each.method} {each.path}" for each in self.requests]

    def send(
        self, request: requests.PreparedRequest, *_: object, **__: object
    ) -> requests.Response:
        path = str(request.url).removeprefix(ENDPOINT)
        body = json.loads(request.body) if request.body else None
        method = str(request.method)
        self.requests.append(
            ReceivedRequest(method, path, body, dict(request.headers))
        )
        what = f"{method} {path.partition('?')[0]}"
        laid = self._answers.get(what)
        if not laid:
            raise AssertionError(f"nobody laid out {what}")
        answer = laid.pop(0) if len(laid) > 1 else laid[0]
        if isinstance(answer, Exception):
            raise answer
        return answer.response(request)

    def close(self) -> None:
        """Do nothing: nothing is open."""


class Clock:
    """Time passes by sleeping alone.

    :ivar slept: seconds of each sleep
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float, /) -> None:
        self.slept.append(seconds)
        self.now += seconds


def sender(service: Service) -> transport.Transport:
    """Return what sends to a service."""
    inner = requests.Session()
    inner.mount("http://", service)
    outer = session.Session(
        auth=noauth.NoAuth(endpoint=ENDPOINT), session=inner
    )
    found = adapter.Adapter(
        outer, service_type="orchestration", connect_retry_delay=0.001
    )
    return transport.Transport(found, 5)


def connected(service: Service) -> client.Client:
    """Return a client of a service."""
    return client.Client(sender(service))


def link(relation: str, path: str) -> Json:
    return {"rel": relation, "href": ENDPOINT + path}


def event(number: int, status: str, resource: str = "web") -> Json:
    """Return an event as lists have it; of the stack where it says so."""
    is_own = resource == "shop"
    return {
        "id": f"e{number}",
        "event_time": "2026-11-21T10:00:00Z",
        "resource_name": resource,
        "physical_resource_id": STACK_ID if is_own else f"{resource}-1",
        "resource_status": status,
        "resource_status_reason": "state changed",
        "links": [link("stack", STACK)],
    }


def operation(state: str, **more: object) -> Json:
    return {
        "id": "op-1",
        "action": "CREATE",
        "state": state,
        "created_at": "2026-11-21T10:00:00Z",
        "total": 2,
        **more,
    }


def failure(
    reason: str, *path: str, stack: str = STACK, **more: object
) -> Json:
    return {
        "path": list(path),
        "resource_type": "Test::Thing",
        "reason": reason,
        "links": [link("stack", stack)],
        **more,
    }
