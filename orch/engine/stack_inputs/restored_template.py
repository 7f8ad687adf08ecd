"""Build the template of a restored stack from a snapshot's stored values.

Only a property for which a plug-in restores another value than its template
has becomes a plain value. All others stay as they were written, so that a
later change of a parameter still reaches them. Where the value of a template
is known only in a run, the value that the resource had at that time is used.
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.context import hidden_values
from orch.db import engine as db_engine
from orch.engine.stack_inputs import store
from orch.engine.stack_inputs import template_cache
from orch.model import resource as model_resource
from orch.model import snapshot
from orch.model import stack
from orch.plugin import registry
from orch.plugin import resource
from orch.template import inputs
from orch.template import template
from orch.template import world
from orch.template.language import functions_of_version

Values = collections.abc.Mapping[str, object]


class NotWritable(errors.Invalid):
    """A stored value reads as a function, so no template can hold it."""

    code = "orch.snapshot.not_writable"


def load_snapshot_inputs(
    connection: db_engine.Connection,
    stack: stack.Stack,
    found: snapshot.Snapshot,
    templates: template_cache.TemplateCache,
) -> tuple[inputs.Inputs, template.Template]:
    """Return the inputs and the template of a stack as a snapshot has them.

    :raises orch.errors.Invalid: the plug-ins of today refuse its template
    """
    then = dataclasses.replace(
        stack,
        template_hash=found.template_hash,
        environment_hash=found.environment_hash,
    )
    return (
        store.read_inputs(connection, then),
        templates.load(connection, then),
    )


def restored_template(
    parsed_template: template.Template,
    found: snapshot.Snapshot,
    types: registry.Types,
) -> Values:
    """Return the template to restore, as an object.

    Plug-ins are called, which may take a while.

    :param parsed_template: the template of that time
    :raises NotWritable: a value cannot be written into a template
    :raises orch.errors.OrchError: a stored state does not exist any more
    """
    changed = {
        row.name: _changed(types.get(row.plugin_type), parsed_template, row)
        for row in found.resources()
        if row.snapshot_data
        and _is_declared(parsed_template, row.name, row.plugin_type)
    }
    changed = {name: values for name, values in changed.items() if values}
    if not changed:
        return parsed_template.raw
    keys = parsed_template.version.format
    section = typing.cast("dict[str, dict[str, object]]", parsed_template.raw)[
        keys.resources
    ]
    functions = frozenset(
        functions_of_version.functions_of_version(parsed_template.version)
    )
    return {
        **parsed_template.raw,
        keys.resources: {
            name: _put_in(
                name, written, keys.resource.properties, changed, functions
            )
            for name, written in section.items()
        },
    }


def _is_declared(
    parsed_template: template.Template, name: str, type_name: str
) -> bool:
    declared = parsed_template.resources.get(name)
    return declared is not None and declared.type_name == type_name


_GONE: typing.Final = object()
"""Marks a property that a plug-in removes."""


def _changed(
    plugin: resource.Resource,
    parsed_template: template.Template,
    row: model_resource.Resource,
) -> dict[str, object]:
    """Return the properties for which a plug-in restores another value.

    ``_GONE`` marks a property that is to have no value.
    """
    declared = parsed_template.resolve_properties(
        row.name, world.EmptyWorld(), marks_unknown=True
    )
    before = {
        name: row.properties.get(name) if world.has_unknown(value) else value
        for name, value in declared.items()
        if not world.has_unknown(value) or name in row.properties
    }
    hidden_values.add(row.secret_texts)
    after = plugin.restored_properties(before, row.snapshot_data or {})
    changed = {
        name: value
        for name, value in after.items()
        if name not in before or before[name] != value
    }
    return {**changed, **{name: _GONE for name in before if name not in after}}


def _put_in(
    name: str,
    written: object,
    key: str,
    changed: collections.abc.Mapping[str, dict[str, object]],
    functions: frozenset[str],
) -> object:
    if name not in changed:
        return written
    parts = dict(typing.cast(Values, written))
    properties = dict(typing.cast(Values, parts.get(key) or {}))
    for each, value in changed[name].items():
        if value is _GONE:
            properties.pop(each, None)
            continue
        _check_plain(value, functions, f"{name}.{key}.{each}")
        properties[each] = value
    return {**parts, key: properties}


def _check_plain(value: object, functions: frozenset[str], path: str) -> None:
    """Raise NotWritable if a template would read the value as a function."""
    if isinstance(value, dict):
        for key in value:
            if len(value) == 1 and key in functions:
                raise NotWritable(
                    f"The stored value of resources.{path} is a map whose key"
                    f" is the function {key}: no template can hold it, so"
                    " this snapshot cannot be restored."
                )
    if isinstance(value, dict | list):
        within = value.values() if isinstance(value, dict) else value
        for each in within:
            _check_plain(each, functions, path)
