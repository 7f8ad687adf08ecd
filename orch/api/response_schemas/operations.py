"""Answers about operations, plans, moves, plug-ins and left-overs."""

import typing

from orch.api.response_schemas import declared
from orch.api.response_schemas import shapes
from orch.rpc import contract

_PLAN: typing.Final = declared.FACTS.of(contract.SavedPlanFacts)
_OPERATION: typing.Final = declared.FACTS.of(contract.OperationFacts)

KEPT: typing.Final = shapes.wrapped("plan", _PLAN)
LIST: typing.Final = shapes.wrapped("plans", shapes.many(_PLAN))
APPLIED: typing.Final = shapes.wrapped(
    "operation",
    shapes.members(
        {"id": shapes.TEXT, "links": shapes.many(shapes.ref("Link"))}
    ),
)
OPERATIONS: typing.Final = shapes.wrapped(
    "operations", shapes.many(_OPERATION)
)
OPERATION: typing.Final = shapes.wrapped("operation", _OPERATION)
MOVED: typing.Final = shapes.wrapped("move", declared.FACTS.of(contract.Moved))
MOVE_PREVIEW: typing.Final = shapes.wrapped(
    "move", declared.FACTS.of(contract.MovePreview)
)
LEFTOVERS: typing.Final = shapes.wrapped(
    "leftovers", declared.FACTS.many(contract.LeftoverFacts)
)
LEFTOVER: typing.Final = shapes.wrapped(
    "leftover", declared.FACTS.of(contract.LeftoverFacts)
)
PLUGINS: typing.Final = shapes.wrapped(
    "plugins", declared.FACTS.many(contract.LifecyclePluginFacts)
)
HOLDS: typing.Final = shapes.wrapped(
    "holds", declared.FACTS.many(contract.OpenHoldFacts)
)
