"""What endpoints serve, and what they refuse to start with."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc import endpoint
from orch.rpc.contract import methods
from tests import base
from tests.unit.rpc import declared


def find(
    ctxt: request.RequestContext, title: str, exact: bool, page: int | None
) -> list[str]:
    return [title, str(exact), str(page)]


def place(ctxt: request.RequestContext, row: int, title: str) -> str:
    return f"{title} {row}"


def dust(ctxt: request.RequestContext) -> None:
    pass


def burn(ctxt: request.RequestContext, **books: str) -> None:
    pass


FUNCTIONS = {"find": find, "place": place, "dust": dust, "burn": burn}


class EndpointTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.ctxt = request.RequestContext()

    def serve(self, **functions: endpoint.Function) -> typing.Any:
        return endpoint.Endpoint(declared.Shelf, {**FUNCTIONS, **functions})

    def test_a_method_of_a_protocol_is_served(self) -> None:
        shelf = self.serve()

        self.assertEqual("shelf", shelf.target.namespace)
        self.assertEqual(contract.VERSION, shelf.target.version)
        self.assertEqual("Emma 3", shelf.place(self.ctxt, title="Emma", row=3))

    def test_what_is_not_sent_has_its_default(self) -> None:
        shelf = self.serve()

        self.assertEqual(
            ["Emma", "False", "None"], shelf.find(self.ctxt, title="Emma")
        )
        self.assertRaises(TypeError, shelf.find, self.ctxt)
        self.assertRaises(TypeError, shelf.dust, self.ctxt, colour="grey")

    def test_nothing_but_the_contract_can_be_reached(self) -> None:
        self.assertEqual(
            {"target", "find", "place", "dust", "burn"},
            {each for each in dir(self.serve()) if not each.startswith("_")},
        )

    def test_all_functions_may_be_run_in_some_way(self) -> None:
        def run(
            policy: methods.Policy,
            function: endpoint.Function,
            *args: object,
            **kwargs: object,
        ) -> object:
            return policy, function(*args, **kwargs)

        shelf: typing.Any = endpoint.Endpoint(declared.Shelf, FUNCTIONS, run)

        self.assertEqual(
            (methods.Policy(once=True), "Emma 1"),
            shelf.place(self.ctxt, title="Emma"),
        )

    def test_each_method_needs_a_function(self) -> None:
        served = {key: one for key, one in FUNCTIONS.items() if key != "dust"}

        for wrong in (served, {**FUNCTIONS, "paint": dust}):
            error = self.assertRaises(
                TypeError, endpoint.Endpoint, declared.Shelf, wrong
            )
            self.assertIn("shelf", str(error))

    def test_parameters_have_the_same_names(self) -> None:
        def wrong(ctxt: request.RequestContext, name: str, row: int) -> str:
            return name

        def more(
            ctxt: request.RequestContext, title: str, row: int, colour: str
        ) -> str:
            return title

        for each in (wrong, more):
            error = self.assertRaises(TypeError, self.serve, place=each)
            self.assertIn("shelf.place", str(error))

    def test_a_function_may_have_more_for_others_who_call_it(self) -> None:
        def place(
            ctxt: request.RequestContext,
            title: str,
            row: int,
            colour: str = "red",
        ) -> str:
            return f"{colour} {title}"

        shelf = self.serve(place=place)

        self.assertEqual("red Emma", shelf.place(self.ctxt, title="Emma"))
        self.assertRaises(
            TypeError, shelf.place, self.ctxt, title="Emma", colour="blue"
        )
