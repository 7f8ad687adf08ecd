"""Answers about plans, moves and operations, by the views of these names."""

import typing

from orch.api.response_schemas import shapes

_PLAN: typing.Final[dict[str, shapes.Schema]] = {
    "action": shapes.TEXT,
    "text": shapes.TEXT,
    "changes": shapes.many(shapes.ref("Change")),
    "unchanged": shapes.TEXTS,
    "returns": shapes.TEXTS,
    "skipped": shapes.TEXTS,
    "orphans": shapes.TEXTS,
    "warnings": shapes.TEXTS,
}
_JUDGED: typing.Final[dict[str, shapes.Schema]] = {
    "verdicts": shapes.many(shapes.ref("Verdict")),
}
_KEPT: typing.Final[dict[str, shapes.Schema]] = {
    "id": shapes.TEXT,
    "links": shapes.many(shapes.ref("Link")),
    "request": shapes.TEXT,
    "action": shapes.TEXT,
    "basis": shapes.TEXT,
    "is_current": shapes.FLAG,
    "requested_by": shapes.NULLABLE_TEXT,
    "operation_id": shapes.NULLABLE_TEXT,
    "created_at": shapes.MOMENT,
}
_CHANGE: typing.Final = shapes.members(
    {
        "key": shapes.TEXT,
        "kind": shapes.TEXT,
        "resource_name": shapes.TEXT,
        "resource_type": shapes.TEXT,
        "physical_resource_id": shapes.TEXT,
        "replaces": shapes.NULLABLE_TEXT,
        "reason": shapes.TEXT,
        "after": shapes.TEXTS,
        "is_certain": shapes.FLAG,
        "properties": shapes.map_of(
            shapes.members(
                {},
                {
                    "old": shapes.ANY,
                    "new": shapes.ANY,
                    "needs_replacement": shapes.FLAG,
                },
            )
        ),
    },
    {"child_plan": shapes.ref("Plan")},
)
_STACK: typing.Final[dict[str, shapes.Schema]] = {
    "stack_name": shapes.TEXT,
    "stack_id": shapes.TEXT,
}
_SIDE: typing.Final = shapes.members({**_STACK, "operation_id": shapes.TEXT})
_MOVED_NAMES: typing.Final = shapes.map_of(shapes.TEXT)
_ATTEMPT: typing.Final = shapes.members(
    {
        "number": shapes.COUNT,
        "requested_by": shapes.NULLABLE_TEXT,
        "state": shapes.TEXT,
        "reason": shapes.TEXT,
        "started_at": shapes.NULLABLE_MOMENT,
        "finished_at": shapes.NULLABLE_MOMENT,
    }
)
_PROGRESS: typing.Final = shapes.members(
    {
        "resource_name": shapes.TEXT,
        "resource_type": shapes.TEXT,
        "resource_status": shapes.TEXT,
        "resource_status_reason": shapes.TEXT,
        "started_at": shapes.NULLABLE_MOMENT,
        "finished_at": shapes.NULLABLE_MOMENT,
    }
)
_OPERATION: typing.Final[dict[str, shapes.Schema]] = {
    "id": shapes.TEXT,
    "links": shapes.many(shapes.ref("Link")),
    "action": shapes.TEXT,
    "state": shapes.TEXT,
    "reason": shapes.TEXT,
    "attempt": shapes.COUNT,
    "attempts": shapes.many(_ATTEMPT),
    "inputs_hash": shapes.NULLABLE_TEXT,
    "total": shapes.COUNT,
    "done": shapes.COUNT,
    "failures": shapes.many(shapes.MAP),
    "skip": shapes.TEXTS,
    "orphan": shapes.TEXTS,
    "keep_going": shapes.FLAG,
    "plan_id": shapes.NULLABLE_TEXT,
    "superseded_by": shapes.NULLABLE_TEXT,
    "requested_by": shapes.NULLABLE_TEXT,
    "worker": shapes.NULLABLE_TEXT,
    "next_try_at": shapes.NULLABLE_MOMENT,
    "expected_at": shapes.NULLABLE_MOMENT,
    "created_at": shapes.MOMENT,
    "started_at": shapes.NULLABLE_MOMENT,
    "finished_at": shapes.NULLABLE_MOMENT,
    "lifecycle": shapes.many(shapes.ref("LifecycleCall")),
    "hold": shapes.either(shapes.NULL, shapes.ref("Hold")),
}

_FAILURE: typing.Final = shapes.members(
    {
        "path": shapes.TEXTS,
        "resource_name": shapes.TEXT,
        "resource_type": shapes.TEXT,
        "resource_action": shapes.TEXT,
        "physical_resource_id": shapes.TEXT,
        "reason": shapes.TEXT,
        "file": shapes.TEXT,
        "line": shapes.COUNT,
        "column": shapes.COUNT,
        "hint": shapes.TEXT,
        "stack_name": shapes.TEXT,
        "links": shapes.many(shapes.ref("Link")),
    }
)

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "Failure": _FAILURE,
    "Plan": shapes.members(_PLAN, _JUDGED),
    "Change": _CHANGE,
    "SavedPlan": shapes.members(
        _KEPT,
        {
            **{key: one for key, one in _PLAN.items() if key not in _KEPT},
            **_JUDGED,
        },
    ),
    "Operation": shapes.members(
        _OPERATION,
        {
            "resources": shapes.many(_PROGRESS),
            "failed_resources": shapes.many(shapes.ref("Failure")),
            "child_holds": shapes.many(shapes.ref("ChildHold")),
            "steps": {
                "type": ["array", "null"],
                "items": shapes.MAP,
            },
        },
    ),
}
"""Schemas by name."""

KEPT: typing.Final = shapes.wrapped("plan", shapes.ref("SavedPlan"))
LIST: typing.Final = shapes.wrapped(
    "plans", shapes.many(shapes.ref("SavedPlan"))
)
APPLIED: typing.Final = shapes.wrapped(
    "operation",
    shapes.members(
        {"id": shapes.TEXT, "links": shapes.many(shapes.ref("Link"))}
    ),
)
OPERATIONS: typing.Final = shapes.wrapped(
    "operations", shapes.many(shapes.ref("Operation"))
)
OPERATION: typing.Final = shapes.wrapped("operation", shapes.ref("Operation"))
MOVED: typing.Final = shapes.wrapped(
    "move",
    shapes.members(
        {
            "resources": _MOVED_NAMES,
            "source": _SIDE,
            "target": _SIDE,
            "updates": shapes.many(_SIDE),
        }
    ),
)
MOVE_PREVIEW: typing.Final = shapes.wrapped(
    "move",
    shapes.members(
        {
            "resources": _MOVED_NAMES,
            "source": shapes.ref("Plan"),
            "target": shapes.ref("Plan"),
            "updates": shapes.many(shapes.members({**_STACK, **_PLAN})),
        }
    ),
)
