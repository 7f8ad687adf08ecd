"""Requests of types, against the published references of their services."""

import dataclasses
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import schema
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack import references

Body = dict[str, typing.Any]

_ID: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"
_OTHER_ID: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000b"
_RESERVATION: typing.Final = {
    "resource_type": "physical:host",
    "min": 1,
    "max": 2,
    "amount": None,
    "affinity": False,
    "before_end": "default",
}


class FakeService(clouds.Cloud):
    """A collection that refuses what its reference does not have.

    :ivar kept: what there is
    """

    def __init__(self, name: str, key: str, plural: str, id_key: str) -> None:
        super().__init__()
        self.reference = references.REFERENCES[name]
        self.kept = clouds.Collection(key, plural)
        self.id_key = id_key
        self.collections[self.reference.path] = self.kept

    def _make(
        self, kept: clouds.Collection, body: typing.Any
    ) -> clouds.Answer:
        found = self.reference
        given = body
        if found.wrapper:
            if body.keys() != {found.wrapper}:
                return 400, {"message": f"no {found.wrapper}"}
            given = body[found.wrapper]
        wrong = (given.keys() - found.required - found.optional) | (
            found.required - given.keys()
        )
        if wrong:
            return 400, {"message": f"wrong: {sorted(wrong)}"}
        made = {**given, "id": _ID, self.id_key: _ID}
        kept.rows[_ID] = made
        return 201, kept.wrap(made)

    def _one(
        self,
        kept: clouds.Collection,
        identifier: str,
        method: str,
        body: typing.Any,
    ) -> clouds.Answer:
        if method not in ("PUT", "PATCH"):
            return super()._one(kept, identifier, method, body)
        if method != self.reference.change:
            return 405, {"message": method}
        if self.reference.is_plain:
            given = body
        elif method == "PATCH":
            given = {
                each["path"].removeprefix("/"): each.get("value")
                for each in body
            }
        else:
            given = body[self.reference.wrapper]
        wrong = given.keys() - self.reference.changeable
        if wrong:
            return 400, {"message": f"wrong: {sorted(wrong)}"}
        kept.rows[identifier].update(given)
        return 200, kept.wrap(kept.rows[identifier])


class ReferenceTest(clouds.CloudTestCase):
    def each(self) -> typing.Iterator[call_context.Context]:
        """Yield a context of each type, with all properties given."""
        for name in references.REFERENCES:
            with self.subTest(name):
                kind = type_data.load_type(name)
                self.kind = kind  # type: ignore[misc]
                table = kind.table
                self.service = FakeService(
                    name, table.key, table.plural, table.id_key
                )
                self.use(self.service)
                yield self.context(
                    **{
                        each.name: self.value(each, _ID)
                        for each in kind.properties
                    }
                )

    def value(self, declared: schema.Property, identifier: str) -> object:
        """Return a value of a property, as a template has it."""
        field = self.kind.table.fields[declared.name]
        if declared.name == "reservations":
            return [_RESERVATION]
        if field.refers_to is not None:
            is_list = declared.type is schema.Type.LIST
            return [identifier] if is_list else identifier
        samples: dict[schema.Type, object] = {
            schema.Type.BOOLEAN: True,
            schema.Type.INTEGER: 2,
            schema.Type.NUMBER: 2,
            schema.Type.LIST: [{"a": "b"}],
            schema.Type.MAP: {"a": "b"},
        }
        return samples.get(declared.type, f"text {declared.name}")

    def test_each_creation_is_one_that_the_reference_has(self) -> None:
        for context in self.each():
            found = self.plugin.create(context)

            self.assertEqual(_ID, found)

    def test_each_change_is_one_that_the_reference_has(self) -> None:
        for context in self.each():
            self.plugin.create(context)
            made = dataclasses.replace(context, physical_id=_ID)
            for declared in self.kind.properties:
                field = self.kind.table.fields[declared.name]
                if declared.on_update.name != "MODIFY" or not field.is_sent:
                    continue
                if field.is_create_only:
                    continue
                for value in (self.value(declared, _OTHER_ID), None):
                    after = dataclasses.replace(
                        made,
                        properties={
                            **made.properties,
                            declared.name: value,
                        },
                    )
                    self.cloud.requests.clear()

                    self.plugin.update(
                        after, made.properties, (declared.name,)
                    )

    def test_what_the_reference_lacks_is_refused_by_the_fake(self) -> None:
        for context in self.each():
            calls = self.plugin.api_collection(context)

            self.assertRaises(rest.CloudRefused, calls.make, {"colour": "red"})
