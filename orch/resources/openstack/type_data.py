"""Read types on OpenStack from data files: one JSON file a service.

A file maps names of types to their facts (:mod:`orch.plugin.facts`) and what
requests need: ``at`` has words of :class:`~type_table.Table`, and ``wire`` of
a property has words of :class:`~type_table.Field`; ``false`` says that no
request or answer has the property. ``service``, beside the types, has words
of ``at`` for all types of the file. ``class`` names a class with code, as
``module:name``, which a type without code does without. ``like`` names
another type of the package, of which this one is an older name.
"""

import collections.abc
import dataclasses
import functools
import importlib
import types
import typing

from orch.clients import lookup
from orch.plugin import declared_types
from orch.plugin import facts
from orch.plugin import registry
from orch.plugin import type_files
from orch.resources.openstack import association
from orch.resources.openstack import base
from orch.resources.openstack import table_base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

OWN_DATA: typing.Final = "orch.resources.openstack.schemas"
TYPE_DATA: typing.Final = "orch.openstack_types"
"""Each entry point names a package with data files; its own name is free."""

_EMPTY: typing.Final[dict[str, object]] = {"list": [], "map": {}}
_NEVER_EMPTY: typing.Final = "boolean"
_OTHERS: typing.Final = frozenset({"at", "class"})

Kind = type[base.OpenStackResource]


def load_types(
    report: registry.OnError,
) -> collections.abc.Mapping[str, declared_types.DeclaredType]:
    """Return the types of all installed data files, by name.

    Of two files with one type that of the other package replaces ours.

    :param report: called for each file and type that is left out
    """
    return registry.declare_types(TYPE_DATA, load_type, report)


@functools.cache
def load_type(type_name: str, package: str = OWN_DATA) -> Kind:
    """Return the class of a type.

    :raises orch.plugin.facts.BadFacts: the package has no such type, or its
        data have another form
    """
    found = _read_type(type_name, package)
    if "like" in found:
        return _load_alias(type_name, found, package)
    table = _read_table(found, type_name, package)
    kind: type = (
        association.Association if table.host else base.OpenStackResource
    )
    if "class" in found:
        module, _, name = facts.read_text(found, "class").partition(":")
        kind = getattr(importlib.import_module(module), name)
    built: type = type_files.build_class(
        type_name,
        found,
        kind,
        {
            "table": table,
            "comes_after": table.comes_after,
            "has_late_effects": table.has_late_effects,
            **facts.read_traits(found, _OTHERS),
        },
    )
    if not issubclass(built, base.OpenStackResource):
        raise facts.BadFacts(f"{kind.__qualname__} is no OpenStackResource")
    return built


def _read_type(type_name: str, package: str) -> facts.Facts:
    """Return the facts of a type, with the words of its service."""
    types_ = type_files.find_file(package, type_name)
    found = facts.check_mapping(types_[type_name])
    service = facts.check_mapping(types_.get(type_files.SERVICE, {}))
    at = {**service, **facts.check_mapping(found.get("at", {}))}
    return {**found, "at": at}


def _load_alias(type_name: str, found: facts.Facts, package: str) -> Kind:
    """Return the class of a type with another name.

    Lists of a project have its resources under the other type alone.
    """
    try:
        kind = load_type(facts.read_text(found, "like"), package)
    except facts.BadFacts as error:
        raise facts.BadFacts(f"{type_name}: like: {error.message}") from error
    return type(
        kind.__name__,
        (kind,),
        {
            "__doc__": f"An older name of {kind.type_name}.",
            "__module__": kind.__module__,
            "type_name": type_name,
            "table": dataclasses.replace(kind.table, listed_as=kind.type_name),
            "support_status": facts.read_text(found, "support_status")
            or kind.support_status,
        },
    )


