"""Answers about lifecycle plug-ins."""

import typing

from orch.api.response_schemas import declared
from orch.api.response_schemas import shapes
from orch.rpc import contract

PLUGINS: typing.Final = shapes.wrapped(
    "plugins", declared.FACTS.many(contract.LifecyclePluginFacts)
)
HOLDS: typing.Final = shapes.wrapped(
    "holds", declared.FACTS.many(contract.OpenHoldFacts)
)
