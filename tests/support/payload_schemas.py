"""The JSON Schemas of notifications, to check what is heard against."""

import functools
import json
import typing

import jsonschema
import referencing
import referencing.jsonschema

from tools import notification_schemas


def faults_of(event_type: str, payload: object) -> list[str]:
    """Return what is wrong with a payload; of an unknown type all of it."""
    validator = _validators().get(event_type)
    if validator is None:
        return [f"{event_type} has no schema"]
    return [
        f"{event_type}: {'/'.join(map(str, each.absolute_path))}:"
        f" {each.message[:300]}"
        for each in validator.iter_errors(payload)
    ]


@functools.cache
def _validators() -> dict[str, jsonschema.Draft202012Validator]:
    """Return what checks the payloads, by event type, from the files."""
    found: dict[str, dict[str, typing.Any]] = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in notification_schemas.PLACE.glob("*.json")
    }
    registry: referencing.Registry[typing.Any] = (
        referencing.Registry().with_resources(
            (name, referencing.jsonschema.DRAFT202012.create_resource(each))
            for name, each in found.items()
        )
    )
    return {
        name.removesuffix(".json"): jsonschema.Draft202012Validator(
            schema, registry=registry
        )
        for name, schema in found.items()
        if name != notification_schemas.SHARED
    }