def _read_table(
    found: facts.Facts, type_name: str, package: str
) -> type_table.Table:
    table = _read_words(
        type_table.Table, facts.check_mapping(found["at"]), f"{type_name}: at"
    )
    fields = _read_fields(found.get("properties") or {}, type_name, package)
    names = {each.name for each in fields}
    if table.host and table.host not in names:
        raise facts.BadFacts(
            f"{type_name}: at.host: {table.host} is no property of the type"
        )
    return dataclasses.replace(
        table, fields={each.name: each for each in fields}
    )


def _read_fields(
    found: object, where: str, package: str
) -> tuple[type_table.Field, ...]:
    return tuple(
        _read_field(name, facts.check_mapping(one), f"{where}.{name}", package)
        for name, one in facts.check_mapping(found).items()
        if name != table_base.VALUE_SPECS
    )


def _read_field(
    name: str, found: facts.Facts, where: str, package: str
) -> type_table.Field:
    written = found.get("wire", {})
    if written is False:
        written = {"is_sent": False, "is_read": False}
    words = dict(facts.check_mapping(written))
    named = words.pop("refers_to", None)
    below = facts.check_mapping(found.get("schema") or {})
    if "*" in below:
        below = facts.check_mapping(
            facts.check_mapping(below["*"]).get("schema") or {}
        )
    field = _read_words(
        type_table.Field,
        {
            "name": name,
            "key": name,
            "empty": _EMPTY.get(str(found.get("type"))),
            "ignores_removal": found.get("type") == _NEVER_EMPTY,
            **words,
        },
        where,
    )
    if field.form and field.form not in wire.FORMS:
        raise facts.BadFacts(
            f"{where}: {field.form} is no form; there are"
            f" {', '.join(wire.FORMS)}"
        )
    return dataclasses.replace(
        field,
        parts=_read_fields(below, where, package),
        refers_to=_find_kind(str(named), where, package) if named else None,
    )


def _find_kind(name: str, where: str, package: str) -> lookup.Kind:
    """Return a kind of resources by its name, or by that of a type."""
    if name in lookup.KINDS:
        return lookup.KINDS[name]
    try:
        written = facts.check_mapping(_read_type(name, package)["at"])
    except facts.BadFacts:
        raise facts.BadFacts(
            f"{where}: nothing is known of {name}; name a type of the same"
            f" package, or one of {', '.join(lookup.KINDS)}"
        ) from None
    table = _read_words(type_table.Table, written, f"{name}: at")
    return lookup.Kind(
        noun=table.key.replace("_", " "),
        service=table.service,
        version=table.version,
        microversion=table.microversion,
        path=table.path,
        plural=table.plural,
        id_key=table.id_key,
    )


Struct = typing.TypeVar("Struct")


def _read_words(kind: type[Struct], found: facts.Facts, where: str) -> Struct:
    """Return a value of the vocabulary.

    :raises BadFacts: a word is unknown or missing, or a value has another type
    """
    hints = typing.get_type_hints(kind)
    try:
        facts.check_names(found, hints.keys())
        return kind(
            **{
                name: _read_word(hints[name], value, f"{where}.{name}")
                for name, value in found.items()
            }
        )
    except (facts.BadFacts, TypeError) as error:
        raise facts.BadFacts(f"{where}: {error}") from error


def _read_word(hint: object, value: object, where: str) -> object:
    """Return a value as its type hint has it."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType:
        if value is None:
            return None
        return _read_word(inner[0], value, where)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _read_words(hint, facts.check_mapping(value), where)
    expected: object = origin or hint
    if expected in _JSON:
        expected = _JSON[expected]
    if not isinstance(value, typing.cast("type", expected)):
        raise facts.BadFacts(f"{value!r} has another type"[:200])
    if isinstance(value, list):
        return tuple(_read_word(inner[0], each, where) for each in value)
    return value


_JSON: typing.Final[collections.abc.Mapping[object, type]] = {
    tuple: list,
    collections.abc.Mapping: dict,
}
