"""What the data of each type say, on a collection of its own."""

import collections.abc
import dataclasses
import json
import pathlib
import re
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import schema
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from tests.unit.resources.openstack import generated

_HERE: typing.Final = pathlib.Path(__file__).parent
_NOT_GENERATED: typing.Final[dict[str, dict[str, str]]] = json.loads(
    (_HERE / "not_generated.json").read_text(encoding="utf-8")
)
"""Types that need more of a service than one collection with what is sent:
what they need, and the module with tests of their own."""

_TYPES: typing.Final = sorted(
    type_data.load_types(lambda *_: None).keys() - _NOT_GENERATED.keys()
)


class GeneratedTypeTest(generated.GeneratedTestCase):
    def each(
        self,
        given: collections.abc.Callable[[], dict[str, object]] | None = None,
    ) -> collections.abc.Iterator[call_context.Context]:
        """Yield a created resource of each type.

        :param given: returns its properties; those that it needs by default
        """
        for name in _TYPES:
            with self.subTest(name):
                self.use_generated(name)
                yield self.made(**(given or self.required)())

    def changeable(
        self, rule: schema.OnUpdate
    ) -> collections.abc.Iterator[tuple[str, type_table.Field]]:
        """Yield the sent properties that a change treats so."""
        for each, field in self.fields():
            if not generated.is_plain(field):
                continue
            changed = {each.name: self.value(each.name, 1)}
            replaces = self.plugin.needs_replacement({}, changed, changed)
            if (schema.OnUpdate.REPLACE if replaces else each.on_update) is (
                rule
            ):
                yield each.name, field

    def test_each_other_type_has_tests_of_its_own(self) -> None:
        types = type_data.load_types(lambda *_: None)
        self.assertEqual(set(), _NOT_GENERATED.keys() - types.keys())
        texts = {
            name: (_HERE / words["tests"]).read_text(encoding="utf-8")
            for name, words in _NOT_GENERATED.items()
        }
        nouns = {name: name.rpartition("::")[2] for name in texts}

        # The module that all tests of servers share names that type.
        self.assertEqual(
            ["OS::Nova::Server"],
            [
                name
                for name, noun in nouns.items()
                if not re.search(rf'[":]{noun}"', texts[name])
            ],
        )

    def test_each_is_created_with_what_is_required(self) -> None:
        for context in self.each():
            for each, field in self.fields():
                if each.required and field.is_sent:
                    self.check_stored(context, each.name)

    def test_each_property_is_changed_seen_and_taken_away(self) -> None:
        for context in self.each():
            found = self.row(context)
            for name, field in self.changeable(schema.OnUpdate.MODIFY):
                before = context.properties
                after = self.changed(context, **{name: self.value(name, 1)})
                self.check_stored(after, name)
                if field.change_key or not field.is_read:
                    continue
                if before[name] is None and not field.is_named:
                    self.changed(context, **{name: None})
                    if not field.ignores_removal:
                        self.assertFalse(
                            wire.find_value(self.shown(found), field.key)
                        )

    def test_each_other_property_makes_another_resource(self) -> None:
        for context in self.each():
            if self.kind.table.is_quota:
                continue
            for name, field in self.changeable(schema.OnUpdate.REPLACE):
                if f"{{{name}}}" in self.kind.table.path:
                    continue
                if self.is_identified(context) and not self.is_id(field):
                    # Only one can have the id that the template gives.
                    continue
                made = self.make_another(
                    context, **{name: self.value(name, 1)}
                )
                self.check_stored(made, name)
                self.plugin.delete(made)
                self.assertIsNone(self.plugin.is_deleted(made))
                self.assertIsNone(self.plugin.check(context))

    def test_none_has_drifted_after_its_creation(self) -> None:
        for context in self.each(self.sent):
            live = self.plugin.get_reality(context) or {}
            for name in live.keys() & self.sent():
                self.assertTrue(
                    self.is_as_given(context, name, live),
                    (self.kind.type_name, name, live[name]),
                )

    def test_each_drift_is_seen_and_repaired(self) -> None:
        for context in self.each(self.sent):
            baseline = dict(self.plugin.get_reality(context) or {})
            for each, field in self.fields():
                name = each.name
                if name not in baseline or not generated.is_plain(field):
                    continue
                if self.value(name, 0) == self.value(name, 1):
                    continue
                what = (self.kind.type_name, name)
                former = self.drift(context, name)
                alike = sorted(
                    each
                    for each, other in self.kind.table.fields.items()
                    if other.key == field.key and each in baseline
                )
                self.assertEqual(
                    alike, self.differing(context, baseline), what
                )
                is_repaired = each.on_update is schema.OnUpdate.MODIFY
                if is_repaired and not field.change_key:
                    self.changed(context, **{name: context.properties[name]})
                    self.assertEqual(
                        [], self.differing(context, baseline), what
                    )
                wire.put_value(self.row(context), field.key, former)

    def test_each_is_observed_in_bulk_as_it_is_alone(self) -> None:
        for context in self.each(self.sent):
            if self.kind.table.is_quota:
                continue
            other = self.make_another(context)
            found = self.plugin.observe([context, other])
            if found is None:
                self.assertTrue(
                    "{" in self.kind.table.path or not self.kind.has_full_lists
                )
                continue
            self.assertEqual(
                [self.plugin.get_reality(each) for each in (context, other)],
                list(found),
                self.kind.type_name,
            )

    def test_each_is_adopted_by_its_id(self) -> None:
        for context in self.each():
            given = call_context.AdoptedResource(
                physical_id=context.physical_id, data={}, metadata={}
            )
            unknown = dataclasses.replace(context, physical_id=None)
            self.assertEqual(given, self.plugin.handle_adopt(unknown, given))
            self.assertEqual(
                [], self.cloud.find_requests("POST", "PUT", "PATCH", "DELETE")
            )
            missing = dataclasses.replace(given, physical_id="missing")
            self.assertRaises(
                rest.CloudNotFound, self.plugin.handle_adopt, unknown, missing
            )

    def test_each_waits_for_its_states(self) -> None:
        for context in self.each():
            status = self.kind.table.status
            if status is None:
                continue
            found = self.row(context)
            found[status.key] = status.pending[0]
            self.assertIsInstance(
                self.plugin.is_updated(context), call_context.Pending
            )
            found[status.key] = status.failed[0]
            self.assertRaises(cloud_errors.InError, self.plugin.check, context)

    def test_each_is_deleted_and_has_vanished_then(self) -> None:
        for context in self.each():
            self.plugin.delete(context)
            self.assertIsNone(self.plugin.is_deleted(context))
            self.plugin.delete(context)
            if self.kind.table.is_quota:
                continue
            self.assertRaises(
                reality.Vanished, self.plugin.get_reality, context
            )

    def test_what_a_lost_attempt_left_is_found_by_its_token(self) -> None:
        for context in self.each():
            if self.kind.table.token_key and not self.kind.table.host:
                found = self.find_lost(context)
                assert found is not None
                self.assertEqual(context.physical_id, found.physical_id)
