"""Move declarations of resources from one template to another."""

import collections.abc
import typing

from orch.engine.moves import rows as move_rows
from orch.engine.secrets import redaction
from orch.model import marked
from orch.model import resource
from orch.plugin import registry
from orch.plugin import schema as plugin_schema
from orch.template import template

Map = dict[str, object]
_Schemas = collections.abc.Sequence[plugin_schema.Property]

_DELETE: typing.Final = "Delete"


def without_resources(
    parsed_template: template.Template, names: collections.abc.Collection[str]
) -> Map:
    """Return the source's template without the resources that move.

    :raises orch.engine.moves.rows.CannotMove: resources that stay depend on
        them
    """
    for each in parsed_template.resources.values():
        needed = [name for name in each.requires if name in names]
        if each.name not in names and needed:
            raise move_rows.CannotMove(
                f"Resource {each.name} depends on {', '.join(needed)}, which"
                " would go; move it too, or give a source_template in which"
                " it does not."
            )
    raw = dict(parsed_template.raw)
    key = parsed_template.version.format.resources
    raw[key] = {
        name: declared
        for name, declared in _section(parsed_template).items()
        if name not in names
    }
    return raw


def with_resources(
    source: template.Template,
    target: template.Template,
    rows: collections.abc.Sequence[resource.Resource],
    names: move_rows.Names,
    redacts: redaction.Redaction,
    types: registry.Types,
) -> Map:
    """Return the target's template with the resources that move.

    Properties and metadata have the values that they have now.

    :param redacts: redacts values that must not be written into a template
    :raises orch.engine.moves.rows.CannotMove: a declaration cannot be written
        there
    """
    if source.version.format.kind != target.version.format.kind:
        raise move_rows.CannotMove(
            "The templates of the two stacks are of different formats; give"
            " a target_template."
        )
    taken = _section(target)
    moving = {names[row.name]: row for row in rows}
    for name in moving:
        if name in taken:
            raise move_rows.CannotMove(
                f"The template of the target declares {name} already; move"
                " under another name."
            )
    section = {**taken}
    for name, row in moving.items():
        if row.name not in source.resources:
            raise move_rows.CannotMove(
                f"The template of the source does not declare {row.name}."
            )
        _check_open(row, redacts)
        plugin = types.find(row.plugin_type)
        schemas = plugin.properties if plugin is not None else ()
        section[name] = {
            **_declaration(source, target, row, names),
            **_properties(target, row, schemas),
        }
    return {**target.raw, target.version.format.resources: section}


def _check_open(row: resource.Resource, redacts: redaction.Redaction) -> None:
    """Raise CannotMove if a value of a resource must not be in a template.

    :raises orch.engine.moves.rows.CannotMove: a value is that of a hidden
        parameter, or a secret that a resource has generated
    """
    if (
        marked.paths_of(row.properties)
        or redacts.values(row.properties) != row.properties
        or redacts.value(row.metadata) != row.metadata
    ):
        raise move_rows.CannotMove(
            f"Resource {row.name} has the value of a hidden parameter, or a"
            " secret that a resource has generated; give a target_template"
            " with a parameter of its own."
        )


def _declaration(
    source: template.Template,
    target: template.Template,
    row: resource.Resource,
    names: move_rows.Names,
) -> Map:
    keys = target.version.format.resource
    known = source.resources[row.name]
    needed = [names[each] for each in known.requires if each in names]
    policies = {
        policy: written
        for written, policy in reversed(target.version.format.policies)
    }
    declared: Map = {
        keys.type: known.declared_type,
        keys.metadata: dict(row.metadata),
        keys.update_policy: dict(known.update_policy),
        keys.description: known.description,
        keys.depends_on: needed,
    }
    if row.deletion_policy != _DELETE:
        declared[keys.deletion_policy] = policies[row.deletion_policy]
    if row.external_id is not None and keys.external_id is not None:
        declared[keys.external_id] = row.external_id
    return {key: value for key, value in declared.items() if value}


def _properties(
    parsed_template: template.Template,
    row: resource.Resource,
    schemas: _Schemas,
) -> Map:
    written = _without_nothing(row.properties, schemas)
    return {parsed_template.version.format.resource.properties: written}


def _without_nothing(value: object, schemas: _Schemas) -> object:
    """Return a map without the keys that were never given.

    Where a schema names the keys of a map, a value shows all of them, with
    null for those; written down, null would be a value of its own.
    """
    if not schemas or not isinstance(value, collections.abc.Mapping):
        return value
    known = {each.name: each for each in schemas}
    return {
        key: _given(each, known.get(key))
        for key, each in value.items()
        if each is not None or key not in known
    }


def _given(value: object, schema: plugin_schema.Property | None) -> object:
    if schema is None:
        return value
    if schema.fields:
        return _without_nothing(value, schema.fields)
    if isinstance(value, list):
        return [_given(each, schema.items) for each in value]
    if schema.items and isinstance(value, collections.abc.Mapping):
        return {key: _given(each, schema.items) for key, each in value.items()}
    return value


def _section(parsed_template: template.Template) -> Map:
    found = parsed_template.raw.get(parsed_template.version.format.resources)
    return found if isinstance(found, dict) else {}
