"""Outputs of a stack as far as its rows tell; nothing is asked."""

import collections.abc
import typing

from orch import errors
from orch.db.repositories import documents
from orch.engine.search_documents import loader
from orch.model import flat_fields
from orch.model import resource
from orch.plugin import registry
from orch.plugin import resource as resource_plugin
from orch.plugin import sensitivity
from orch.template import template
from orch.template import world

_LARGEST: typing.Final = 100
"""Resources of a template that is parsed for the sake of its outputs."""

_Rows = collections.abc.Mapping[str, documents.StoredResource]


class _NotPlainError(Exception):
    """It takes all of the language to work the value out."""


def known(
    found: loader.Loaded, types: registry.Types
) -> collections.abc.Iterator[tuple[str, object]]:
    """Return the outputs that have a value, without sensitive ones.

    So are those with what stands for a resource, where its type gives
    something else than the physical id: mostly a secret, or an address that
    is proof by itself.
    """
    if found.template is None or found.redacts.is_blind:
        return
    parsed_template = found.template.template
    section = parsed_template.raw.get(parsed_template.version.format.outputs)
    if not isinstance(section, dict):
        return
    rows = {row.name: row for row in found.rows}
    resolved: dict[str, object] | None = None
    keys = parsed_template.version.format.output
    for name, written in section.items():
        if not isinstance(written, dict):
            continue
        try:
            if keys.condition and keys.condition in written:
                raise _NotPlainError
            value = _plain(
                parsed_template, rows, types, written.get(keys.value)
            )
        except _NotPlainError:
            if resolved is None:
                resolved = _resolved(parsed_template, rows, types)
            value = resolved.get(name)
        if value is not None:
            yield str(name), value


def _plain(
    parsed_template: template.Template,
    rows: _Rows,
    types: registry.Types,
    written: object,
) -> object:
    """Return a value that is written down, or read from one place.

    :returns: ``None`` where it is sensitive
    :raises _NotPlainError: it is more than that
    """
    if parsed_template.sensitive_parts:
        raise _NotPlainError
    if written is None or isinstance(written, str | int | float):
        return written
    if not isinstance(written, dict) or len(written) != 1:
        raise _NotPlainError
    ((function, arguments),) = written.items()
    if function == "get_param" and isinstance(arguments, str):
        if arguments in parsed_template.secret_parameters:
            return None
        try:
            return parsed_template.parameters.value(arguments)
        except errors.OrchError:
            return None
    if function == "get_attr" and _is_path(arguments):
        name, attribute, *path = typing.cast(list[typing.Any], arguments)
        stored = rows.get(str(name))
        if stored is None:
            return None
        row = stored.resource
        value = _at(row.attributes.get(str(attribute)), path)
        is_named = any(flat_fields.is_secret(str(each)) for each in path)
        is_sensitive = is_named or sensitivity.is_row_sensitive(
            types.find(row.plugin_type), row, str(attribute), value
        )
        return None if is_sensitive else value
    raise _NotPlainError


def _is_path(arguments: object) -> bool:
    return (
        isinstance(arguments, list)
        and len(arguments) >= 2
        and all(isinstance(each, str | int) for each in arguments)
    )


def _at(value: object, path: collections.abc.Sequence[str | int]) -> object:
    """Return what stands there in a value; ``None`` for nothing."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and str(step).isdecimal():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    return value


class _World:
    """The resources of a stack as its rows have them."""

    def __init__(self, rows: _Rows, types: registry.Types) -> None:
        self._rows = rows
        self._types = types

    def _find(self, name: str) -> resource.Resource | None:
        stored = self._rows.get(name)
        return None if stored is None else stored.resource

    def reference_id(self, name: str) -> object:
        """Return the physical id."""
        row = self._find(name)
        if row is None or row.physical_id is None:
            raise world.NotYetKnown(f"resource {name} does not exist yet")
        plugin = self._types.find(row.plugin_type)
        if plugin is None or _is_called_otherwise(plugin):
            raise world.NotYetKnown(f"what stands for {name} is not stored")
        return row.physical_id

    def attribute(self, name: str, attribute: str) -> object:
        """Return an attribute that is stored."""
        row = self._find(name)
        if row is None or attribute not in row.attributes:
            raise world.NotYetKnown(f"{name}.{attribute} is not stored")
        return row.attributes[attribute]

    def is_sensitive(
        self, name: str, attribute: str | None, value: object
    ) -> bool:
        """Answer whether what was read of a resource is sensitive."""
        row = self._rows[name].resource
        return sensitivity.is_row_sensitive(
            self._types.find(row.plugin_type), row, attribute, value
        )


def _is_called_otherwise(plugin: resource_plugin.Resource) -> bool:
    """Answer whether its type has a rule of its own for ``get_resource``."""
    return (
        type(plugin).reference_id is not resource_plugin.Resource.reference_id
    )


def _resolved(
    parsed_template: template.Template, rows: _Rows, types: registry.Types
) -> dict[str, object]:
    if len(rows) > _LARGEST:
        return {}
    try:
        return {
            each.key: world.visible_value(each.value)
            for each in parsed_template.resolve_outputs(_World(rows, types))
            if not each.sensitive
        }
    except errors.OrchError:
        return {}
