"""Translate between properties and the bodies of requests and answers.

Pure: who asks the cloud for ids comes as a function.
"""

import collections.abc
import dataclasses
import ipaddress
import json
import typing

import orjson

from orch.clients import lookup
from orch.clients import rest
from orch.resources.openstack import type_table

MISSING: typing.Final = object()
"""No value, as ``None`` is one."""

FindId = collections.abc.Callable[[lookup.Kind, str], str]
"""Returns the id of a resource that is named."""

Body = collections.abc.Mapping[str, typing.Any]
"""One resource as its service shows it."""


def to_wire(field: type_table.Field, value: object, find_id: FindId) -> object:
    """Return a value of a property as its service takes it."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        found = [to_wire(field, each, find_id) for each in value]
        return next(iter(found), None) if field.is_single else found
    if field.parts and isinstance(value, collections.abc.Mapping):
        return _mapped(field.parts, value, find_id)
    if field.refers_to is not None and isinstance(value, str) and value:
        return find_id(field.refers_to, value)
    return value


def _mapped(
    parts: tuple[type_table.Field, ...], value: Body, find_id: FindId
) -> dict[str, object]:
    """Return a map with the keys of the service; keys without value go."""
    known = {part.key: part for part in parts}
    known |= {part.name: part for part in parts}
    found: dict[str, object] = {}
    for name, inner in value.items():
        if inner is None:
            continue
        part = known.get(name)
        if part is None:
            found[name] = inner
        elif part.is_sent:
            put_value(found, part.key, to_wire(part, inner, find_id))
    return found


def from_wire(field: type_table.Field, value: object) -> object:
    """Return what an answer shows in the form of the property."""
    if field.is_single:
        return [value]
    if isinstance(value, list):
        return [from_wire(field, each) for each in value]
    if field.parts and isinstance(value, collections.abc.Mapping):
        names: dict[str, type_table.Field] = {}
        for part in field.parts:
            names.setdefault(part.key, part)
        return {
            names[key].name: from_wire(names[key], inner)
            for key, inner in value.items()
            if key in names and names[key].is_read
        }
    return value


def read_reality(
    fields: collections.abc.Iterable[type_table.Field], body: Body
) -> dict[str, object]:
    """Return the properties that an answer shows, by name."""
    values = {
        field.name: (field, find_value(body, field.key, MISSING))
        for field in fields
        if field.is_read
    }
    return {
        name: from_wire(field, value)
        for name, (field, value) in values.items()
        if value is not MISSING
    }


def find_value(body: Body, path: str, missing: object = None) -> object:
    """Return the value at a path of keys; ``missing`` for none."""
    if path in body:
        return body[path]
    found: object = body
    for key in path.split("."):
        if not isinstance(found, collections.abc.Mapping) or key not in found:
            return missing
        found = found[key]
    return found


def put_value(body: dict[str, typing.Any], path: str, value: object) -> None:
    """Put a value at a path of keys, with dots for maps in maps."""
    *above, key = path.split(".")
    for name in above:
        body = body.setdefault(name, {})
    body[key] = value


def build_patch(desired: Body, shown: Body) -> list[dict[str, object]]:
    """Return the JSON patch (RFC 6902) to values; ``None`` removes one."""
    patch = []
    for name, value in desired.items():
        pointer = name.replace("~", "~0").replace("/", "~1")
        found: dict[str, object] = {"op": "remove", "path": f"/{pointer}"}
        if value is not None:
            kind = "replace" if name in shown else "add"
            found |= {"op": kind, "value": value}
        if value is not None or name in shown:
            patch.append(found)
    return patch


def fill_map(template: Body, values: Body) -> dict[str, object]:
    """Return a body with values in place of the names in braces."""
    return {key: _fill(inner, values) for key, inner in template.items()}


def _fill(template: object, values: Body) -> object:
    if isinstance(template, collections.abc.Mapping):
        return fill_map(template, values)
    if isinstance(template, str) and template.startswith("{"):
        return values[template.strip("{}")]
    return template


def fill_path(template: str, values: Body) -> str:
    """Return a path with values in place of the names in braces.

    :raises orch.clients.rest.NoPath: a value cannot be part of a path
    """
    return template.format_map(
        {
            name: rest.path_segment(value)
            for name, value in values.items()
            if isinstance(value, str) and f"{{{name}}}" in template
        }
    )


def normalise_value(field: type_table.Field, value: object) -> object:
    """Return a value in the form that like is compared in.

    Keys of maps are those of the service, and keys without value go.
    """
    if isinstance(value, collections.abc.Mapping):
        parts = {part.name: part for part in field.parts}
        value = {
            parts[name].key if name in parts else name: normalise_value(
                parts.get(name, _PLAIN), inner
            )
            for name, inner in value.items()
            if inner is not None
        }
    elif isinstance(value, list | tuple):
        inner = dataclasses.replace(field, form="")
        value = [normalise_value(inner, each) for each in value]
    return FORMS[field.form](value) if field.form else value


def sort_list(value: object) -> object:
    """Return a list in an order of ours; of a list that is a set."""
    return (
        sorted(value, key=to_key) if isinstance(value, list) else value or []
    )


def to_key(value: object) -> bytes:
    """Return a JSON value as what it can be found by."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def to_mapping(value: object) -> Body:
    """Return a map; an empty one for anything else."""
    return value if isinstance(value, collections.abc.Mapping) else {}


def to_list(value: object) -> collections.abc.Sequence[typing.Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list | tuple) else ()


def to_maps(value: object) -> list[Body]:
    """Return the maps in a list."""
    return [each for each in to_list(value) if isinstance(each, dict)]


def to_texts(value: object) -> dict[str, str]:
    """Return a map with texts as its values; nothing as an empty one."""
    return {str(key): str(inner) for key, inner in to_mapping(value).items()}


def to_metadata(value: object) -> dict[str, str]:
    """Return a map with texts as its values: JSON, where they are none."""
    return {
        str(key): inner if isinstance(inner, str) else json.dumps(inner)
        for key, inner in to_mapping(value).items()
        if inner is not None
    }


def to_headers(value: object) -> object:
    """Return a map as headers tell it: names in lower case, texts."""
    if not isinstance(value, collections.abc.Mapping):
        return value or {}
    return {str(key).lower(): str(one) for key, one in value.items()}


def _normalise_cidr(value: object) -> object:
    try:
        return str(ipaddress.ip_network(str(value), strict=False))
    except ValueError:
        return value


def _normalise_address(value: object) -> object:
    try:
        return str(ipaddress.ip_address(str(value)))
    except ValueError:
        return value or ""


Form = collections.abc.Callable[[object], object]

FORMS: typing.Final[collections.abc.Mapping[str, Form]] = {
    "address": _normalise_address,
    "cidr": _normalise_cidr,
    "headers": to_headers,
    "lower": lambda value: value.lower() if isinstance(value, str) else value,
    "metadata": to_metadata,
    "set": sort_list,
    "text": lambda value: "" if value is None else str(value),
    "texts": to_texts,
}
"""How values are normalised for comparison: addresses and networks in their
usual form, sets in any order, nothing as the empty text or map."""
_PLAIN: typing.Final = type_table.Field(name="")
