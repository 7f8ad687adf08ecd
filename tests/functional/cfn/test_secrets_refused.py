"""A hidden value that is refused is in no error, by whichever way it came."""

import contextlib
import json
import typing

import requests

from tests.functional.cfn import querying
from tests.functional.cfn import test_actions
from tests.support import rest

Json = dict[str, typing.Any]

_WORD: typing.Final = "canary refused/5zq1"
_PART: typing.Final = "5zq1"
_NUMBER: typing.Final = 914275538
_READ: typing.Final = {"get_param": "word"}
_VALUES: typing.Final[dict[str, object]] = {
    "text": _WORD,
    "lines": f"{_WORD}\n{_WORD}",
    "map": {"x": _WORD},
    "deep": {"x": [{"y": _WORD}], "z": 1},
    "list": ["first", _WORD],
    "json": json.dumps({"x": [_WORD]}),
    "number": _NUMBER,
    "numbers": [_NUMBER],
}
_KINDS: typing.Final = (
    "string",
    "number",
    "json",
    "comma_delimited_list",
    "boolean",
)
_EMPTY: typing.Final = {"heat_template_version": "2021-04-16"}


def resource(kind: str, **properties: object) -> Json:
    return {"type": kind, "properties": properties}


_RESOURCES: typing.Final[dict[str, Json]] = {
    "address": resource(
        "Orch::HTTP::Resource",
        url={"list_join": ["", ["http://host/", _READ]]},
        create={"path": "/"},
    ),
    "integer": resource("OS::Heat::RandomString", length=_READ),
    "choice": resource("OS::Heat::RandomString", sequence=_READ),
    "property": resource("OS::Heat::ResourceGroup", resource_def=_READ),
    "member": resource(
        "OS::Heat::ResourceGroup",
        count=1,
        resource_def=resource("OS::Heat::RandomString", length=_READ),
    ),
    "kind": resource(
        "OS::Heat::ResourceGroup", count=1, resource_def={"type": _READ}
    ),
    "text": resource("OS::Heat::Stack", template=_READ),
    "select": resource(
        "OS::Heat::Value", value={"str_split": [_READ, "a", 7]}
    ),
    "query": resource(
        "OS::Heat::Value",
        value={
            "yaql": {"expression": "int($.data)", "data": _READ},
        },
    ),
    "repeat": resource(
        "OS::Heat::Value",
        value={"repeat": {"for_each": {"%x%": _READ}, "template": "%x%"}},
    ),
    "replaced": resource(
        "OS::Heat::Value",
        value={"map_replace": [_READ, {"keys": _READ}]},
    ),
    "policy": {"type": "OS::Heat::None", "deletion_policy": _READ},
    "nested": {"type": "inner.yaml", "properties": {"size": _READ}},
}
_INNER: typing.Final = {
    "heat_template_version": "2021-04-16",
    "parameters": {
        "size": {
            "type": "number",
            "constraints": [{"range": {"min": 1, "max": 2}}],
        }
    },
    "resources": {},
}


class RefusedTests(test_actions.CfnTestCase):
    limit_s = 240

    def setUp(self) -> None:
        super().setUp()
        self.stack = self.client.create(self.name, _EMPTY)
        self.client.wait(self.stack, "CREATE_COMPLETE")
        self.said: list[tuple[str, int, str]] = []
        self.client._session.hooks["response"] = [self.record]
        self.addCleanup(self.client._session.hooks["response"].clear)

    def record(self, answer: requests.Response, **more: object) -> None:
        path = str(answer.request.path_url)
        method = str(answer.request.method)
        self.said.append((f"{method} {path}", answer.status_code, answer.text))

    def ask(self, method: str, path: str, body: Json) -> None:
        with contextlib.suppress(rest.RefusedError):
            self.client.ask(method, path, body)

    def ask_everywhere(self, stack: rest.Stack, body: Json) -> None:
        """Send a template and its values to all addresses that take them."""
        named = {"stack_name": "refused", **body}
        for method, path, sent in (
            ("POST", "/validate", body),
            ("POST", "/stacks/preview", named),
            ("POST", "/stacks", named),
            (
                "POST",
                "/stacks",
                {
                    "stack_name": "refused-adopted",
                    "adopt_stack_data": json.dumps(
                        {
                            "template": body["template"],
                            "environment": {"parameters": body["parameters"]},
                            "files": body["files"],
                            "resources": {},
                        }
                    ),
                },
            ),
            ("PUT", f"{stack.path}/preview", body),
            ("POST", f"{stack.path}/plans", {"action": "update", **body}),
            ("PUT", stack.path, body),
            ("PATCH", stack.path, body),
        ):
            self.ask(method, path, sent)
        answer = querying.send(
            querying.signed(
                self.port,
                querying.Key(),
                Action="CreateStack",
                StackName="refused-cfn",
                TemplateBody=json.dumps(body["template"]),
                **{
                    "Parameters.member.1.ParameterKey": "word",
                    "Parameters.member.1.ParameterValue": str(
                        body["parameters"]["word"]
                    ),
                },
            )
        )
        self.said.append(("CreateStack", answer.status_code, answer.text))

    def refuse(self, kind: str, value: object, declared: Json) -> None:
        self.ask_everywhere(
            self.stack,
            {
                "template": {
                    **_EMPTY,
                    "parameters": {"word": {"type": kind, "hidden": True}},
                    "resources": {"r": declared},
                },
                "parameters": {"word": value},
                "files": {"inner.yaml": json.dumps(_INNER)},
            },
        )

    def check(self) -> None:
        """Find the values in no answer, and refusals at each address."""
        self.assertEqual([], [each for each in self.said if each[1] >= 500])
        self.assertEqual(
            [],
            [
                each
                for each in self.said
                if _PART in each[2] or str(_NUMBER) in each[2]
            ],
        )
        refused = {
            place
            for place, status, text in self.said
            if status == 400
            and (
                "******" in text
                or "sensitive value" in text
                or "is sensitive" in text
            )
        }
        asked = {place for place, _, _ in self.said}
        # It does not look at the values of properties.
        self.assertEqual(set(), asked - refused - {"POST /v1/demo/validate"})

    def test_values_of_the_wrong_type(self) -> None:
        for kind in _KINDS:
            for value in _VALUES.values():
                self.refuse(kind, value, _RESOURCES["address"])

        self.check()

    def test_values_in_the_wrong_place(self) -> None:
        for declared in _RESOURCES.values():
            for name in ("text", "deep"):
                self.refuse("string", _VALUES[name], declared)

        self.check()
