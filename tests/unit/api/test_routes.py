from orch import policies
from orch.api import routes
from tests.unit.api import fakes


class RoutesTest(fakes.ApiTestCase):
    def test_a_known_address_tells_which_methods_it_takes(self) -> None:
        for method, path, allowed in (
            ("PUT", "/v1/demo/stacks", {"GET", "POST", "OPTIONS"}),
            (
                "POST",
                fakes.STACK_PATH,
                {"GET", "PUT", "PATCH", "DELETE", "OPTIONS"},
            ),
            ("DELETE", "/v1/demo/validate", {"POST", "OPTIONS"}),
        ):
            answer = self.ask(method, path, 405)
            self.assert_error(answer, "HTTPMethodNotAllowed")
            found = set(answer.headers["Allow"].split(", "))
            self.assertEqual(allowed, found)

    def test_options_answers_204_and_the_methods(self) -> None:
        answer = self.ask("OPTIONS", "/v1/demo/stacks", 204)

        self.assertEqual("GET, POST, OPTIONS", answer.headers["Allow"])
        self.assertEqual(b"", answer.content)

    def test_an_unknown_address_answers_404(self) -> None:
        for path in ("/v1/demo/clouds", "/v1/demo", "/demo/stacks"):
            answer = self.get(path, 404)
            self.assert_error(answer, "HTTPNotFound")

    def test_each_rule_of_the_table_is_registered(self) -> None:
        known = {rule.name for rule in policies.list_rules()}
        rules = {
            route.rule
            for route in routes.table(_any_handlers())
            if route.rule is not None
        }

        self.assertEqual(set(), rules - known)

    def test_a_caller_without_a_role_may_do_nothing(self) -> None:
        for route in routes.table(_any_handlers()):
            path = "/v1/demo" + route.path.format_map(_Anything())
            method = route.methods.split()[0]
            self.ask(
                method,
                path,
                403,
                headers={"X-Roles": "stranger"},
                json={"retry": {}},
            )
        self.assertEqual([], self.bus.calls)


class _Anything(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "x"


class _Handler:
    """Has each attribute that the table asks for."""

    def __getattr__(self, name: str) -> "_Handler":
        return self


def _any_handlers() -> routes.Handlers:
    fields = routes.Handlers.__dataclass_fields__
    return routes.Handlers(**{name: _Handler() for name in fields})
