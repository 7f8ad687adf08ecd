"""Answers about resources and events, by the views of the same names."""

import typing

from orch.api.response_schemas import shapes

_RESOURCE: typing.Final[dict[str, shapes.Schema]] = {
    "resource_name": shapes.TEXT,
    "logical_resource_id": shapes.TEXT,
    "physical_resource_id": shapes.TEXT,
    "resource_type": shapes.TEXT,
    "resource_status": shapes.TEXT,
    "resource_status_reason": shapes.TEXT,
    "creation_time": shapes.NULLABLE_MOMENT,
    "updated_time": shapes.NULLABLE_MOMENT,
    "required_by": shapes.TEXTS,
    "links": shapes.many(shapes.ref("Link")),
}
_NESTED: typing.Final[dict[str, shapes.Schema]] = {
    "parent_resource": shapes.TEXT,
}
_FULL: typing.Final[dict[str, shapes.Schema]] = {
    **_RESOURCE,
    "description": shapes.ANY,
    "attributes": shapes.MAP,
    "decisions": shapes.MAP,
}
_EVENT: typing.Final[dict[str, shapes.Schema]] = {
    "id": shapes.TEXT,
    "event_time": shapes.MOMENT,
    "resource_name": shapes.TEXT,
    "logical_resource_id": shapes.TEXT,
    "physical_resource_id": shapes.TEXT,
    "resource_status": shapes.TEXT,
    "resource_status_reason": shapes.TEXT,
    "request_id": shapes.NULLABLE_TEXT,
    "links": shapes.many(shapes.ref("Link")),
}

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "ResourceSummary": shapes.members(
        _RESOURCE,
        {**_NESTED, "attributes": shapes.MAP, "is_replaced": shapes.FLAG},
    ),
    "Resource": shapes.members(
        _FULL, {**_NESTED, "drift": shapes.ref("ResourceDrift")}
    ),
    "EventSummary": shapes.members(_EVENT),
    "Event": shapes.members(
        {
            **_EVENT,
            "resource_type": shapes.TEXT,
            "resource_properties": shapes.ANY,
        }
    ),
    "FollowedEvent": shapes.members({**_EVENT, "resource_type": shapes.TEXT}),
}
"""Schemas by name."""

LIST: typing.Final = shapes.wrapped(
    "resources", shapes.many(shapes.ref("ResourceSummary"))
)
ONE: typing.Final = shapes.wrapped("resource", shapes.ref("Resource"))
SUMMARY: typing.Final = shapes.wrapped(
    "resource", shapes.ref("ResourceSummary")
)
METADATA: typing.Final = shapes.wrapped("metadata", shapes.ANY)
EVENTS: typing.Final = shapes.wrapped(
    "events", shapes.many(shapes.ref("EventSummary"))
)
EVENT: typing.Final = shapes.wrapped("event", shapes.ref("Event"))
STREAMED: typing.Final[shapes.Schema] = {
    "type": "object",
    "properties": {
        "id": shapes.TEXT,
        "event": shapes.one_of("end"),
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": shapes.either(
                shapes.ref("FollowedEvent"),
                shapes.members({"reason": shapes.TEXT}),
            ),
        },
    },
}
"""One event of a stream; the last one tells why there are no more."""
