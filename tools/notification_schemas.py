"""Writes the JSON Schemas of notifications, ``doc/schemas/notifications``.

``python -m tools.notification_schemas`` writes one file for each event type,
and one with what they share; a test says whether they are as it writes them.
"""

import json
import pathlib
import typing

from tools import notification_definitions as definitions

PLACE: typing.Final = (
    pathlib.Path(__file__).parent.parent / "doc" / "schemas" / "notifications"
)
DIALECT: typing.Final = "https://json-schema.org/draft/2020-12/schema"
SHARED: typing.Final = "definitions.json"

_WHOSE: typing.Final = {
    "event_time": "event_time",
    "tenant_id": "id",
    "project_id": "id",
    "user_id": "text_or_null",
    "username": "text_or_null",
    "user_identity": "id_or_null",
}
_WHICH: typing.Final = {
    **_WHOSE,
    "cause": {"enum": ["request", "signal", "repair"]},
    "policy_set_by": "text_or_null",
    "owner": "text_or_null",
    "owner_id": "id_or_null",
    "stack_identity": "id",
    "stack_name": "text",
    "parent_id": "id_or_null",
    "parent_resource": "text_or_null",
    "root_id": "id",
    "depth": definitions.COUNT,
    "operation_id": "id",
    "traversal": {
        "type": "integer",
        "minimum": 1,
        "description": "Which attempt of the operation this is.",
    },
    "sequence": "sequence",
    "request_id": "text_or_null",
    "region": "text_or_null",
    "path": "path",
    "links": "links",
    "action": "action",
    "status": "status",
    "state": "state",
    "state_reason": "text",
}
_STACK: typing.Final = {
    **_WHICH,
    "name": "text",
    "create_at": "moment",
    "created_at": "moment",
    "updated_at": "moment_or_null",
    "deleted_at": "moment_or_null",
    "description": "text",
    "tags": "tags",
    "timeout_mins": {"type": ["integer", "null"], "minimum": 1},
    "disable_rollback": {"type": "boolean"},
    "template_hash": "text_or_null",
    "template": "template",
    "parameters": "parameters",
    "outputs": "outputs",
    "superseded_by": {
        "type": ["string", "null"],
        "minLength": 1,
        "maxLength": 255,
        "description": "The operation that has ended this one, if one has.",
    },
    "resource_counts": "resource_counts",
    "failed_resources": "failed_resources",
}
_RESOURCE: typing.Final = {
    **_WHICH,
    "resource_name": "text",
    "resource_type": "text",
    "resource_id": "id_or_null",
    "physical_resource_id": "text_or_null",
    "created_at": "moment_or_null",
    "updated_at": "moment_or_null",
    "properties": {
        "type": ["object", "null"],
        "description": "Hidden values redacted; null where not known.",
    },
}
_AUTOSCALING: typing.Final = {
    **_STACK,
    "adjustment": {"type": "number"},
    "adjustment_type": {
        "enum": [
            "ChangeInCapacity",
            "ExactCapacity",
            "PercentChangeInCapacity",
        ]
    },
    "capacity": definitions.COUNT,
    "groupname": "text",
    "message": "text",
}
_DEPLOYMENT: typing.Final = {
    **_WHOSE,
    "deployment_id": "id",
    "config_id": "id",
    "server_id": "id",
    "stack_identity": "id_or_null",
    "resource_id": "id_or_null",
    "action": "text_or_null",
    "status": "text_or_null",
    "created_at": "moment",
    "updated_at": "moment_or_null",
    "version": {
        "type": "integer",
        "minimum": 1,
        "description": (
            "Grows within a deployment. With its id and the event type it"
            " identifies duplicates."
        ),
    },
    "request_id": "text_or_null",
    "region": "text_or_null",
}


