"""Requests that REST takes as they travel have the same fields in both."""

import typing

from orch.api.schemas import generation
from orch.api.schemas import moves
from orch.api.schemas import search
from orch.api.schemas import stacks
from orch.rpc import contract
from orch.rpc.contract import fields
from tests import base

_SIDES: typing.Final = ("source", "target")


def _keys(request: type) -> set[str]:
    return {each.key for each in fields.fields(request)}


class RequestSchemasTest(base.TestCase):
    def check(
        self,
        request: type,
        schema: dict[str, typing.Any],
        *,
        rpc: set[str] | None = None,
        rest: set[str] | None = None,
    ) -> None:
        """Check that only these fields are in one of both alone."""
        shown = set(schema["properties"])
        self.assertEqual(rpc or set(), _keys(request) - shown)
        self.assertEqual(rest or set(), shown - _keys(request))

    def test_searches(self) -> None:
        properties = search.SCHEMA["properties"]

        # What is read of the text of a query travels as a tree.
        self.check(
            contract.SearchRequest,
            search.SCHEMA,
            rpc={"query"},
            rest={"all_projects"},
        )
        self.check(contract.FacetRequest, properties["facets"]["items"])

    def test_generation(self) -> None:
        listings = generation.SCHEMA["properties"]["listings"]

        self.check(contract.GenerationRequest, generation.SCHEMA)
        self.check(
            contract.ListingRequest,
            listings["items"],
            rpc={"type_name"},
            rest={"type"},
        )

    def test_inputs_of_stacks_and_of_moves(self) -> None:
        resolved = {"files_container", "template_url"}

        self.check(
            contract.StackInputs, stacks.SCHEMA, rest={*resolved, "tags"}
        )
        self.check(
            contract.MoveRequest,
            moves.SCHEMA,
            rpc={f"{side}_inputs" for side in _SIDES},
            rest={
                f"{side}_{key}"
                for side in _SIDES
                for key in _keys(contract.StackInputs)
            },
        )
