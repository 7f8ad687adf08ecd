"""Values that are nested deeply, through all bodies and by templates."""

import json
import typing

import requests

from tests.functional import acting
from tests.support import rest
from tests.support import serving

_TOO_DEEP = (201, 1020, 5000)
_SAID = "nested more than 200 deep"
_VALUE = "OS::Heat::Value"

_CHILD = {
    "heat_template_version": "2021-04-16",
    "parameters": {"p": {"type": "json"}},
    "resources": {
        "v": {"type": _VALUE, "properties": {"value": {"get_param": "p"}}}
    },
}

Json = dict[str, typing.Any]


def nested(depth: int, inside: object = 1) -> object:
    """Return a value in so many maps."""
    for _ in range(depth):
        inside = {"a": inside}
    return inside


def text_of(depth: int) -> str:
    """Return the JSON of a value in so many maps."""
    return '{"a":' * depth + "1" + "}" * depth


class BodiesTests(serving.ServerTestCase):
    def send(
        self, method: str, path: str, body: bytes, kind: str
    ) -> requests.Response:
        return requests.request(
            method,
            f"http://127.0.0.1:{self.system.port}{path}",
            data=body,
            headers={"Content-Type": kind, "X-Project-Id": "demo"},
            timeout=60,
        )

    def routes(self) -> list[tuple[str, str]]:
        """Return method and path of each route that has a JSON body."""
        described = requests.get(
            f"http://127.0.0.1:{self.system.port}/openapi.json",
            timeout=60,
        ).json()
        found = []
        for place, methods in described["paths"].items():
            path = place.replace("{project}", "demo")
            path = path.replace("{stack_id}", acting.MISSING.id)
            for name in ("{", "}"):
                path = path.replace(name, "")
            found += [
                (method.upper(), path)
                for method, route in methods.items()
                # Sealed addresses are opened before anything is read.
                if "requestBody" in route and "/arn" not in path
            ]
        return found

    def test_all_bodies_have_one_depth(self) -> None:
        routes = self.routes()
        self.assertGreater(len(routes), 20)
        for depth in _TOO_DEEP:
            body = b'{"x": %s}' % text_of(depth - 1).encode()
            for method, path in routes:
                answer = self.send(method, path, body, "application/json")

                self.assertEqual(
                    (400, True),
                    (answer.status_code, _SAID in answer.text),
                    (depth, method, path, answer.text[:300]),
                )


class TemplatesTests(serving.ServerTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.name = self.id().rpartition(".")[-1][:60]

    def create(self, **body: object) -> requests.Response:
        return requests.post(
            f"{self.system.endpoint}/stacks",
            data=json.dumps({"stack_name": self.name, **body}),
            timeout=60,
        )

    def test_texts_in_a_body_have_the_same_depth(self) -> None:
        template = {
            "heat_template_version": "2021-04-16",
            "parameters": {"p": {"type": "json"}},
        }
        for depth in _TOO_DEEP:
            for body in (
                {"template": text_of(depth)},
                {"template": "a: " + "[" * depth + "]" * depth},
                {"template": template, "parameters": {"p": text_of(depth)}},
                {"template": template, "environment": text_of(depth)},
                {"template": template, "files": {"x": text_of(depth)}},
                {"adopt_stack_data": text_of(depth)},
            ):
                answer = self.create(**body)

                self.assertEqual(400, answer.status_code, answer.text)

    def test_a_template_cannot_nest_values_without_end(self) -> None:
        values: Json = {}
        inside: object = 1
        for number in range(8):
            values[f"v{number}"] = {
                "type": _VALUE,
                "properties": {"value": nested(180, inside)},
            }
            inside = {"get_attr": [f"v{number}", "value"]}
        answer = self.create(
            template={
                "heat_template_version": "2021-04-16",
                "resources": values,
                "outputs": {"o": {"value": inside}},
            }
        )
        self.assertEqual(201, answer.status_code, answer.text)
        stack = rest.Stack(self.name, answer.json()["stack"]["id"])

        found = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("v2", str(found["stack_status_reason"]))
        path = f"{stack.path}/resources"
        shown = self.client.get(path, "resources")
        for each in shown:
            self.client.get(f"{path}/{each['resource_name']}", "resource")

    def test_nor_by_handing_them_to_a_child_stack(self) -> None:
        answer = self.create(
            template={
                "heat_template_version": "2021-04-16",
                "parameters": {"p": {"type": "json"}},
                "resources": {
                    "child": {
                        "type": "child.yaml",
                        "properties": {
                            "p": nested(180, {"get_param": "p"}),
                        },
                    }
                },
            },
            files={"child.yaml": json.dumps(_CHILD)},
            parameters={"p": text_of(190)},
        )

        self.assertEqual(201, answer.status_code, answer.text)
        stack = rest.Stack(self.name, answer.json()["stack"]["id"])
        found = self.client.wait(stack, "CREATE_FAILED")
        self.assertIn(_SAID, str(found["stack_status_reason"]))
