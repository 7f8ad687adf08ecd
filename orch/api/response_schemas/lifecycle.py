"""Answers about lifecycle plug-ins; made by ``views.lifecycle``."""

import typing

from orch.api.response_schemas import shapes

_RULING: typing.Final = ("allow", "warn", "deny", "hold")
_SECONDS: typing.Final[shapes.Schema] = {"type": "number", "minimum": 0}

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "LifecyclePlugin": shapes.members(
        {
            "name": shapes.TEXT,
            "ordinal": {"type": "integer"},
            "before": shapes.TEXTS,
            "after": shapes.TEXTS,
            "scope": shapes.one_of("roots", "every stack"),
            "verbs": {"type": ["array", "null"], "items": shapes.TEXT},
            "supports_preview": shapes.FLAG,
            "time_limit": _SECONDS,
            "is_fail_open": shapes.FLAG,
            "is_legacy": shapes.FLAG,
            "load_error": shapes.NULLABLE_TEXT,
        }
    ),
    "Verdict": shapes.members(
        {
            "plugin": shapes.TEXT,
            "ruling": shapes.one_of(*_RULING),
            "text": shapes.TEXT,
        }
    ),
    "LifecycleCall": shapes.members(
        {
            "plugin": shapes.TEXT,
            "attempt": shapes.COUNT,
            "verb": shapes.TEXT,
            "phase": shapes.one_of("pre", "post"),
            "ruling": shapes.one_of(*_RULING, None),
            "text": shapes.TEXT,
            "error": shapes.NULLABLE_TEXT,
            "began_at": shapes.MOMENT,
            "seconds": _SECONDS,
            "is_repeat": shapes.FLAG,
        }
    ),
    "Hold": shapes.members(
        {
            "plugin": shapes.TEXT,
            "text": shapes.TEXT,
            "requested_at": shapes.MOMENT,
            "deadline_at": shapes.MOMENT,
            "answer": shapes.one_of("approved", "rejected", "expired", None),
            "answered_by": shapes.NULLABLE_TEXT,
            "answered_at": shapes.NULLABLE_MOMENT,
            "answer_text": shapes.TEXT,
        }
    ),
    "OpenHold": shapes.members(
        {
            "path": shapes.TEXTS,
            "stack_name": shapes.TEXT,
            "stack_id": shapes.TEXT,
            "root_name": shapes.TEXT,
            "links": shapes.many(shapes.ref("Link")),
            "operation_id": shapes.TEXT,
            "action": shapes.TEXT,
            "requested_by": shapes.NULLABLE_TEXT,
            "hold": shapes.ref("Hold"),
        }
    ),
    "ChildHold": shapes.members(
        {
            "path": shapes.TEXTS,
            "stack_name": shapes.TEXT,
            "links": shapes.many(shapes.ref("Link")),
            "hold": shapes.ref("Hold"),
        }
    ),
}
"""Schemas by name."""

PLUGINS: typing.Final = shapes.wrapped(
    "plugins", shapes.many(shapes.ref("LifecyclePlugin"))
)
HOLDS: typing.Final = shapes.wrapped(
    "holds", shapes.many(shapes.ref("OpenHold"))
)
