"""Answers about documents, snapshots and addresses of stacks."""

import typing

from orch.api.response_schemas import shapes

_ADDRESS: typing.Final = shapes.members(
    {
        "resource": shapes.TEXT,
        "resource_type": shapes.TEXT,
        "kind": shapes.TEXT,
        "old_address": shapes.TEXT,
        "new_address": shapes.NULLABLE_TEXT,
        "signals_waiting": shapes.COUNT,
        "problem": shapes.NULLABLE_TEXT,
        "last_used_time": shapes.NULLABLE_MOMENT,
        "last_notified_at": shapes.NULLABLE_MOMENT,
        "moved": shapes.FLAG,
    }
)

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "StackDocument": {
        "type": "object",
        "required": ["name", "id", "template", "resources"],
        "properties": {
            "name": shapes.TEXT,
            "id": shapes.TEXT,
            "template": shapes.MAP,
            "environment": shapes.MAP,
            "files": shapes.MAP,
            "resources": shapes.MAP,
        },
    },
    "Snapshot": shapes.members(
        {
            "id": shapes.TEXT,
            "name": shapes.NULLABLE_TEXT,
            "action": shapes.TEXT,
            "status": shapes.TEXT,
            "status_reason": shapes.NULLABLE_TEXT,
            "data": shapes.NULLABLE_MAP,
            "creation_time": shapes.MOMENT,
        }
    ),
}
"""Schemas by name."""

DOCUMENT: typing.Final = shapes.ref("StackDocument")
ABANDONED: typing.Final = shapes.wrapped(
    "abandonment",
    shapes.members(
        {
            "token": shapes.NULLABLE_TEXT,
            "document": shapes.ref("StackDocument"),
        }
    ),
)
ANNOUNCEMENT: typing.Final = shapes.wrapped("announcement", shapes.MAP)
FORWARDED: typing.Final = shapes.wrapped("addresses", shapes.many(_ADDRESS))
GENERATED: typing.Final = shapes.members(
    {
        "template": shapes.MAP,
        "adopt_stack_data": shapes.MAP,
        "omitted": shapes.many(
            shapes.members(
                {
                    "type": shapes.TEXT,
                    "resource_id": shapes.NULLABLE_TEXT,
                    "reason": shapes.TEXT,
                }
            )
        ),
    }
)
SNAPSHOT: typing.Final = shapes.ref("Snapshot")
SNAPSHOTS: typing.Final = shapes.wrapped(
    "snapshots", shapes.many(shapes.ref("Snapshot"))
)
SHOWN_SNAPSHOT: typing.Final = shapes.wrapped(
    "snapshot", shapes.ref("Snapshot")
)
