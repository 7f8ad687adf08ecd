from orch import policies
from orch.api import routes
from tests.unit.api import fakes


class RoutesTest(fakes.ApiTestCase):
    def test_each_rule_of_the_table_is_registered(self) -> None:
        known = {rule.name for rule in policies.list_rules()}
        rules = {
            route.rule for route in routes.TABLE if route.rule is not None
        }

        self.assertEqual(set(), rules - known)

    def test_a_caller_without_a_role_may_do_nothing(self) -> None:
        for route in routes.TABLE:
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
