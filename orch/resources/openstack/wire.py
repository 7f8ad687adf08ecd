"""Translate between properties and the bodies of requests and answers.

Pure: who asks the cloud for ids comes as a function.
"""

import collections.abc
import ipaddress
import typing

import orjson

from orch.clients import lookup
from orch.resources.openstack import type_table

FindId = collections.abc.Callable[[lookup.Kind, str], str]
"""Returns the id of a resource that is named."""

Body = collections.abc.Mapping[str, typing.Any]
"""One thing as its service shows it."""


def to_wire(field: type_table.Field, value: object, find_id: FindId) -> object:
    """Return a value of a property as its service takes it."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return [to_wire(field, each, find_id) for each in value]
    if field.parts and isinstance(value, collections.abc.Mapping):
        return _mapped(field.parts, value, find_id)
    if field.refers_to is not None and isinstance(value, str) and value:
        return find_id(field.refers_to, value)
    return value


def _mapped(
    parts: tuple[type_table.Field, ...], value: Body, find_id: FindId
) -> dict[str, object]:
    """Return a map with the keys of the service; keys without value go."""
    known = {part.name: part for part in parts}
    found: dict[str, object] = {}
    for name, inner in value.items():
        if inner is None:
            continue
        part = known.get(name)
        if part is None:
            found[name] = inner
        elif part.is_sent:
            found[part.key] = to_wire(part, inner, find_id)
    return found


def from_wire(field: type_table.Field, value: object) -> object:
    """Return what an answer tells in the form of the property."""
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
    """Return the properties that an answer tells, by name."""
    return {
        field.name: from_wire(field, body[field.key])
        for field in fields
        if field.is_read and field.key in body
    }


def normalise_value(field: type_table.Field, value: object) -> object:
    """Return a value in the form that like is compared in."""
    bare = _without_nothing(value)
    return bare if field.normal is None else field.normal(bare)


def _without_nothing(value: object) -> object:
    if isinstance(value, collections.abc.Mapping):
        return {
            name: _without_nothing(inner)
            for name, inner in value.items()
            if inner is not None
        }
    if isinstance(value, list | tuple):
        return [_without_nothing(each) for each in value]
    return value


def sort_list(value: object) -> object:
    """Return a list in an order of ours; of a list that is a set."""
    if not isinstance(value, list):
        return value or []
    return sorted(value, key=lambda each: orjson.dumps(each, option=_SORTED))


def to_text(value: object) -> object:
    """Return nothing as the empty text."""
    return "" if value is None else str(value)


def to_lower(value: object) -> object:
    """Return a text in lower case."""
    return value.lower() if isinstance(value, str) else value


def normalise_cidr(value: object) -> object:
    """Return a network in its usual form."""
    try:
        return str(ipaddress.ip_network(str(value), strict=False))
    except ValueError:
        return value


def normalise_address(value: object) -> object:
    """Return an IP address in its usual form; the empty text for none."""
    try:
        return str(ipaddress.ip_address(str(value)))
    except ValueError:
        return value or ""


def normalise_each(
    name_to_normal: collections.abc.Mapping[str, type_table.Normaliser],
) -> type_table.Normaliser:
    """Return what brings a list of maps into form, its order lost."""

    def bring(value: object) -> object:
        if not isinstance(value, list):
            return value or []
        return sort_list([_formed(one) for one in value])

    def _formed(one: object) -> object:
        if not isinstance(one, collections.abc.Mapping):
            return one
        return {
            name: name_to_normal[name](inner)
            if name in name_to_normal
            else inner
            for name, inner in one.items()
        }

    return bring


_SORTED: typing.Final = orjson.OPT_SORT_KEYS
