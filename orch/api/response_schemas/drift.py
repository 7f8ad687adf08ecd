"""Answers about drift."""

import typing

from orch.api.response_schemas import declared
from orch.api.response_schemas import shapes
from orch.api.schemas import drift
from orch.rpc import contract

ONE: typing.Final = shapes.members(
    {"drift": declared.FACTS.of(contract.DriftFacts)},
    {"links": shapes.many(shapes.ref("Link"))},
)
ASKED: typing.Final = shapes.wrapped(
    "drift", declared.FACTS.of(contract.DriftRequested)
)
ACCEPTED: typing.Final = declared.FACTS.of(contract.AcceptedDrift)
UNDONE: typing.Final = declared.FACTS.of(contract.UndoneAcceptances)
HISTORY: typing.Final = shapes.members(
    {"history": shapes.many(declared.FACTS.of(contract.HistoryEntry))},
    {"links": shapes.many(shapes.ref("Link"))},
)
PAUSE: typing.Final = shapes.wrapped(
    "pause", declared.FACTS.of(contract.DriftPause)
)
POLICY: typing.Final[shapes.Schema] = dict(drift.POLICY_SCHEMA)
TEMPLATE: typing.Final = declared.FACTS.of(contract.DriftTemplate)
