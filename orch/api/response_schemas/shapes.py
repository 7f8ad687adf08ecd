"""The words that schemas of answers are written in.

A schema is a map as JSON Schema 2020-12 says. What is named in
``components`` is pointed to by :func:`ref`.
"""

import collections.abc
import typing

Schema = dict[str, object]
Members = collections.abc.Mapping[str, Schema]

ANY: typing.Final[Schema] = {}
TEXT: typing.Final[Schema] = {"type": "string"}
FLAG: typing.Final[Schema] = {"type": "boolean"}
COUNT: typing.Final[Schema] = {"type": "integer", "minimum": 0}
NULL: typing.Final[Schema] = {"type": "null"}
NULLABLE_TEXT: typing.Final[Schema] = {"type": ["string", "null"]}
MOMENT: typing.Final[Schema] = {"type": "string", "format": "date-time"}
NULLABLE_MOMENT: typing.Final[Schema] = {
    "type": ["string", "null"],
    "format": "date-time",
}
MAP: typing.Final[Schema] = {"type": "object"}
NULLABLE_MAP: typing.Final[Schema] = {"type": ["object", "null"]}
TEXTS: typing.Final[Schema] = {"type": "array", "items": TEXT}


def members(required: Members, optional: Members | None = None) -> Schema:
    """Return the schema of an object that has these members and no other."""
    return {
        "type": "object",
        "required": sorted(required),
        "properties": {**required, **(optional or {})},
        "additionalProperties": False,
    }


def wrapped(key: str, inner: Schema) -> Schema:
    """Return the schema of an object with one member."""
    return members({key: inner})


def many(inner: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": inner}


def map_of(inner: Schema) -> Schema:
    """Return the schema of an object whose names are data."""
    return {"type": "object", "additionalProperties": inner}


def one_of(*words: str | None) -> Schema:
    """Return the schema of one of these words."""
    return {"enum": list(words)}


def either(*schemas: Schema) -> Schema:
    """Return the schema of what fits one of these at least."""
    return {"anyOf": list(schemas)}


def ref(name: str) -> Schema:
    """Return what points to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}
