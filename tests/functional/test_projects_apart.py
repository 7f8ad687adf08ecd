"""No request of one project shows or changes anything of another one.

The addresses, parameters and bodies are those of the OpenAPI document, so a
new one is asked without a change here.
"""

import typing

import requests

from tests.functional import projects_apart
from tests.functional import two_projects

Json = two_projects.Json

_METHODS = ("get", "post", "put", "patch", "delete")
_PROJECT: typing.Final = "/v1/{project}"
_STACK: typing.Final = "/stacks/{name}/{stack_id}"
_OF_ADMINS: typing.Final = {"/search/status", "/services"}
_UNREAD: typing.Final = {
    "reader": {
        *_OF_ADMINS,
        "/resource_types/{type_name}/template",
        f"{_STACK}/abandon",
        f"{_STACK}/abandon/addresses",
        f"{_STACK}/addresses",
        f"{_STACK}/export",
    },
    # No stack waits for announced addresses.
    "member": {*_OF_ADMINS, f"{_STACK}/addresses"},
    "chief": {f"{_STACK}/addresses"},
}
"""Addresses that do not answer a good request of a role."""
_CORRECT: typing.Final[dict[str, tuple[dict[str, str], Json | None]]] = {
    f"post {_STACK}/resources/{{resource}}/signal": (
        {"resource": "handle"},
        {"id": "1", "status": "SUCCESS", "reason": "", "data": ""},
    ),
    f"patch {_STACK}/resources/{{resource}}": ({}, {"mark_unhealthy": True}),
    f"post {_STACK}/plans": ({}, {"action": "check"}),
    f"post {_STACK}/actions": ({}, {"check": None}),
    f"delete {_STACK}/resources/{{resource}}/signal": (
        {"resource": "handle"},
        None,
    ),
    "post /search/saved": ({}, {"name": "new", "search": {"q": ""}}),
    "put /search/saved/{search_name}": ({}, {"search": {"q": ""}}),
    "delete /software_configs/{config_id}": ({"config_id": "spare_id"}, None),
    "delete /leftovers/{leftover_id}": (
        {"leftover_id": "spare_leftover"},
        None,
    ),
    "delete /stacks/{name}": ({"name": "target"}, None),
}
"""What good requests name and send, where others would be refused."""
_UNCHANGED: typing.Final = {
    f"post {_STACK}/abandon": "nothing is announced",
    f"post {_STACK}/abandon/addresses": "nothing is announced",
    f"post {_STACK}/move": "it needs templates; asked over RPC",
    f"post {_STACK}/move/preview": "it needs templates; asked over RPC",
    f"post {_STACK}/plans/{{plan_id}}/apply": (
        "the stack has changed since; asked over RPC"
    ),
    f"post {_STACK}/resources/{{resource}}/outcome": (
        "it needs an unknown outcome; see test_unknown_outcomes"
    ),
    "post /stacks/generate": "it needs physical resources; asked over RPC",
    "post /v1/signal/{arn}": "its address is sealed",
    "put /v1/waitcondition/{arn}": "its address is sealed",
}
"""Changes that no good request of a member succeeds with, and why."""


class ReadingTests(projects_apart.ApartTestCase):
    def test_no_address_shows_what_another_project_has(self) -> None:
        for role in two_projects.ROLES:
            session = self.session_of(role)
            refused = set()
            for method, path, described in self.operations("get"):
                for offered in self.offers(path, described, role == "member"):
                    self.ask(session, method, path, offered)
                status = self.ask(session, method, path, self.found(path))
                if status >= 400:
                    refused.add(path.removeprefix(_PROJECT))
            self.assertEqual(_UNREAD[role], refused, role)
        self.assert_apart(self.before)


class ChangingTests(projects_apart.ApartTestCase):
    limit_s = 900

    def test_no_address_changes_what_another_project_has(self) -> None:
        shown = self.shown()
        for role in two_projects.ROLES:
            session = self.session_of(role)
            refused = set()
            changes = sorted(self.operations(*_METHODS[1:]), key=_harm)
            for method, path, described in changes:
                good = self.good_body(described)
                if not self.has_succeeded(session, method, path, good):
                    refused.add(f"{method} {path.removeprefix(_PROJECT)}")
                for offered in self.offers(path, described, role == "member"):
                    self.ask(session, method, path, offered, good)
                if role == "reader":
                    continue
                # A member may send each of them: what reads a body is the
                # same for a chief, who offers one mark at each place.
                for body in self.bodies(described, good, role == "member"):
                    self.ask(session, method, path, {}, body)
            # A reader may do less, and the member leaves nothing to end.
            if role == "member":
                self.assertEqual(_UNCHANGED.keys(), refused)
        self.assert_apart(self.before)
        for path, text in self.shown().items():
            self.assertEqual(shown[path], text, path)

    def has_succeeded(
        self,
        session: requests.Session,
        method: str,
        path: str,
        good: Json | None,
    ) -> bool:
        """Whether a request with nothing of the left project succeeds."""
        operation = f"{method} {path.removeprefix(_PROJECT)}"
        named, body = _CORRECT.get(operation, ({}, good))
        offered = {
            ("path", name): self.own[key] for name, key in named.items()
        } | self.found(path)
        return self.ask(session, method, path, offered, body) < 400


def _harm(asked: projects_apart.Asked) -> tuple[bool, bool, bool, bool, int]:
    """Return the order of changes: what would end the others comes last."""
    method, path, _ = asked
    # It may hand the own stack over to the left project.
    is_last = (method, path) == ("post", f"{_PROJECT}{_STACK}/abandon")
    is_late = path.endswith(("/actions", "/abandon", "/restore"))
    return is_last, method == "delete", is_late, method == "put", -len(path)
