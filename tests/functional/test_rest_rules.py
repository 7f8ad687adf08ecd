"""What holds for each address: versions, methods, errors, redirects."""

import collections
import typing
import urllib.parse

import requests

from orch.api import routes
from tests.support import conforming
from tests.support import rest
from tests.support import serving

_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {"one": {"type": "OS::Heat::RandomString"}},
}
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_CHANGE = {"template": _TEMPLATE}
_MOVE = {"resources": ["one"], "target": "right"}
_BODIES: dict[str, list[dict[str, object]]] = {
    "PUT ": [_CHANGE, {"retry": True}],
    "PATCH ": [_CHANGE],
    "POST /actions": [
        {"suspend": None},
        {"cancel_update": None},
        {"retry": None},
        {"approve": None},
        {"observe": None},
        {"accept_drift": None},
    ],
    "PATCH /resources/one": [{"mark_unhealthy": True}],
    "POST /resources/one/outcome": [{"is_made": False}],
    "PUT /preview": [_CHANGE],
    "PATCH /preview": [_CHANGE],
    "POST /plans": [{"action": "check"}, {"action": "update", **_CHANGE}],
    "PUT /drift/policy": [{"policy": {"stack": "report"}}],
    "POST /snapshots": [{}],
    "POST /abandon": [
        {"commit": "token"},
        {"prepare": None},
        {"hand_over": {"project": "other"}},
    ],
    "POST /move": [_MOVE],
    "POST /move/preview": [_MOVE],
}
"""What requests have to say before their address is looked at."""


def addresses_of_stacks() -> list[tuple[str, str]]:
    """Return method and path of all that is below the name and id of one.

    Not what is only there once a stack was abandoned.
    """
    start = "/stacks/{name}/{stack_id}"
    missing = collections.defaultdict(
        lambda: "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11", resource="one"
    )
    return [
        (method, route.path.removeprefix(start).format_map(missing))
        for route in routes.TABLE
        if route.path.startswith(start)
        for method in route.methods.split()
        if "/abandon/" not in route.path
        and (method, route.path) != ("GET", f"{start}/abandon")
    ]


