"""Answers about documents, snapshots and addresses of stacks."""

import typing

from orch.api.response_schemas import declared
from orch.api.response_schemas import shapes
from orch.rpc import contract

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "StackDocument": {
        "type": "object",
        "required": ["document_format", "name", "id"],
        "properties": {
            "document_format": shapes.COUNT,
            "compressed": shapes.TEXT,
            "name": shapes.TEXT,
            "id": shapes.TEXT,
            "template": shapes.MAP,
            "environment": shapes.MAP,
            "files": shapes.MAP,
            "resources": shapes.MAP,
        },
    },
}
"""Schemas by name."""

DOCUMENT: typing.Final = shapes.ref("StackDocument")
ABANDONED: typing.Final = shapes.wrapped(
    "abandonment",
    shapes.either(
        shapes.members(
            {
                "token": shapes.NULLABLE_TEXT,
                "document": shapes.ref("StackDocument"),
                "form": shapes.one_of("plain", "compact"),
                "size": shapes.COUNT,
                "max_size": {"type": "integer"},
            }
        ),
        shapes.members(
            {
                "token": shapes.TEXT,
                "project": shapes.TEXT,
                "expires_at": shapes.TEXT,
            }
        ),
    ),
)
HAND_OVERS: typing.Final = shapes.wrapped(
    "hand_overs", declared.FACTS.many(contract.HandOverFacts)
)
ANNOUNCEMENT: typing.Final = shapes.wrapped("announcement", shapes.MAP)
FORWARDED: typing.Final = declared.FACTS.of(contract.ForwardingFacts)
GENERATED: typing.Final = shapes.members(
    {
        "template": shapes.MAP,
        "adopt_stack_data": shapes.MAP,
        "omitted": declared.FACTS.many(contract.OmittedResource),
    }
)
SNAPSHOT: typing.Final = declared.FACTS.of(contract.SnapshotFacts)
SNAPSHOTS: typing.Final = shapes.wrapped(
    "snapshots", declared.FACTS.many(contract.SnapshotFacts)
)
SHOWN_SNAPSHOT: typing.Final = shapes.wrapped(
    "snapshot", declared.FACTS.of(contract.SnapshotFacts)
)
