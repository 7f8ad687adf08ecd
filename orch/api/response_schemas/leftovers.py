"""Answers about left-over physical resources."""

import typing

from orch.api.response_schemas import declared
from orch.api.response_schemas import shapes
from orch.rpc import contract

LIST: typing.Final = shapes.wrapped(
    "leftovers", declared.FACTS.many(contract.LeftoverFacts)
)
ONE: typing.Final = shapes.wrapped(
    "leftover", declared.FACTS.of(contract.LeftoverFacts)
)