def schemas() -> dict[str, definitions.Schema]:
    """Return the schema of each event type's payload, by type."""
    found: dict[str, definitions.Schema] = {}

    def add(event_type: str, keys: dict[str, typing.Any], what: str) -> None:
        found[event_type] = _schema(event_type, keys, what)

    for ending, status in definitions.ENDINGS.items():
        for action in definitions.ACTIONS:
            add(
                f"orchestration.stack.{action.lower()}.{ending}",
                {**_STACK, **_stands(status, action)},
                f"{action} of a stack is {status}.",
            )
        add(
            f"orchestration.stack.abandon.{ending}",
            {**_STACK, **_stands(status, "DELETE")},
            f"Abandonment of a stack is {status}; a deletion is sent as well.",
        )
        add(
            f"orchestration.stack.retry.{ending}",
            {**_STACK, **_stands(status)},
            f"A further attempt is {status}; its action is sent as well.",
        )
        add(
            f"orchestration.stack.approval.{ending}",
            {**_STACK, "approval": "approval"},
            "An operation waits for an approval, or was answered.",
        )
        add(
            f"orchestration.autoscaling.{ending}",
            _AUTOSCALING,
            f"A resizing of a group that a signal requested is {status}.",
        )
        for action in definitions.OF_RESOURCES:
            add(
                f"orchestration.resource.{action.lower()}.{ending}",
                {**_RESOURCE, **_stands(status, action)},
                f"{action} of a resource is {status}.",
            )
    add(
        "orchestration.stack.override.end",
        {**_STACK, "override": "override"},
        "A denial of a lifecycle plug-in was overridden.",
    )
    for ending in ("end", "error"):
        add(
            f"orchestration.resource.signal.{ending}",
            {**_RESOURCE, **_stands(None, "SIGNAL")},
            "A resource has taken a signal, or has refused it.",
        )
    for kind in ("detected", "vanished", "changed", "cleared", "accepted"):
        add(
            f"orchestration.stack.drift.{kind}",
            {**_STACK, "drift": "drift"},
            "Resources differ from the desired state, or do not any more.",
        )
    add(
        "orchestration.stack.drift.given_up",
        {**_STACK, "drift": "drift"},
        "Resources drift that are no longer repaired, or may not be accepted.",
    )
    add(
        "orchestration.stack.drift.repairs_stopped",
        {**_STACK, "drift": "drift"},
        "Much has vanished at once, and nothing of the project is repaired.",
    )
    add(
        "orchestration.stack.drift.observed",
        {**_STACK, "drift": "drift"},
        "Something else is known of resources, and no drift has changed.",
    )
    for kind in ("reached", "cleared"):
        add(
            f"orchestration.stack.hook.{kind}",
            {**_STACK, "hook": "hook"},
            f"A breakpoint of a resource was {kind}.",
        )
    for kind in ("created", "updated", "deleted", "signalled"):
        add(
            f"orchestration.deployment.{kind}",
            _DEPLOYMENT,
            f"A config on its way to a server was {kind}.",
        )
    return found


def files() -> dict[str, str]:
    """Return all files, name to text."""
    shared = {
        "$schema": DIALECT,
        "$id": SHARED,
        "$defs": definitions.DEFINITIONS,
    }
    wanted = {SHARED: shared}
    for event_type, schema in schemas().items():
        wanted[f"{event_type}.json"] = schema
    return {
        name: json.dumps(schema, indent=2) + "\n"
        for name, schema in wanted.items()
    }


def _stands(
    status: str | None, action: str | None = None
) -> definitions.Schema:
    """Return what the state of a type is always."""
    known: definitions.Schema = {}
    if status is not None:
        known["status"] = {"const": status}
    if action is not None:
        known["action"] = {"const": action}
    if status is not None and action is not None:
        known["state"] = {"const": f"{action}_{status}"}
    return known


def _schema(
    event_type: str, keys: dict[str, typing.Any], what: str
) -> definitions.Schema:
    return {
        "$schema": DIALECT,
        "$id": f"{event_type}.json",
        "title": event_type,
        "description": what,
        "type": "object",
        "properties": {name: _part(part) for name, part in keys.items()},
        "required": list(keys),
        "additionalProperties": False,
    }


def _part(part: typing.Any) -> definitions.Schema:
    if isinstance(part, str):
        return {"$ref": f"{SHARED}#/$defs/{part}"}
    return typing.cast(definitions.Schema, part)


def main() -> None:
    """Write all files, and remove those of no type."""
    PLACE.mkdir(parents=True, exist_ok=True)
    wanted = files()
    for path in PLACE.glob("*.json"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (PLACE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
