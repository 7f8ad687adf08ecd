"""A tiny client of the REST API, for tests and for the demo."""

import collections.abc
import dataclasses
import urllib.parse

import requests

from tests.support import waiting

Json = dict[str, object]
_FINISHED = ("COMPLETE", "FAILED")
_UNAVAILABLE = 503


class RefusedError(Exception):
    """The API answered with an error.

    :ivar status: the HTTP status
    :ivar body: what it said, parsed where it was JSON
    """

    def __init__(self, status: int, body: object) -> None:
        super().__init__(f"HTTP {status}: {body}")
        self.status = status
        self.body = body

    @property
    def type(self) -> str:
        """Return the error type."""
        return str(self._error()["type"])

    @property
    def message(self) -> str:
        """Return the text that says what, where and what to do."""
        return str(self._error()["message"])

    def _error(self) -> Json:
        assert isinstance(self.body, dict), self.body
        return self.body["error"]


@dataclasses.dataclass(frozen=True)
class Stack:
    """Which stack, as its URL needs it."""

    name: str
    id: str

    @property
    def path(self) -> str:
        """Return its place below the project."""
        return f"/stacks/{self.name}/{self.id}"


class Client:
    """Speaks to one project of one endpoint.

    :param token: of Keystone, where that is asked for
    :param roles: of the caller, where nobody asks for a token
    :param user_id: the same
    :param user_name: the same
    :param override: why all its requests override denials
    :param login: name and password, where these are asked for
    :ivar endpoint: with the project, ``http://127.0.0.1:8004/v1/demo``
    """

    def __init__(
        self,
        endpoint: str,
        *,
        timeout_s: float = 30,
        token: str | None = None,
        roles: str | None = None,
        user_id: str | None = None,
        user_name: str | None = None,
        login: tuple[str, str] | None = None,
        override: str | None = None,
    ) -> None:
        self.endpoint = endpoint.rstrip("/")
        self._timeout_s = timeout_s
        self._session = requests.Session()
        self._session.auth = login
        if token is not None:
            self._session.headers["X-Auth-Token"] = token
        if roles is not None:
            self._session.headers["X-Roles"] = roles
        if user_id is not None:
            self._session.headers["X-User-Id"] = user_id
        if user_name is not None:
            self._session.headers["X-User-Name"] = user_name
        if override is not None:
            reason = urllib.parse.quote(override)
            self._session.headers["Lifecycle-Override"] = reason

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def ask(self, method: str, path: str, body: Json | None = None) -> object:
        """Send one request; return the parsed answer, ``None`` if empty.

        :raises RefusedError: the status is 400 or above
        """
        answer = self._session.request(
            method,
            self.endpoint + path,
            json=body,
            timeout=self._timeout_s,
        )
        try:
            content = answer.json() if answer.content else None
        except ValueError:
            content = answer.text
        if answer.status_code >= 400:
            raise RefusedError(answer.status_code, content)
        return content

    def get(self, path: str, key: str) -> object:
        """Return one key of the answer to a GET."""
        answer = self.ask("GET", path)
        assert isinstance(answer, dict), answer
        return answer[key]

    def post(self, path: str, key: str, **body: object) -> Json:
        """Return one key of the answer to a POST."""
        answer = self.ask("POST", path, body)
        assert isinstance(answer, dict), answer
        return answer[key]

    def create(self, name: str, template: object, **body: object) -> Stack:
        """Ask for a stack; return once that is accepted.

        :param template: map or text
        :param body: further keys of the request, such as ``parameters``
        """
        answer = self.ask(
            "POST",
            "/stacks",
            {"stack_name": name, "template": template, **body},
        )
        return Stack(name, answer["stack"]["id"])

    def delete(self, stack: Stack) -> None:
        """Ask for the deletion of a stack."""
        self.ask("DELETE", stack.path)

    def retry(self, stack: Stack) -> None:
        """Ask to go on with an operation that failed."""
        self.ask("POST", f"{stack.path}/actions", {"retry": {}})

    def show(self, stack: Stack) -> Json:
        """Return what is known of a stack, outputs included."""
        return self.get(stack.path, "stack")

    def outputs(self, stack: Stack) -> Json:
        """Return the values of its outputs by key."""
        outputs = self.show(stack)["outputs"]
        return {each["output_key"]: each["output_value"] for each in outputs}

    def resources(self, stack: Stack) -> dict[str, Json]:
        """Return its resources by name."""
        rows = self.get(f"{stack.path}/resources", "resources")
        return {row["resource_name"]: row for row in rows}

    def events(
        self, stack: Stack, after: str | None = None
    ) -> collections.abc.Sequence[Json]:
        """Return its events, oldest first, those after an event's id only."""
        marker = f"&marker={after}" if after else ""
        return self.get(f"{stack.path}/events?sort_dir=asc{marker}", "events")

    def services(self) -> collections.abc.Sequence[Json]:
        """Return the workers that report."""
        return self.get("/services", "services")

    def wait(
        self, stack: Stack, status: str, *, timeout_s: float = 30
    ) -> Json:
        """Return the stack once it has this status.

        A 503 is no answer to the question: it is asked again.

        :param status: such as ``CREATE_COMPLETE``
        :raises AssertionError: it ended in another one, or in none in time
        """
        pace = waiting.Pace()
        action = status.rpartition("_")[0]
        while True:
            shown = self._find(stack)
            now = str(shown["stack_status"]) if shown else "no answer"
            if now == status:
                return shown
            late = pace.waited_s() > timeout_s
            ended = now.rpartition("_")[2] in _FINISHED
            if late or (ended and now.startswith(action)):
                reason = shown.get("stack_status_reason")
                raise AssertionError(f"{now}, not {status}: {reason}")
            pace.pause()

    def _find(self, stack: Stack) -> Json:
        try:
            return self.show(stack)
        except RefusedError as refused:
            if refused.status != _UNAVAILABLE:
                raise
            return {}
