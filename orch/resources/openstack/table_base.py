"""How types that a table describes call their services."""

import collections.abc
import typing

from orch.clients import collection
from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import facts
from orch.plugin import resource
from orch.resources.openstack import schemas
from orch.resources.openstack import type_table as table_
from orch.resources.openstack import wire

if typing.TYPE_CHECKING:
    from openstack import connection

VALUE_SPECS: typing.Final = "value_specs"
"""The property whose entries go into requests as they are."""


class TableResource(clouds.CloudResource, resource.Resource):
    """A resource type that a table describes.

    Its properties and attributes are read from ``schemas``, under the name
    of the type.
    """

    table: typing.ClassVar[table_.Table]
    fields: typing.ClassVar[collections.abc.Mapping[str, table_.Field]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Read the facts of the type, where it is one."""
        super().__init_subclass__(**kwargs)
        if "table" in cls.__dict__:
            cls.fields = {each.name: each for each in cls.table.fields}
        if "type_name" not in cls.__dict__:
            return
        found = schemas.load_facts(cls.type_name)
        cls.properties = facts.read_properties(found.get("properties") or {})
        cls.attributes = facts.read_attributes(found.get("attributes") or {})
        cls.support_status = (
            facts.read_text(found, "support_status") or "SUPPORTED"
        )

    def filters_of_project(
        self, context: call_context.Context
    ) -> dict[str, str]:
        """Return what the list of a project's things is asked by."""
        if not self.table.is_of_project:
            return {}
        return {"project_id": context.stack_project}

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
        for field in self.table.fields:
            if not field.is_sent or field.name not in chosen:
                continue
            value = context.properties.get(field.name)
            if value is None and field.is_named:
                value = context.physical_name
            if value is not None:
                body[field.key] = self.translated(cloud, field, value)
            elif is_change and field.empty is not table_.UNSENT:
                body[field.key] = field.empty
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
        table = self.table
        return collection.Collection(
            service=rest.service_of(
                self.cloud(context), table.service, version=table.version
            ),
            path=table.path,
            key=table.key,
            plural=table.plural,
            list_path=table.list_path,
            id_key=table.id_key,
            microversion=table.microversion,
        )

    def body(self, context: call_context.Context) -> wire.Body:
        """Return the resource as its service shows it now.

        :raises orch.clients.rest.CloudNotFound: it is not there
        """
        return self.api_collection(context).get(self.id_of(context))

    def all_of_project(
        self, context: call_context.Context
    ) -> collections.abc.Iterator[collection.Body]:
        """Yield the resources of the stack's project, a request a page."""
        filters = self.filters_of_project(context)
        return self.api_collection(context).listed(filters)

    def id_of(self, context: call_context.Context) -> str:
        """Return the id that the resource has.

        :raises orch.clients.rest.CloudNotFound: it has none
        """
        if not context.physical_id:
            raise rest.CloudNotFound(f"{context.name} has no id")
        return context.physical_id

    @staticmethod
    def properties_given(context: call_context.Context) -> list[str]:
        """Return the names of the properties that have a value."""
        return [
            name
            for name, value in context.properties.items()
            if value is not None
        ]
