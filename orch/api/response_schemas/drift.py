"""Answers about drift; made by ``views.drift``."""

import typing

from orch.api.response_schemas import shapes
from orch.api.schemas import drift

_STATE: typing.Final = shapes.one_of(*drift.STATES)
_POLICY: typing.Final = shapes.one_of(*drift.POLICIES)
_PERCENT: typing.Final[shapes.Schema] = {
    "type": "integer",
    "minimum": 0,
    "maximum": 100,
}
_AGE: typing.Final[shapes.Schema] = {
    "type": ["number", "null"],
    "minimum": 0,
}
_COUNTS: typing.Final = shapes.members(
    dict.fromkeys(drift.STATES, shapes.COUNT)
)
_CHANGE: typing.Final[dict[str, shapes.Schema]] = {
    "path": shapes.TEXT,
    "property": shapes.NULLABLE_TEXT,
}
_SEEN: typing.Final[dict[str, shapes.Schema]] = {
    "state": _STATE,
    "coverage": _PERCENT,
    "observed_at": shapes.NULLABLE_MOMENT,
    "is_vanished": shapes.FLAG,
    "reason": shapes.TEXT,
    "drifted_at": shapes.NULLABLE_MOMENT,
    "differences": shapes.many(shapes.ref("Difference")),
}

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "Difference": shapes.members(
        {
            "property": shapes.TEXT,
            "expected": shapes.ANY,
            "live": shapes.ANY,
            "policy": _POLICY,
        }
    ),
    "DriftSummary": shapes.members(
        {
            "state": _STATE,
            "coverage": _PERCENT,
            "observed_at": shapes.NULLABLE_MOMENT,
            "drifted": shapes.COUNT,
        }
    ),
    "ResourceDrift": shapes.members(_SEEN),
    "DriftResource": shapes.members(
        {
            **_SEEN,
            "resource_name": shapes.TEXT,
            "path": shapes.TEXT,
            "resource_type": shapes.TEXT,
            "physical_resource_id": shapes.TEXT,
            "age": _AGE,
            "policy": _POLICY,
        }
    ),
    "DriftStack": shapes.members(
        {
            "id": shapes.TEXT,
            "stack_name": shapes.TEXT,
            "path": shapes.TEXT,
            "state": _STATE,
            "coverage": _PERCENT,
            "resource_counts": _COUNTS,
            "links": shapes.many(shapes.ref("Link")),
            "resources": shapes.many(shapes.ref("DriftResource")),
        }
    ),
    "Drift": shapes.members(
        {
            "state": _STATE,
            "coverage": _PERCENT,
            "resource_counts": _COUNTS,
            "requested_at": shapes.NULLABLE_MOMENT,
            "observed_at": shapes.NULLABLE_MOMENT,
            "age": _AGE,
            "due_at": shapes.NULLABLE_MOMENT,
            "in_progress": shapes.FLAG,
            "stacks": shapes.many(shapes.ref("DriftStack")),
        }
    ),
}
"""Schemas by name."""

ONE: typing.Final = shapes.members(
    {"drift": shapes.ref("Drift")},
    {"links": shapes.many(shapes.ref("Link"))},
)
ASKED: typing.Final = shapes.wrapped(
    "drift", shapes.wrapped("requested_at", shapes.MOMENT)
)
ACCEPTED: typing.Final = shapes.wrapped("accepted", shapes.TEXTS)
POLICY: typing.Final[shapes.Schema] = dict(drift.POLICY_SCHEMA)
TEMPLATE: typing.Final = shapes.members(
    {
        "template": shapes.TEXT,
        "changes": shapes.many(shapes.members(_CHANGE)),
        "omitted": shapes.many(
            shapes.members({**_CHANGE, "reason": shapes.TEXT})
        ),
    }
)
