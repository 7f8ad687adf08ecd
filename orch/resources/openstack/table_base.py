"""How types that a table describes call their services."""

import collections.abc
import functools
import re
import typing

from orch import errors
from orch.clients import collection
from orch.clients import lookup
from orch.clients import rest
from orch.model import flat_fields
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import resource
from orch.plugin import schema
from orch.resources.openstack import type_table as table_
from orch.resources.openstack import wire

if typing.TYPE_CHECKING:
    from openstack import connection

VALUE_SPECS: typing.Final = "value_specs"
"""The property whose entries go into requests as they are."""
_NAMES_IN_PATH: typing.Final = re.compile(r"\{(\w+)\}")


class TableResource(clouds.CloudResource, resource.Resource):
    """A resource type that a table describes.

    :cvar table: set by :mod:`orch.resources.openstack.type_data`, with the
        properties and attributes of the type
    """

    table: typing.ClassVar[table_.Table]

    @property
    def fields(self) -> collections.abc.Mapping[str, table_.Field]:
        """Return the fields of all properties, by name."""
        return self.table.fields

    @property
    def service_type(self) -> str:
        """The service that the resources are in."""
        return self.table.service

    @property
    def listed_as(self) -> str:
        """The type that lists of a project show its resources under."""
        return self.table.listed_as

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse properties of which one excludes or needs another.

        :raises orch.errors.Invalid: there are such
        """
        for group in self.table.one_of:
            given = [name for name in group if properties.get(name)]
            if properties.keys() >= set(group) and len(given) != 1:
                raise errors.Invalid(
                    f"Exactly one of {' and '.join(group)} must be given;"
                    f" there are {' and '.join(given) or 'none'}."
                )
        for name, needed in self.table.needs.items():
            if {name, needed} <= properties.keys() and (
                properties[name] and not properties[needed]
            ):
                raise errors.Invalid(f"{name} needs {needed}.")

    def needs_replacement(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Whether the service takes one of these in creations only."""
        return any(
            self.fields[name].is_create_only
            for name in changed
            if name in self.fields
        )

    def filters_of_project(
        self, context: call_context.Context
    ) -> dict[str, str]:
        """Return the query of the list of a project's resources."""
        found = dict(self.table.filters)
        if self.table.project_key and not self.table.is_outside_projects:
            found[self.table.project_key] = context.stack_project
        return found

    def sent(
        self,
        context: call_context.Context,
        names: collections.abc.Iterable[str],
        *,
        is_change: bool = False,
    ) -> dict[str, object]:
        """Return properties as requests have them, names of resources as ids.

        :param is_change: send also what takes the place of properties that
            are not given any more
        """
        chosen = set(names)
        cloud = self.cloud(context)
        body: dict[str, object] = {}
        given = {
            field.key
            for field in self.fields.values()
            if field.is_sent and context.properties.get(field.name) is not None
        }
        for field in self.fields.values():
            if not field.is_sent or field.name not in chosen:
                continue
            value = context.properties.get(field.name)
            if value is None and field.is_named:
                value = context.physical_name
            if value is None and (
                field.ignores_removal or not is_change or field.key in given
            ):
                continue
            wire.put_value(
                body,
                (is_change and field.change_key) or field.key,
                field.empty
                if value is None
                else self.translated(cloud, field, value),
            )
        specs = context.properties.get(VALUE_SPECS)
        if isinstance(specs, collections.abc.Mapping) and (
            not is_change or VALUE_SPECS in chosen
        ):
            body.update(specs)
        return body

    def translated(
        self,
        cloud: "connection.Connection",
        field: table_.Field,
        value: object,
    ) -> object:
        """Return a value as the service takes it; it may ask for ids."""

        def find_id(kind: lookup.Kind, name: str) -> str:
            return lookup.find_id(cloud, kind, name)

        return wire.to_wire(field, value, find_id)

    def api_collection(
        self, context: call_context.Context
    ) -> collection.Collection:
        """Return what asks the service of the type, for the stack."""
        table, cloud = self.table, self.cloud(context)
        parents = {
            name: self.translated(
                cloud, self.fields[name], context.properties.get(name)
            )
            for name in _NAMES_IN_PATH.findall(table.path)
        }
        return collection.Collection(
            service=rest.service_of(
                cloud, table.service, version=table.version
            ),
            path=wire.fill_path(table.path, parents),
            key=table.key,
            plural=table.plural,
            list_path=table.list_path,
            id_key=table.id_key,
            microversion=table.microversion,
            is_bare=table.is_bare,
            is_paged=table.is_paged,
            headers=table.headers,
            is_secret=_has_secrets(type(self)),
        )

    def id_in(self, body: wire.Body) -> str:
        """Return the id in an answer."""
        return str(body[self.table.id_key])

    def body(self, context: call_context.Context) -> wire.Body:
        """Return the resource as its service shows it now.

        :raises orch.clients.rest.CloudNotFound: it is not there
        """
        calls = self.api_collection(context)
        if not self.table.is_only:
            return calls.get(self.id_of(context))
        found = calls.ask("GET", calls.path)
        if not found:
            raise rest.CloudNotFound(f"{calls.path} answers nothing")
        return found

    def all_of_project(
        self, context: call_context.Context
    ) -> collections.abc.Iterator[collection.Body]:
        """Yield the resources of the stack's project, a request a page."""
        filters = self.filters_of_project(context)
        key, defaults = self.table.kind_key, self.table.defaults
        for each in self.api_collection(context).listed(filters):
            if not key or each.get(key) == defaults[key]:
                yield each

    def id_of(self, context: call_context.Context) -> str:
        """Return the id that the resource has in paths.

        :raises orch.clients.rest.CloudNotFound: it has none
        """
        if not context.physical_id:
            raise rest.CloudNotFound(f"{context.name} has no id")
        found = context.physical_id
        return found.rpartition("/")[2] if "://" in found else found


@functools.cache
def _has_secrets(kind: type[TableResource]) -> bool:
    """Whether requests of a type have secrets, by mark or by name."""
    declared: tuple[schema.Property | schema.Attribute, ...] = (
        *kind.properties,
        *kind.attributes,
    )
    return (
        any(each.has_sensitive for each in kind.properties)
        or any(each.is_sensitive for each in kind.attributes)
        or any(flat_fields.is_secret(each.name) for each in declared)
    )
