"""The OpenAPI document is whole, and says what the code does."""

import ast
import importlib
import pathlib
import pkgutil

import openapi_spec_validator

from orch.api import handlers
from orch.api import routes
from orch.api.openapi import document
from orch.api.openapi import operations
from orch.api.openapi import parameters
from tests.support import conforming
from tests.unit.api import fakes

_READERS = {
    "boolean",
    "find",
    "find_all",
    "integer",
    "words",
    "get_param",
}


class DocumentTest(fakes.ApiTestCase):
    def test_it_is_valid_openapi(self) -> None:
        found = self.get("/openapi.json").json

        openapi_spec_validator.validate(found)
        self.assertEqual("3.1.0", found["openapi"])
        self.assertEqual("/openapi.json", document.PATH)

    def test_nobody_has_to_say_who_asks(self) -> None:
        self.get("/openapi.json", headers={"X-Roles": "stranger"})

        self.assertEqual([], self.bus.calls)

    def test_its_server_is_where_it_came_from(self) -> None:
        found = self.get("/openapi.json").json

        self.assertEqual(
            [{"url": "http://falconframework.org"}], found["servers"]
        )

    def test_each_route_is_described_and_nothing_else(self) -> None:
        served = {
            f"{method} {route.path}"
            for route in routes.TABLE
            for method in route.methods.split()
        }

        self.assertEqual(served, set(operations.TABLE))

    def test_operations_have_names_of_their_own(self) -> None:
        paths = document.build(routes.TABLE)["paths"]
        names = [
            each["operationId"]
            for methods in paths.values()
            for each in methods.values()
        ]

        self.assertEqual(len(names), len(set(names)))

    def test_an_answer_that_is_not_described_is_noticed(self) -> None:
        known = conforming.Document(self.get("/openapi.json").json)
        path = "/v1/demo/services"

        known.check("GET", path, 200, "application/json", {"services": []})

        for status, kind, body in (
            (200, "application/json", {"services": [], "more": 1}),
            (200, "application/json", {"services": [{}]}),
            (200, "text/plain", {"services": []}),
            (418, "application/json", {"services": []}),
        ):
            self.assertRaises(
                AssertionError, known.check, "GET", path, status, kind, body
            )
        self.assertRaises(
            AssertionError, known.check, "PUT", path, 200, "", None
        )


class ParametersTest(fakes.ApiTestCase):
    def test_what_handlers_read_of_the_query_is_described(self) -> None:
        known = {
            each["name"]
            for value in vars(parameters).values()
            if isinstance(value, tuple)
            for each in value
            if isinstance(each, dict)
        }

        self.assertEqual(set(), _names_read() - known)


def _names_read() -> set[str]:
    """Return the parameters of query strings that the code names."""
    found = set()
    for module in pkgutil.iter_modules(handlers.__path__):
        name = f"{handlers.__name__}.{module.name}"
        path = pathlib.Path(str(importlib.import_module(name).__file__))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr in _READERS:
                found |= {
                    each.value
                    for each in node.args
                    if isinstance(each, ast.Constant)
                    and isinstance(each.value, str)
                }
    return found
