"""Plans over creations whose outcome is unknown, or was answered."""

import collections.abc
import types
import typing

from oslo_config import cfg

from orch import clock
from orch import ids
from orch.model import resource as model_resource
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from orch.plugin import resource
from orch.plugin import schema
from orch.template.resources import declaration
from tests import base

NOW = clock.Timestamp(0.0)
TYPE: typing.Final = "A::B::Sought"
Values = collections.abc.Mapping[str, object]


class Sought(resource.Resource):
    """A type that is looked for by one of its properties."""

    type_name = TYPE
    properties = (
        schema.Property("by", schema.Type.STRING),
        schema.Property(
            "size", schema.Type.INTEGER, on_update=schema.OnUpdate.MODIFY
        ),
        schema.Property("kind", schema.Type.STRING),
    )

    def lookup_properties(self, before: Values, after: Values) -> Values:
        return {**before, "by": after.get("by")}


PLUGIN = Sought(cfg.ConfigOpts())


class UnknownTest(base.TestCase):
    def planned(
        self, after: Values | None, **fields: object
    ) -> list[plan.Change]:
        """Return what an update does with a creation that failed.

        :param after: desired properties; ``None`` where it is not declared
        """
        given: dict[str, typing.Any] = {
            "id": ids.ResourceId("old"),
            "stack_id": ids.StackId("s"),
            "name": "a",
            "type_name": TYPE,
            "action": states.Action.CREATE,
            "status": states.Status.FAILED,
            "is_outcome_unknown": True,
            "properties": {"by": "name"},
            "created_at": NOW,
            "updated_at": NOW,
            **fields,
        }
        declared = declaration.Declaration(
            name="a", type_name=TYPE, declared_type=TYPE
        )
        known = types.SimpleNamespace(
            plugin=lambda name: PLUGIN,
            properties=lambda name, seen: after,
            metadata=lambda name, seen: {},
            attributes_read=lambda name: (),
            reference_id=lambda row: row.physical_id,
        )
        found = builder.build_plan(
            draft.Situation(
                action=states.Action.UPDATE,
                desired={} if after is None else {"a": declared},
                existing=(model_resource.Resource(**given),),
                known=typing.cast("typing.Any", known),
                new_id=lambda: "new",
            )
        )
        return list(found.changes)

    def test_a_new_way_to_look_is_no_reason_to_replace_it(self) -> None:
        (change,) = self.planned({"by": "tag"})

        self.assertEqual((plan.Kind.CREATE, "old"), _what(change))
        self.assertTrue(change.is_outcome_unknown)
        self.assertIn("looked for first", change.reason)

    def test_what_is_found_is_changed_afterwards(self) -> None:
        first, second = self.planned({"by": "tag", "size": 1})

        self.assertEqual((plan.Kind.CREATE, "old"), _what(first))
        self.assertEqual((plan.Kind.UPDATE, "old"), _what(second))
        self.assertEqual(("size",), second.changed)

    def test_what_has_to_be_replaced_is_looked_for_and_removed(self) -> None:
        first, second = self.planned({"by": "tag", "kind": "other"})

        self.assertEqual((plan.Kind.DELETE, "old"), _what(first))
        self.assertIn("looked for first", first.reason)
        self.assertEqual((plan.Kind.CREATE, "new"), _what(second))
        self.assertIn(first.key, second.requires)

    def test_what_is_not_declared_is_looked_for_and_removed(self) -> None:
        (change,) = self.planned(None)

        self.assertEqual((plan.Kind.DELETE, "old"), _what(change))
        self.assertIn("looked for first", change.reason)

    def test_an_answer_is_gone_on_with(self) -> None:
        (change,) = self.planned({"by": "name"}, physical_id="thing")

        self.assertEqual((plan.Kind.CREATE, "old"), _what(change))
        self.assertIn("was said to be thing", change.reason)

    def test_what_was_not_made_is_made_as_it_is_desired_now(self) -> None:
        (change,) = self.planned(
            {"by": "name", "kind": "other"}, is_outcome_unknown=False
        )

        self.assertEqual((plan.Kind.CREATE, "old"), _what(change))
        self.assertFalse(change.preserves_properties)

    def test_a_check_without_an_answer_is_something_else(self) -> None:
        changes = self.planned(
            {"by": "tag"}, action=states.Action.CHECK, physical_id="thing"
        )

        self.assertIn((plan.Kind.CREATE, "new"), map(_what, changes))


def _what(change: plan.Change) -> tuple[plan.Kind, str]:
    return change.kind, change.resource_id
