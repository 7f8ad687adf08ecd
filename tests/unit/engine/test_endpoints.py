"""Which use cases the methods of the contract have, and how they are run."""

import functools
import types
import typing

from orch.context import request
from orch.engine import endpoints
from orch.rpc import contract
from orch.rpc.contract import methods
from tests import base
from tests.unit.rpc import declared

_RULES: typing.Final = types.SimpleNamespace(may_anywhere=lambda *_: False)
_DEPS: typing.Final[typing.Any] = types.SimpleNamespace(rules=_RULES)


def _returning(use_case: endpoints.UseCase) -> endpoints.UseCase:
    """Return a use case of the same parameters that returns arguments."""

    @functools.wraps(use_case)
    def call(
        deps: object, ctxt: request.RequestContext, /, **kwargs: object
    ) -> object:
        return kwargs

    return call


class TableTest(base.TestCase):
    def test_each_namespace_of_the_contract_is_served(self) -> None:
        self.assertEqual(set(contract.NAMESPACES), set(endpoints.USE_CASES))

    def test_each_method_has_a_use_case_of_the_same_parameters(self) -> None:
        served = {
            each.target.namespace: set(vars(each)) - {"target"}
            for each in endpoints.build_endpoints(_DEPS)
        }

        for kind in contract.NAMESPACES:
            found = methods.read_namespace(kind)
            self.assertEqual(
                {each.name for each in found.methods}, served.pop(found.name)
            )
        self.assertEqual({}, served)

    def test_all_arguments_reach_the_use_cases(self) -> None:
        deps: typing.Any = types.SimpleNamespace(
            rules=_RULES, credential_store=_Credentials()
        )
        ctxt = request.RequestContext(project_id="p")
        for kind in contract.NAMESPACES:
            table = {
                name: _returning(use_case)
                for name, use_case in endpoints.USE_CASES[kind].items()
            }
            served: typing.Any = endpoints.build_endpoint(deps, kind, table)
            for each in methods.read_namespace(kind).methods:
                sent = {
                    name: f"a {name}" for name in each.signature.parameters
                }

                found = getattr(served, each.name)(ctxt, **sent)

                self.assertEqual(sent, found, f"{kind.__name__}.{each.name}")

    def test_no_use_case_serves_two_methods(self) -> None:
        found = [
            use_case
            for table in endpoints.USE_CASES.values()
            for use_case in table.values()
        ]

        self.assertEqual(len(found), len(set(found)))


class _Credentials:
    def __init__(self) -> None:
        self.withdrawn: list[request.RequestContext] = []

    def withdraw(self, ctxt: request.RequestContext) -> None:
        self.withdrawn.append(ctxt)


class EndpointTest(base.TestCase):
    """A namespace of its own, as a worker serves it."""

    def setUp(self) -> None:
        super().setUp()
        self.ctxt = request.RequestContext(project_id="p")
        self.credentials = _Credentials()
        self.deps: typing.Any = types.SimpleNamespace(
            rules=_RULES, credential_store=self.credentials
        )
        self.calls: list[tuple[object, ...]] = []
        self.shelf: typing.Any = endpoints.build_endpoint(
            self.deps,
            declared.Shelf,
            {
                "find": self.find,
                "place": self.place,
                "dust": self.dust,
                "burn": self.burn,
            },
        )

    def find(
        self,
        deps: object,
        ctxt: request.RequestContext,
        title: str,
        exact: bool,
        page: int | None,
    ) -> list[str]:
        self.calls.append((deps, ctxt, title, exact, page))
        return [title]

    def place(
        self, deps: object, ctxt: request.RequestContext, title: str, row: int
    ) -> str:
        return f"{title} {row}"

    def dust(self, deps: object, ctxt: request.RequestContext) -> None:
        pass

    def burn(
        self, deps: object, ctxt: request.RequestContext, **books: str
    ) -> None:
        pass

    def test_a_use_case_gets_dependencies_and_all_arguments(self) -> None:
        self.assertEqual(["Emma"], self.shelf.find(self.ctxt, title="Emma"))
        self.assertEqual(
            [(self.deps, self.ctxt, "Emma", False, None)], self.calls
        )

    def test_what_the_contract_says_is_run_once(self) -> None:
        """The request of such a method loses its credential at the end."""
        self.shelf.find(self.ctxt, title="Emma")
        self.shelf.burn(self.ctxt, one="Emma")
        self.assertEqual([], self.credentials.withdrawn)

        self.assertEqual("Emma 1", self.shelf.place(self.ctxt, title="Emma"))

        self.assertEqual([self.ctxt], self.credentials.withdrawn)

    def test_another_table_is_refused(self) -> None:
        self.assertRaises(
            TypeError,
            endpoints.build_endpoint,
            self.deps,
            declared.Shelf,
            {"find": self.find},
        )
