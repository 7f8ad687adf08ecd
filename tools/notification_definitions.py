"""What the JSON Schemas of notifications share."""

import typing

Schema = dict[str, typing.Any]

_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
COUNT: Schema = {"type": "integer", "minimum": 0}
_ID: Schema = {"type": "string", "minLength": 1, "maxLength": 255}
_ID_OR_NULL: Schema = {**_ID, "type": ["string", "null"]}
_MOMENT: Schema = {
    "type": "string",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
}

ACTIONS: typing.Final = (
    "CREATE",
    "UPDATE",
    "DELETE",
    "SUSPEND",
    "RESUME",
    "ADOPT",
    "CHECK",
    "SNAPSHOT",
    "ROLLBACK",
    "RESTORE",
)
OF_RESOURCES: typing.Final = (
    "CREATE",
    "UPDATE",
    "DELETE",
    "SUSPEND",
    "RESUME",
    "ADOPT",
    "CHECK",
    "SNAPSHOT",
)
ENDINGS: typing.Final = {
    "start": "IN_PROGRESS",
    "end": "COMPLETE",
    "error": "FAILED",
}
_STATUSES: typing.Final = tuple(ENDINGS.values())

DEFINITIONS: typing.Final[Schema] = {
    "id": {
        **_ID,
        "description": "An id, a UUID wherever Orch has made it.",
    },
    "id_or_null": _ID_OR_NULL,
    "text": _TEXT,
    "text_or_null": _TEXT_OR_NULL,
    "moment": {**_MOMENT, "description": "A moment, UTC, in whole seconds."},
    "event_time": {
        "type": "string",
        "pattern": (
            "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
            "\\.[0-9]{6}Z$"
        ),
        "description": "When the event happened, UTC.",
    },
    "moment_or_null": {**_MOMENT, "type": ["string", "null"]},
    "sequence": {
        "type": "integer",
        "minimum": 1,
        "description": (
            "Number of the event of the same fact; it grows within a stack."
            " With the stack and the event type it identifies duplicates."
        ),
    },
    "state": {
        "type": "string",
        "pattern": "^[A-Z]+_(IN_PROGRESS|COMPLETE|FAILED)$",
    },
    "action": {"enum": ["INIT", *ACTIONS, "SIGNAL"]},
    "status": {"enum": list(_STATUSES)},
    "path": {
        "type": ["string", "null"],
        "minLength": 1,
        "description": (
            "Names from the root stack down, with / between them: that of"
            " the root, then those of the resources that hold stacks; null"
            " where they are no longer known."
        ),
    },
    "tags": {
        "type": ["array", "null"],
        "items": _TEXT,
        "description": "Null where there are none, as with Heat.",
    },
    "links": {
        "type": "array",
        "description": "None where the operator has set no public URL.",
        "items": {
            "type": "object",
            "properties": {
                "href": {"type": "string", "format": "uri"},
                "rel": {"enum": ["self", "stack"]},
            },
            "required": ["href", "rel"],
            "additionalProperties": False,
        },
    },
    "template": {
        "type": ["object", "null"],
        "description": "The template, hidden values redacted; by option.",
    },
    "parameters": {
        "type": ["object", "null"],
        "description": (
            "Values as texts, hidden ones as asterisks; null where the"
            " template cannot be read any more."
        ),
        "additionalProperties": {"type": ["string", "null"]},
    },
    "outputs": {
        "type": ["object", "null"],
        "description": (
            "Values by name when an action has ended, as they are when the"
            " notification leaves; null without the option."
        ),
    },
    "resource_counts": {
        "type": "object",
        "properties": {
            "total": {**COUNT, "description": "Changes of the operation."},
            "done": {**COUNT, "description": "Of them, those complete."},
            "by_status": {
                "type": "object",
                "description": (
                    "How many resources of the stack whose operation it is"
                    " have come to which state."
                ),
                "propertyNames": {"$ref": "#/$defs/state"},
                "additionalProperties": {"type": "integer", "minimum": 1},
            },
        },
        "required": ["total", "done", "by_status"],
        "additionalProperties": False,
    },
    "failed_resources": {
        "type": "array",
        "description": "Root causes first.",
        "items": {
            "type": "object",
            "properties": {
                "name": _TEXT,
                "path": {"$ref": "#/$defs/path"},
                "type": _TEXT,
                "resource_id": _ID_OR_NULL,
                "physical_id": _TEXT_OR_NULL,
                "action": {"$ref": "#/$defs/action"},
                "reason": _TEXT,
            },
            "required": [
                "name",
                "path",
                "type",
                "resource_id",
                "physical_id",
                "action",
                "reason",
            ],
            "additionalProperties": False,
        },
    },
    "override": {
        "type": "object",
        "properties": {
            "plugin": _TEXT,
            "text": _TEXT,
            "overridden_by": _TEXT,
            "reason": _TEXT,
        },
        "required": ["plugin", "text", "overridden_by", "reason"],
        "additionalProperties": False,
    },
    "approval": {
        "type": "object",
        "properties": {
            "plugin": _TEXT,
            "text": _TEXT,
            "deadline_at": _MOMENT,
            "answer": {"enum": [None, "approved", "rejected", "expired"]},
            "answered_by": _TEXT_OR_NULL,
            "answered_at": {**_MOMENT, "type": ["string", "null"]},
            "answer_text": _TEXT,
        },
        "required": [
            "plugin",
            "text",
            "deadline_at",
            "answer",
            "answered_by",
            "answered_at",
            "answer_text",
        ],
        "additionalProperties": False,
    },
    "drift": {
        "type": "object",
        "properties": {
            "state": {
                "enum": ["in_sync", "drifted", "unknown", "nothing"],
            },
            "coverage": {"type": "integer", "minimum": 0, "maximum": 100},
            "drifted": COUNT,
            "count": COUNT,
            "resources": {
                "type": "array",
                "items": {"$ref": "#/$defs/drifted_resource"},
            },
        },
        "required": ["state", "coverage", "drifted", "count", "resources"],
        "additionalProperties": False,
    },
    "drifted_resource": {
        "type": "object",
        "properties": {
            "resource_name": _TEXT,
            "path": _TEXT,
            "resource_type": _TEXT,
            "physical_resource_id": _TEXT_OR_NULL,
            "differences": {
                "type": "array",
                "items": {"$ref": "#/$defs/difference"},
            },
        },
        "required": [
            "resource_name",
            "path",
            "resource_type",
            "physical_resource_id",
            "differences",
        ],
        "additionalProperties": False,
    },
    "difference": {
        "type": "object",
        "properties": {
            "property": _TEXT,
            "expected": True,
            "live": True,
            "policy": _TEXT,
            "cut": {
                "type": "array",
                "items": {"enum": ["expected", "live"]},
                "minItems": 1,
            },
        },
        "required": ["property", "expected", "live", "policy"],
        "additionalProperties": False,
    },
    "hook": {
        "type": "object",
        "properties": {
            "name": {
                "enum": [
                    f"{when}-{action}"
                    for when in ("pre", "post")
                    for action in ("create", "update", "delete")
                ]
            },
            "resource_name": _TEXT,
            "resource_type": _TEXT,
            "physical_resource_id": _TEXT_OR_NULL,
        },
        "required": [
            "name",
            "resource_name",
            "resource_type",
            "physical_resource_id",
        ],
        "additionalProperties": False,
    },
}
"""What the schemas share, by name."""
