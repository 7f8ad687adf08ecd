"""Types that are data alone, each on a collection of its own."""

import re
import typing

from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import schema
from orch.resources.openstack import association
from orch.resources.openstack import base
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import tokens
from orch.resources.openstack import type_data
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from tests.unit.resources.openstack import clouds


def _is_plain(kind: type[type_data.Kind]) -> bool:
    """Whether the type has no code, and resources of its own."""
    table = kind.table
    has_code = kind.__module__ not in (base.__name__, association.__name__)
    return (
        not has_code
        and not table.is_only
        and (table.is_quota or not table.host)
    )


_TYPES: typing.Final = sorted(
    name
    for name, declared in type_data.load_types(lambda *_: None).items()
    if _is_plain(declared.load())
)
_SAMPLES: typing.Final[dict[str, object]] = {
    "action": "REJECT",
    "address": "10.0.0.7",
    "availability_zone_data": '{"compute_zone": "nova"}',
    "compare_type": "EQUAL_TO",
    "flavor_data": '{"loadbalancer_topology": "SINGLE"}',
    "lb_algorithm": "ROUND_ROBIN",
    "project": "5d4b3a1e00004000800000000000000b",
    "protocol": "HTTP",
}
"""Values of properties, by name; of others by their type."""
_IN_BRACES: typing.Final = re.compile(r"\{\w+\}")
_ID: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"
_OTHERS: typing.Final[dict[str, tuple[object, object]]] = {
    "boolean": (True, False),
    "integer": (2, 3),
    "number": (2, 3),
    "list": (["10.0.0.0/8"], ["10.1.0.0/16"]),
    "map": ({"type": "SOURCE_IP"}, {"type": "HTTP_COOKIE"}),
    "lifetime": (
        {"units": "seconds", "value": 3600},
        {"units": "seconds", "value": 60},
    ),
}
"""Two values of properties by type, or by name."""


class Service(clouds.Cloud):
    """Collections of one type, wherever their path leads."""

    def __init__(self, kind: type[typing.Any]) -> None:
        super().__init__()
        table = kind.table
        self.path = _IN_BRACES.sub(_ID, table.path)
        self.kept = clouds.Collection(table.key, table.plural)
        if table.status is not None:
            self.kept.defaults[table.status.key] = "ACTIVE"
        self.collections[self.path] = self.kept
        if table.list_path:
            self.collections[table.list_path] = self.kept
        self.id_key = table.id_key
        self.is_quota = table.is_quota

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
        status, made = super()._make(kept, body)
        assert isinstance(made, dict)
        if self.id_key != "id":
            found = kept.rows.pop(kept.unwrap(made)["id"])
            found.setdefault(self.id_key, found["id"])
            made = kept.wrap(found)
            kept.rows[found[self.id_key]] = found
        return status, made


class PlainTypeTest(clouds.CloudTestCase):
    """What the data of each type say, on collections of its own."""

    def each(
        self,
    ) -> typing.Iterator[tuple[call_context.Context, clouds.Body]]:
        """Yield a created resource of each type, as its service has it."""
        for name in _TYPES:
            with self.subTest(name):
                self.kind = type_data.load_type(name)  # type: ignore[misc]
                cloud = Service(self.kind)
                if self.kind.table.is_quota:
                    project = _SAMPLES["project"]
                    cloud.kept.rows[str(project)] = {"id": project}
                self.use(cloud)
                given = {
                    each.name: self.value(each.name, 0)
                    for each in self.kind.properties
                    if each.required or isinstance(each.default, str)
                }
                context = self.made(**given)
                yield context, cloud.kept.rows[str(context.physical_id)]

    def fields(
        self,
    ) -> typing.Iterator[tuple[schema.Property, type_table.Field]]:
        """Yield the properties of the type, each with its words."""
        for each in self.kind.properties:
            if each.name in self.kind.table.fields:
                yield each, self.kind.table.fields[each.name]

    def value(self, name: str, number: int) -> object:
        """Return a value of a property; another one for another number."""
        found = self.kind.table.fields[name]
        (declared,) = (e for e in self.kind.properties if e.name == name)
        if name in _SAMPLES and not number:
            return _SAMPLES[name]
        if found.refers_to is not None:
            return _ID if not number else _ID.replace("a", "b")
        if name == "external_gateway_info":
            return {"enable_snat": bool(number)}
        texts = (f"{name}-0", f"{name}-1")
        alike = _OTHERS.get(declared.type.value, texts)
        return _OTHERS.get(name, alike)[number]

    def shown(self, found: wire.Body) -> wire.Body:
        """Return a resource without its token."""
        return tokens.without_token(found, self.kind.table.token_key)

    def test_each_is_created_with_what_is_required(self) -> None:
        for context, found in self.each():
            for each, field in self.fields():
                if each.required and field.is_sent:
                    self.assertEqual(
                        context.properties[each.name],
                        wire.find_value(found, field.key),
                    )

    def test_each_property_is_changed_seen_and_taken_away(self) -> None:
        for context, found in self.each():
            for each, field in self.fields():
                if not (each.on_update.name == "MODIFY" and field.is_sent):
                    continue
                before = context.properties
                after = self.changed(
                    context, **{each.name: self.value(each.name, 1)}
                )
                self.assertEqual(
                    self.value(each.name, 1),
                    self.shown(found)[field.change_key or field.key],
                    (self.kind.type_name, each.name),
                )
                if field.change_key or not field.is_read:
                    continue
                live = self.plugin.get_reality(after) or {}
                self.assertEqual(
                    self.plugin.normalise(each.name, live[each.name]),
                    self.plugin.normalise(
                        each.name, after.properties[each.name]
                    ),
                    (self.kind.type_name, each.name),
                )
                if before[each.name] is None and not field.is_named:
                    self.changed(context, **{each.name: None})
                    if not field.ignores_removal:
                        self.assertFalse(self.shown(found).get(field.key))

    def test_each_waits_for_its_states(self) -> None:
        for context, found in self.each():
            status = self.kind.table.status
            if status is None:
                continue
            found[status.key] = status.pending[0]
            self.assertIsInstance(
                self.plugin.is_updated(context), call_context.Pending
            )
            found[status.key] = status.failed[0]
            self.assertRaises(cloud_errors.InError, self.plugin.check, context)

    def test_each_is_deleted_and_has_vanished_then(self) -> None:
        for context, _ in self.each():
            self.plugin.delete(context)
            self.assertIsNone(self.plugin.is_deleted(context))
            self.plugin.delete(context)
            if self.kind.table.is_quota:
                continue
            self.assertRaises(
                reality.Vanished, self.plugin.get_reality, context
            )

    def test_what_a_lost_attempt_left_is_found_by_its_token(self) -> None:
        for context, _ in self.each():
            if self.kind.table.token_key and not self.kind.table.host:
                self.assertEqual(
                    context.physical_id, self.plugin.find(context)
                )
