"""What a server must not trip over: each gets one clear answer.

Heat's status and error type, the place of the mistake, and nothing stored.
"""

import dataclasses
import json
import time
import typing
import uuid

import requests

from tests import base
from tests.support import running
from tests.support import serving

_HOT = "heat_template_version: 2021-04-16\n"
_NONE = "{type: OS::Heat::None}"
_FAST_S = 5.0

Body = dict[str, object]


@dataclasses.dataclass(frozen=True)
class Place:
    """Where the first problem is said to be; 0 where it has no line."""

    path: str
    line: int
    column: int


def hot(*lines: str) -> str:
    return _HOT + "".join(f"{line}\n" for line in lines)


def bomb(indent: str = "") -> str:
    """Return a few hundred bytes that stand for 9 to the 30th values."""
    lines = [f"{indent}x0: &x0 [{', '.join('a' * 9)}]"]
    lines += [
        f"{indent}x{number}: &x{number} [{', '.join([f'*x{number - 1}'] * 9)}]"
        for number in range(1, 30)
    ]
    return "\n".join(lines) + "\n"


_OF_HEAT = {"code", "title", "explanation", "error"}
_DETAILS = {"type", "status", "detail", "instance", "request_id", "error_code"}
_OF_PROBLEMS = {"problems", "where", "hint"}


def _problem_members(body: Body) -> set[str]:
    """Return which members the problems of an error bring along."""
    problems = typing.cast(list[Body], body.get("problems", []))
    told = {"problems"} if problems else set()
    if any(
        each[name]
        for each in problems
        for name in ("file", "line", "column", "path")
    ):
        told.add("where")
    if any(each["advice"] for each in problems):
        told.add("hint")
    return told


