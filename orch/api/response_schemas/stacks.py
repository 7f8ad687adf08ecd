"""Answers about stacks; made by ``views.stacks`` and ``views.previews``."""

import typing

from orch.api.response_schemas import shapes

_COMMON: typing.Final[dict[str, shapes.Schema]] = {
    "id": shapes.TEXT,
    "links": shapes.many(shapes.ref("Link")),
    "stack_name": shapes.TEXT,
    "description": shapes.ANY,
    "stack_status": shapes.TEXT,
    "stack_status_reason": shapes.TEXT,
    "creation_time": shapes.NULLABLE_MOMENT,
    "updated_time": shapes.NULLABLE_MOMENT,
    "deletion_time": shapes.NULLABLE_MOMENT,
    "stack_owner": shapes.NULLABLE_TEXT,
    "parent": shapes.NULLABLE_TEXT,
    "stack_user_project_id": shapes.NULLABLE_TEXT,
    "tags": {"type": ["array", "null"], "items": shapes.TEXT},
}
_FULL: typing.Final[dict[str, shapes.Schema]] = {
    **_COMMON,
    "template_description": shapes.ANY,
    "parameters": shapes.map_of(shapes.TEXT),
    "capabilities": shapes.many(shapes.ANY),
    "notification_topics": shapes.many(shapes.ANY),
    "disable_rollback": shapes.FLAG,
    "timeout_mins": {"type": ["integer", "null"]},
}
_OUTPUT_NAME: typing.Final[dict[str, shapes.Schema]] = {
    "output_key": shapes.TEXT,
    "description": shapes.ANY,
}
_MARK: typing.Final[dict[str, shapes.Schema]] = {"sensitive": shapes.FLAG}
"""Of an output; absent where it is not sensitive."""
_PREVIEWED: typing.Final = shapes.either(
    shapes.ref("ResourcePreview"),
    shapes.many(shapes.ref("Previewed")),
)
_IDENTITY: typing.Final = shapes.members(
    {
        "tenant": shapes.TEXT,
        "stack_name": shapes.TEXT,
        "stack_id": shapes.TEXT,
        "path": shapes.TEXT,
    }
)
_CHANGED: typing.Final[dict[str, shapes.Schema]] = {
    "resource_name": shapes.TEXT,
    "resource_type": shapes.TEXT,
    "resource_action": shapes.TEXT,
    "resource_status": shapes.TEXT,
    "resource_status_reason": shapes.TEXT,
    "physical_resource_id": shapes.TEXT,
    "creation_time": shapes.NULLABLE_MOMENT,
    "updated_time": shapes.NULLABLE_MOMENT,
    "required_by": shapes.TEXTS,
    "description": shapes.ANY,
    "metadata": shapes.ANY,
    "attributes": shapes.ANY,
    "stack_name": shapes.TEXT,
    "stack_identity": _IDENTITY,
    "resource_identity": _IDENTITY,
}

_INNER: typing.Final = {"parent_resource": shapes.TEXT}
"""Of resources of a stack in the stack."""

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "Link": shapes.members({"href": shapes.TEXT, "rel": shapes.TEXT}),
    "StackSummary": shapes.members(
        _COMMON,
        {"project": shapes.TEXT, "blocked": shapes.ref("Blocked")},
    ),
    "Stack": shapes.members(
        _FULL,
        {
            "outputs": shapes.many(shapes.ref("Output")),
            "failed_resources": shapes.many(shapes.ref("Failure")),
            "verdicts": shapes.many(shapes.ref("Verdict")),
            "drift": shapes.ref("DriftSummary"),
            "blocked": shapes.ref("Blocked"),
            "omitted": shapes.many(shapes.ref("Omitted")),
        },
    ),
    "Output": shapes.members(
        {**_OUTPUT_NAME, "output_value": shapes.ANY},
        {"output_error": shapes.TEXT, **_MARK},
    ),
    "StackPreview": shapes.members(
        {
            **_FULL,
            "resources": shapes.many(shapes.ref("Previewed")),
            "plan": shapes.ref("Plan"),
        },
        {"outputs": shapes.many(shapes.ref("Output"))},
    ),
    "Previewed": _PREVIEWED,
    "ResourcePreview": shapes.members(
        {**_CHANGED, "properties": shapes.MAP}, _INNER
    ),
    "ChangedResource": shapes.members(_CHANGED, _INNER),
    "Accepted": shapes.members(
        {"code": shapes.TEXT, "title": shapes.TEXT, "message": shapes.TEXT}
    ),
}
"""Schemas by name."""

LIST: typing.Final = shapes.members(
    {"stacks": shapes.many(shapes.ref("StackSummary"))},
    {
        "links": shapes.many(shapes.ref("Link")),
        "count": shapes.COUNT,
    },
)
CREATED: typing.Final = shapes.wrapped(
    "stack",
    shapes.members(
        {"id": shapes.TEXT, "links": shapes.many(shapes.ref("Link"))}
    ),
)
ONE: typing.Final = shapes.wrapped("stack", shapes.ref("Stack"))
PREVIEW: typing.Final = shapes.wrapped("stack", shapes.ref("StackPreview"))
UPDATE_PREVIEW: typing.Final = shapes.members(
    {
        "resource_changes": shapes.members(
            {
                kind: shapes.many(shapes.ref("ChangedResource"))
                for kind in (
                    "unchanged",
                    "updated",
                    "replaced",
                    "added",
                    "deleted",
                )
            }
        ),
        "plan": shapes.ref("Plan"),
    }
)
OUTPUTS: typing.Final = shapes.wrapped(
    "outputs", shapes.many(shapes.members(_OUTPUT_NAME, _MARK))
)
OUTPUT: typing.Final = shapes.wrapped("output", shapes.ref("Output"))
ENVIRONMENT: typing.Final[shapes.Schema] = {
    "type": "object",
    "properties": {
        "parameters": shapes.MAP,
        "parameter_defaults": shapes.MAP,
        "resource_registry": shapes.MAP,
        "event_sinks": shapes.many(shapes.ANY),
        "encrypted_param_names": shapes.TEXTS,
    },
}
FILES: typing.Final = shapes.map_of(shapes.TEXT)