class RestTestCase(serving.ServerTestCase):
    """Each answer is held against the OpenAPI document as well."""

    def setUp(self) -> None:
        super().setUp()
        known = conforming.fetch(self.client.endpoint)
        self.base, _, self.project = self.client.endpoint.rpartition("/v1/")
        self.session = requests.Session()
        self.addCleanup(self.session.close)

        def check(answer: requests.Response, **given: object) -> None:
            path = urllib.parse.urlsplit(str(answer.url)).path
            if known.knows(str(answer.request.method), path):
                known.check_response(answer)

        self.session.hooks["response"].append(check)

    def ask(
        self, method: str, path: str, status: int, **given: typing.Any
    ) -> requests.Response:
        """Return an answer, which has to have the status.

        :param path: below the project, unless it begins with two slashes
        """
        start = self.base if path.startswith("//") else self.client.endpoint
        answer = self.session.request(
            method,
            start + path.replace("//", "/", 1),
            allow_redirects=False,
            timeout=60,
            **given,
        )
        self.assertEqual(
            status, answer.status_code, f"{method} {path}: {answer.text}"
        )
        return answer

    def make(
        self, name: str, template: object = _TEMPLATE, **body: object
    ) -> rest.Stack:
        """Return a new stack that is complete."""
        stack = self.client.create(name, template, **body)
        self.addCleanup(self.client.delete, stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack


class VersionTests(RestTestCase):
    def test_the_versions_lead_to_the_document(self) -> None:
        for path in ("//", "//versions", "//v1", "//v1/", "//v2/demo/stacks"):
            answer = self.ask("GET", path, 300)
            (version,) = answer.json()["versions"]
            self.assertEqual(
                ("v1.0", "CURRENT"), (version["id"], version["status"])
            )
            links = {one["rel"]: one["href"] for one in version["links"]}
            self.assertEqual(f"{self.base}/v1/", links["self"])
            described_by = answer.links["describedby"]["url"]
            is_heats = not path.startswith("//v1")
            self.assertEqual(
                {"self"} if is_heats else {"self", "describedby"}, set(links)
            )
            self.assertIn(links.get("describedby"), (None, described_by))
            found = requests.get(described_by, timeout=60)
            self.assertEqual("3.1.0", found.json()["openapi"])

    def test_the_version_may_be_spelled_otherwise(self) -> None:
        accept = {"Accept": "application/vnd.openstack.orchestration-v1"}

        self.ask("GET", f"//v1.0/{self.project}/stacks", 200)
        self.ask("GET", f"//{self.project}/stacks", 200, headers=accept)
        self.ask("GET", f"//{self.project}/stacks", 404)

    def test_a_load_balancer_asks_without_a_project(self) -> None:
        self.assertEqual("OK", self.ask("GET", "//healthcheck", 200).text)


class MethodTests(RestTestCase):
    def test_methods_that_an_address_has_not(self) -> None:
        for path, allowed in (
            ("/stacks", {"GET", "POST"}),
            ("/validate", {"POST"}),
            ("/services", {"GET"}),
            ("/build_info", {"GET"}),
            ("/stacks/n/i", {"GET", "PUT", "PATCH", "DELETE"}),
            ("/stacks/n/i/actions", {"POST"}),
            ("/stacks/n/i/preview", {"PUT", "PATCH"}),
            ("/stacks/n/i/snapshots", {"GET", "POST"}),
            ("/stacks/n/i/outputs/k", {"GET"}),
        ):
            options = self.ask("OPTIONS", path, 204)
            self.assertEqual(
                allowed | {"OPTIONS"},
                set(options.headers["Allow"].split(", ")),
                path,
            )
            for method in set(_METHODS) - allowed:
                refused = self.ask(method, path, 405)
                self.assertEqual(
                    allowed | {"OPTIONS"},
                    set(refused.headers["Allow"].split(", ")),
                )

    def test_addresses_that_are_not(self) -> None:
        for path in ("/clouds", "/stacks/a/b/c", "//nothing", "//v1/demo"):
            self.ask("GET", path, 404)


class FaultTests(RestTestCase):
    def test_an_error_is_told_as_heat_tells_it(self) -> None:
        answer = self.ask("GET", "/stacks/absent", 404)

        body = answer.json()
        self.assertEqual(404, body["code"])
        self.assertEqual("Not Found", body["title"])
        self.assertEqual("EntityNotFound", body["error"]["type"])
        self.assertIn("absent", body["error"]["message"])
        self.assertIsNone(body["error"]["traceback"])
        self.assertRegex(
            answer.headers["X-Openstack-Request-Id"], "^req-[0-9a-f-]{36}$"
        )

    def test_who_sends_xml_reads_xml(self) -> None:
        answer = self.ask(
            *("POST", "/stacks", 400),
            data="<stack/>",
            headers={"Content-Type": "application/xml"},
        )

        self.assertEqual("application/xml", answer.headers["Content-Type"])
        self.assertIn("<fault><code>400</code>", answer.text)

    def test_values_that_are_none(self) -> None:
        for path in (
            "/stacks?show_deleted=maybe",
            "/stacks?with_count=1",
            "/stacks?global_tenant=yes",
            "/stacks?limit=some",
            "/stacks?limit=-1",
            "/stacks?sort_dir=up",
        ):
            self.ask("GET", path, 400)
        for path in ("/stacks?show_deleted=TRUE", "/stacks?with_count=False"):
            self.ask("GET", path, 200)

    def test_bodies_that_describe_no_stack(self) -> None:
        good: dict[str, object] = {
            "stack_name": "refused",
            "template": _TEMPLATE,
        }
        for wrong in (
            {"stack_name": "1st"},
            {"stack_name": "a" * 256},
            {"stack_name": "a b"},
            {"template": None},
            {"template": 1},
            {"disable_rollback": "yes"},
            {"timeout_mins": "soon"},
            {"timeout_mins": -1},
            {"tags": ["a,b"]},
            {"tags": "a" * 81},
            {"converge": True},
            {"parameters": {"unknown": 1}},
            {"files": {"a": 1}},
        ):
            self.ask("POST", "/stacks", 400, json={**good, **wrong})
        self.ask("POST", "/stacks", 400, data="{")
        self.ask("POST", "/stacks", 400, data="[]")
        self.ask("POST", "/stacks", 400)

    def test_actions_that_are_none(self) -> None:
        stack = self.make("acted")
        for body in ({}, {"dance": None}, {"suspend": 1, "check": 1}):
            self.ask("POST", f"{stack.path}/actions", 400, json=body)
        answer = self.ask(
            "POST", f"{stack.path}/actions", 200, json={"check": ""}
        )
        self.assertIsNone(answer.json())
        self.client.wait(stack, "CHECK_COMPLETE")


class RedirectTests(RestTestCase):
    def test_a_name_and_an_id_lead_to_the_stack(self) -> None:
        stack = self.make("found")
        below = (
            ("", _METHODS),
            ("/resources", ("GET", "POST")),
            ("/events", ("GET", "POST")),
            ("/template", ("GET", "POST")),
            ("/actions", ("GET", "POST")),
            ("/environment", ("GET",)),
            ("/files", ("GET",)),
        )
        for named in (stack.name, stack.id):
            for path, methods in below:
                for method in methods:
                    answer = self.ask(
                        method, f"/stacks/{named}{path}?a=b&a=c", 302
                    )
                    self.assertEqual(
                        f"{self.client.endpoint}{stack.path}{path}?a=b&a=c",
                        answer.headers["Location"],
                    )
                    self.assertNotIn("json", answer.headers["Content-Type"])

    def test_words_of_the_api_are_names_too(self) -> None:
        for word, taken in (
            ("detail", "GET"),
            ("preview", "POST"),
            ("generate", "POST"),
        ):
            others = set(_METHODS) - {taken}
            options = self.ask("OPTIONS", f"/stacks/{word}", 204)
            self.assertEqual(
                sorted([*_METHODS, "OPTIONS"]),
                sorted(options.headers["Allow"].split(", ")),
            )
            for method in others:
                self.ask(method, f"/stacks/{word}", 404)
            stack = self.make(word)
            for method in others:
                answer = self.ask(method, f"/stacks/{word}?a=b", 302)
                self.assertEqual(
                    f"{self.client.endpoint}{stack.path}?a=b",
                    answer.headers["Location"],
                )

    def test_a_resource_name_leads_to_the_stack(self) -> None:
        stack = self.make("named")
        arn = (
            f"arn:openstack:heat::{self.project}:stacks/{stack.name}"
            f"/{stack.id}"
        )
        for below in ("", "/resources/one"):
            for written in (arn + below, urllib.parse.quote(arn + below, "")):
                answer = self.ask("GET", f"/stacks/{written}", 302)
                self.assertEqual(
                    f"{self.client.endpoint}{stack.path}{below}",
                    answer.headers["Location"],
                )

    def test_what_is_not_led_on(self) -> None:
        self.make("kept")
        for below in ("snapshots", "outputs", "abandon", "export", "preview"):
            self.ask("GET", f"/stacks/kept/{below}", 404)

    def test_a_wrong_name_is_no_stack(self) -> None:
        stack = self.make("right")
        before = self.client.show(stack)
        for method, path in addresses_of_stacks():
            for body in _BODIES.get(f"{method} {path}", [None]):
                for address in (f"wrong/{stack.id}", f"right/{stack.name}"):
                    answer = self.ask(
                        method, f"/stacks/{address}{path}", 404, json=body
                    )
                    text = f"The Stack ({address}) could not be found."
                    self.assertEqual(
                        {
                            "message": text,
                            "type": "EntityNotFound",
                            "traceback": None,
                        },
                        answer.json()["error"],
                    )
        self.ask("GET", "/stacks/absent", 404)
        self.assertEqual(before, self.client.show(stack))