class BadInputTests(serving.ServerTestCase):
    """All on one server, which must serve the next one as well."""

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.check_serves_and_holds_nothing)

    def check_serves_and_holds_nothing(self) -> None:
        self.assertTrue(self.system.server.is_running())
        self.assertEqual([], self.client.get("/stacks", "stacks"))

    def send(self, content: bytes | str) -> requests.Response:
        if isinstance(content, str):
            content = content.encode("utf-8")
        began = time.monotonic()
        answer = requests.post(
            f"{self.system.endpoint}/stacks",
            data=content,
            headers={"Content-Type": "application/json"},
            timeout=30,
        )
        self.assertLess(time.monotonic() - began, _FAST_S)
        return answer

    def refuse(
        self,
        content: Body | bytes | str,
        kind: str,
        *said: str,
        place: Place | None = None,
    ) -> None:
        """Check that a request is refused with 400 and why.

        :param kind: the error type
        :param said: what the message says
        :param place: what the first problem says
        """
        raw = json.dumps(content) if isinstance(content, dict) else content
        answer = self.send(raw)
        self.assertEqual(400, answer.status_code, answer.text)
        body = answer.json()
        self.assertEqual(_OF_HEAT | _DETAILS, set(body) - _OF_PROBLEMS)
        self.assertEqual(_OF_PROBLEMS & set(body), _problem_members(body))
        self.assertEqual(body["error"]["message"], body["detail"])
        self.assertEqual(kind, body["error"]["type"], answer.text)
        for words in said:
            self.assertIn(words, body["error"]["message"])
        self.assertNotIn("Traceback", answer.text)
        if place is not None:
            first = body["problems"][0]
            found = Place(first["path"], first["line"], first["column"])
            self.assertEqual(place, found)

    def refuse_template(
        self,
        text: object,
        kind: str,
        *said: str,
        place: Place | None = None,
        **more: object,
    ) -> None:
        body = {"stack_name": "s", "template": text, **more}
        self.refuse(body, kind, *said, place=place)

    def test_text_that_is_no_yaml(self) -> None:
        self.refuse_template(
            hot("resources:", "  a: {type: [}"),
            "HTTPBadRequest",
            "line 3, column 14",
            place=Place("", 3, 14),
        )
        self.refuse_template(
            hot("resources:", "\ta: x"),
            "HTTPBadRequest",
            place=Place("", 3, 1),
        )
        self.refuse_template(hot("a: \x00"), "HTTPBadRequest", "#x0000")

    def test_text_that_is_no_template(self) -> None:
        for text in ("", "just words", "- a\n- list\n", "42"):
            self.refuse_template(text, "HTTPBadRequest", "not in valid format")
        self.refuse_template(
            "heat_template_version: 1999-01-01\n", "InvalidTemplateVersion"
        )

    def test_alias_bombs_wherever_they_are_put(self) -> None:
        kind = "RequestLimitExceeded"
        self.refuse_template(_HOT + bomb(), kind, "aliases", "line")
        value = hot(
            "resources:",
            "  a:",
            "    type: OS::Heat::Value",
            "    properties:",
            "      value:",
        )
        self.refuse_template(value + bomb("        "), kind, "aliases")
        self.refuse_template(
            _HOT,
            kind,
            "aliases",
            environment="parameters:\n" + bomb("  "),
        )

    def test_aliases_that_contain_themselves(self) -> None:
        self.refuse_template(
            hot("resources: &r", "  a: *r"),
            "HTTPBadRequest",
            "contains itself",
            place=Place("", 3, 6),
        )

    def test_documents_without_a_bottom(self) -> None:
        self.refuse_template(
            hot("resources: " + "[" * 100_000), "RequestLimitExceeded", "deep"
        )
        nested = "[" * 400_000 + "]" * 400_000
        self.refuse(
            f'{{"stack_name": "s", "template": {nested}}}', "HTTPBadRequest"
        )

    def test_more_than_a_body_or_a_template_may_hold(self) -> None:
        kind = "RequestLimitExceeded"
        self.refuse_template(
            hot("#" + "x" * 1_048_576), kind, "JSON body size", "1048576"
        )
        self.refuse_template(
            hot("#" + "x" * 524_288), kind, "Template size", "524288"
        )

    def test_more_resources_than_a_stack_may_have(self) -> None:
        self.refuse_template(
            hot("resources:", *(f"  r{n}: {_NONE}" for n in range(1001))),
            "RequestLimitExceeded",
            "Maximum resources per stack exceeded",
        )

    def test_sections_that_nobody_knows(self) -> None:
        self.refuse_template(
            hot("resorces:", f"  a: {_NONE}"),
            "StackValidationFailed",
            "resorces",
            "Did you mean resources?",
            place=Place("resorces", 2, 1),
        )

    def test_types_that_nobody_knows(self) -> None:
        self.refuse_template(
            hot("resources:", "  a:", "    type: OS::Heat::Nothing"),
            "StackValidationFailed",
            "resources.a.type",
            "The Resource Type (OS::Heat::Nothing) could not be found",
            place=Place("resources.a.type", 4, 5),
        )

    def test_all_mistakes_at_once(self) -> None:
        text = hot(
            "resources:",
            "  a:",
            "    type: OS::Heat::Nothing",
            "  b:",
            "    type: OS::Heat::Value",
            "    properties: {valu: 1}",
        )

        body = self.send(
            json.dumps({"stack_name": "s", "template": text})
        ).json()

        paths = [each["path"] for each in body["problems"]]
        self.assertIn("resources.a.type", paths)
        self.assertIn("resources.b.properties.valu", paths)

    def test_parameters_that_are_missing_or_too_many(self) -> None:
        self.refuse_template(
            hot("parameters:", "  p: {type: string}"),
            "UserParameterMissing",
            "The Parameter (p) was not provided",
            place=Place("parameters.p", 3, 3),
        )
        self.refuse_template(
            _HOT,
            "UnknownUserParameter",
            "The Parameter (q) was not defined in template",
            parameters={"q": 1},
        )

    def test_resources_that_need_each_other(self) -> None:
        self.refuse_template(
            hot(
                "resources:",
                "  a: {type: OS::Heat::None, depends_on: c}",
                "  b: {type: OS::Heat::None, depends_on: a}",
                "  c: {type: OS::Heat::None, depends_on: b}",
            ),
            "CircularDependencyException",
            "Circular Dependency Found",
            place=Place("resources.a", 3, 3),
        )

    def test_a_resource_that_needs_itself(self) -> None:
        self.refuse_template(
            hot("resources:", "  a: {type: OS::Heat::None, depends_on: a}"),
            "CircularDependencyException",
        )

    def test_references_to_nothing(self) -> None:
        self.refuse_template(
            hot(
                "resources:",
                "  a:",
                "    type: OS::Heat::Value",
                "    properties:",
                "      value: {get_resource: zz}",
            ),
            "InvalidTemplateReference",
            "zz",
        )

    def test_one_name_for_a_parameter_and_a_resource(self) -> None:
        self.refuse_template(
            hot(
                "parameters:",
                "  a: {type: string, default: x}",
                "resources:",
                f"  a: {_NONE}",
            ),
            "StackValidationFailed",
            "Duplicate names",
            "a",
        )

    def test_names_that_no_stack_can_bear(self) -> None:
        for name in ("1s", "", "a b", "a/b", "ä", "s" * 256, 7):
            self.refuse(
                {"stack_name": name, "template": _HOT},
                "StackValidationFailed",
                "stack_name must be a letter, and then",
            )
        self.refuse(
            {"template": _HOT}, "HTTPBadRequest", "stack_name is missing"
        )

    def test_names_that_no_resource_can_bear(self) -> None:
        for name in ("a/b", "r" * 256):
            self.refuse_template(
                hot("resources:", f"  {name}: {_NONE}"),
                "StackValidationFailed",
            )

    def test_bodies_that_are_no_json_object(self) -> None:
        for content in (
            "",
            "{nope",
            "[]",
            "7",
            "null",
            '"text"',
            b'{"stack_name": "\xff"}',
            b"\x1f\x8b\x08",
        ):
            self.refuse(content, "HTTPBadRequest")

    def test_values_of_another_type(self) -> None:
        cases: list[Body] = [
            {"template": [1]},
            {"template": 7},
            {"parameters": [1]},
            {"environment": [1]},
            {"files": [1]},
            {"files": {"a": 1}},
            {"environment_files": "a"},
            {"tags": [1]},
            {"timeout_mins": "soon"},
            {"timeout_mins": -1},
            {"disable_rollback": "perhaps"},
        ]
        for case in cases:
            (key,) = case
            self.refuse(
                {"stack_name": "s", "template": _HOT, **case},
                "HTTPBadRequest",
                key,
            )

    def test_all_problems_of_a_body_at_once(self) -> None:
        answer = self.send(
            json.dumps(
                {
                    "stack_name": "s",
                    "template": [1],
                    "parameters": "sesame",
                    "timeout_mins": "soon",
                    "files": {f"f{number}": 1 for number in range(200)},
                }
            )
        )

        problems = answer.json()["problems"]
        self.assertEqual(400, answer.status_code)
        self.assertEqual(100, len(problems))
        self.assertLessEqual(
            {"template", "parameters", "timeout_mins", "files.f0"},
            {each["path"] for each in problems},
        )
        self.assertNotIn("sesame", answer.text)

    def test_whoever_may_not_send_a_body_gets_no_problem_of_it(self) -> None:
        stack = f"/stacks/s/{uuid.uuid4()}"
        wrong: Body = {"timeout_mins": "soon"}
        for method, path, body in (
            ("POST", "/stacks", wrong),
            ("PUT", stack, wrong),
            ("PATCH", stack, wrong),
            ("POST", f"{stack}/actions", {"suspend": wrong}),
            ("POST", f"{stack}/snapshots", wrong),
            ("POST", f"{stack}/snapshots/x/restore", wrong),
        ):
            for roles, status in (("reader", 403), ("member", 400)):
                answer = requests.request(
                    method,
                    self.system.endpoint + path,
                    json=body,
                    headers={"X-Roles": roles},
                    timeout=30,
                )
                self.assertEqual(status, answer.status_code, answer.text)

    def test_no_template_at_all(self) -> None:
        self.refuse(
            {"stack_name": "s"}, "HTTPBadRequest", "No template specified"
        )


class TakenNameTests(base.TestCase):
    def test_a_name_that_exists_is_refused_and_the_stack_untouched(
        self,
    ) -> None:
        client = self.useFixture(running.Embedded()).system.client
        first = client.create("s", _HOT)
        client.wait(first, "CREATE_COMPLETE")
        before = client.events(first)

        answer = requests.post(
            f"{client.endpoint}/stacks",
            json={"stack_name": "s", "template": _HOT},
            timeout=30,
        )

        self.assertEqual(409, answer.status_code)
        error = answer.json()["error"]
        self.assertEqual("StackExists", error["type"])
        self.assertIn("The Stack (s) already exists", error["message"])
        self.assertEqual(before, client.events(first))
        self.assertEqual(
            [first.id],
            [each["id"] for each in client.get("/stacks", "stacks")],
        )
