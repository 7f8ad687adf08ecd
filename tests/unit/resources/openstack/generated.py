"""Resources of any type, generated from its data, on a fake of its service.

The fake keeps what is sent in one collection, wherever its path leads; values
of properties follow from their schemas.
"""

import collections.abc
import dataclasses
import re
import typing
import uuid

from orch.plugin import call_context
from orch.plugin import schema
from orch.resources.openstack import tokens
from orch.resources.openstack import type_data
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack import values

_IN_BRACES: typing.Final = re.compile(r"\{\w+\}")


class Service(clouds.Cloud):
    """Collections of one type, wherever their path leads."""

    def __init__(self, kind: type[typing.Any]) -> None:
        super().__init__()
        table = kind.table
        self.path = _IN_BRACES.sub(values.IDS[0], table.path)
        self.kept = clouds.Collection(table.key, table.plural)
        if table.status is not None:
            self.kept.defaults[table.status.key] = "ACTIVE"
        self.collections[self.path] = self.kept
        if table.list_path:
            self.collections[table.list_path] = self.kept
        self.id_key = table.id_key
        self.is_quota = table.is_quota
        self.filters = {*table.filters, table.project_key}

    def _list(
        self,
        kept: clouds.Collection,
        query: collections.abc.Mapping[str, list[str]],
    ) -> clouds.Answer:
        # What a filter of the type means only its service knows.
        status, answer = super()._list(
            kept, {k: query[k] for k in query.keys() - self.filters}
        )
        assert isinstance(answer, dict)
        return status, answer if kept.plural else answer[""]

    def _one(
        self,
        kept: clouds.Collection,
        identifier: str,
        method: str,
        body: typing.Any,
    ) -> clouds.Answer:
        if method == "DELETE" and self.is_quota:
            kept.rows[identifier].clear()
            return 204, None
        if isinstance(body, list):
            body = kept.wrap(
                {
                    each["path"].removeprefix("/"): each.get("value")
                    for each in body
                }
            )
        return super()._one(kept, identifier, method, body)

    def _make(
        self, kept: clouds.Collection, body: typing.Any
    ) -> clouds.Answer:
        given = {**kept.defaults, **kept.unwrap(body)}
        identifier = str(given.get(self.id_key) or uuid.uuid4())
        made = {"id": identifier, **given, self.id_key: identifier}
        kept.rows[identifier] = made
        return 201, kept.wrap(made)


class GeneratedTestCase(clouds.CloudTestCase):
    """Tests of types whose resources are generated."""

    cloud: Service

    def use_generated(self, name: str) -> None:
        """Let the tests act on a type, with a service of its own."""
        self.kind = type_data.load_type(name)  # type: ignore[misc]
        cloud = Service(self.kind)
        if self.kind.table.is_quota:
            cloud.kept.rows[values.PROJECT] = {"id": values.PROJECT}
        self.use(cloud)

    def fields(
        self,
    ) -> typing.Iterator[tuple[schema.Property, type_table.Field]]:
        """Yield the properties of the type, each with its words."""
        for each in self.kind.properties:
            if each.name in self.kind.table.fields:
                yield each, self.kind.table.fields[each.name]

    def required(self) -> dict[str, object]:
        """Return the properties that a creation needs."""
        return {
            each.name: self.value(each.name, 0)
            for each in self.kind.properties
            if each.required or isinstance(each.default, str)
        }

    def sent(self) -> dict[str, object]:
        """Return all properties that the request of a creation has."""
        return self.required() | {
            each.name: self.value(each.name, 0)
            for each, field in self.fields()
            if is_plain(field)
        }

    def value(self, name: str, number: int) -> object:
        """Return a value of a property; another one for another number."""
        (declared,) = (e for e in self.kind.properties if e.name == name)
        return values.of_property(
            declared, self.kind.table.fields[name], number
        )

    def is_id(self, field: type_table.Field) -> bool:
        """Whether a property is the id of the resource."""
        return field.key == self.kind.table.id_key

    def other_id(self) -> dict[str, object]:
        """Return another id, if a property gives it."""
        return {
            each.name: self.value(each.name, 1)
            for each, field in self.fields()
            if self.is_id(field) and field.is_sent
        }

    def is_identified(self, context: call_context.Context) -> bool:
        """Whether a property gives the id of a resource."""
        return any(
            context.properties.get(each.name) is not None
            for each, field in self.fields()
            if self.is_id(field)
        )

    def is_as_given(
        self,
        context: call_context.Context,
        name: str,
        live: collections.abc.Mapping[str, object],
    ) -> bool:
        """Whether a property is live as the context has it."""
        return self.plugin.is_like(
            name, context.properties.get(name), live.get(name)
        )

    def check_stored(self, context: call_context.Context, name: str) -> None:
        """Check that the service has a property as the context has it."""
        field, what = self.kind.table.fields[name], (self.kind.type_name, name)
        if field.is_read and not field.change_key:
            live = self.plugin.get_reality(context) or {}
            self.assertIn(name, live, what)
            self.assertTrue(self.is_as_given(context, name, live), what)
            return
        cloud = self.plugin.cloud(context)
        found = self.shown(self.row(context))
        self.assertEqual(
            self.plugin.translated(cloud, field, context.properties[name]),
            wire.find_value(found, field.change_key)
            if field.change_key in found
            else wire.find_value(found, field.key),
            what,
        )

    def make_another(
        self, context: call_context.Context, **changed: object
    ) -> call_context.Context:
        """Create a resource with other properties beside one."""
        other = dataclasses.replace(
            context,
            token=str(uuid.uuid4()),
            physical_name=f"shop-{uuid.uuid4()}",
            physical_id=None,
            properties={**context.properties, **changed},
        )
        made = self.with_id(other, self.plugin.create(other))
        self.assertIsNone(self.plugin.is_created(made))
        return made

    def drift(self, context: call_context.Context, name: str) -> object:
        """Change a property in the service; return what was there."""
        field, row = self.kind.table.fields[name], self.row(context)
        former = wire.find_value(row, field.key)
        cloud = self.plugin.cloud(context)
        value = self.plugin.translated(cloud, field, self.value(name, 1))
        wire.put_value(row, field.key, value)
        return former

    def row(self, context: call_context.Context) -> clouds.Body:
        """Return a resource as its service has it."""
        return self.cloud.kept.rows[str(context.physical_id)]

    def shown(self, found: wire.Body) -> wire.Body:
        """Return a resource without its token."""
        return tokens.without_token(found, self.kind.table.token_key)


def is_plain(field: type_table.Field) -> bool:
    """Whether the request that creates the resource has the property."""
    return field.is_sent and not (
        field.own_path or field.entries_path or field.elements
    )
