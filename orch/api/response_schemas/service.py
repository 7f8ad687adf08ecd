"""Answers about the service: types, versions, processes, errors."""

import typing

from orch.api.response_schemas import declared
from orch.api.response_schemas import shapes
from orch.rpc import contract

_PLACE: typing.Final[dict[str, shapes.Schema]] = {
    "file": shapes.TEXT,
    "line": shapes.COUNT,
    "column": shapes.COUNT,
    "path": shapes.TEXT,
}
_FAULT: typing.Final = shapes.members(
    {
        "code": shapes.either({"type": "integer"}, shapes.TEXT),
        "title": shapes.TEXT,
        "explanation": shapes.TEXT,
        "error": shapes.members(
            {
                "message": shapes.TEXT,
                "type": shapes.TEXT,
                "traceback": shapes.NULLABLE_TEXT,
            }
        ),
        "error_code": shapes.TEXT,
        "type": shapes.TEXT,
        "status": {"type": "integer"},
        "detail": shapes.TEXT,
        "instance": shapes.TEXT,
        "request_id": shapes.TEXT,
    },
    {
        "where": shapes.members({}, _PLACE),
        "hint": shapes.TEXT,
        "problems": shapes.many(shapes.MAP),
    },
)
_REVISION: typing.Final = shapes.wrapped("revision", shapes.TEXT)
_SUPPORT: typing.Final = shapes.members(
    {
        "status": shapes.TEXT,
        "version": shapes.NULLABLE_TEXT,
        "message": shapes.NULLABLE_TEXT,
        "previous_status": shapes.NULLABLE_MAP,
    }
)

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "Fault": _FAULT,
}
"""Schemas by name."""

SERVICES: typing.Final = shapes.wrapped(
    "services", declared.FACTS.many(contract.ServiceFacts)
)
BUILD_INFO: typing.Final = shapes.members(
    {"api": _REVISION, "engine": _REVISION}
)
TYPES: typing.Final = shapes.wrapped(
    "resource_types",
    shapes.many(
        shapes.either(
            shapes.TEXT,
            shapes.members(
                {
                    "resource_type": shapes.TEXT,
                    "description": shapes.NULLABLE_TEXT,
                }
            ),
        )
    ),
)
TYPE: typing.Final = shapes.members(
    {
        "resource_type": shapes.TEXT,
        "properties": shapes.map_of(shapes.MAP),
        "attributes": shapes.map_of(shapes.MAP),
        "support_status": _SUPPORT,
    },
    {"description": shapes.NULLABLE_TEXT},
)
VERSIONS: typing.Final = shapes.wrapped(
    "template_versions",
    shapes.many(
        shapes.members(
            {
                "version": shapes.TEXT,
                "type": shapes.one_of("hot", "cfn"),
                "aliases": shapes.TEXTS,
            }
        )
    ),
)
FUNCTIONS: typing.Final = shapes.wrapped(
    "template_functions",
    shapes.many(
        shapes.members({"functions": shapes.TEXT, "description": shapes.TEXT})
    ),
)
VALIDATED: typing.Final[shapes.Schema] = {
    "type": "object",
    "required": ["Description", "Parameters"],
    "properties": {
        "Description": shapes.ANY,
        "Parameters": shapes.map_of(shapes.MAP),
        "ParameterGroups": shapes.many(shapes.MAP),
        "Environment": shapes.MAP,
        "NestedParameters": shapes.MAP,
    },
}
CHOICES: typing.Final = shapes.wrapped(
    "versions",
    shapes.many(
        shapes.members(
            {
                "id": shapes.TEXT,
                "status": shapes.TEXT,
                "links": shapes.many(shapes.ref("Link")),
            }
        )
    ),
)
