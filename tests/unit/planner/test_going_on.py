"""What failed and is gone on with, where others are made anew."""

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
from orch.template.resources import declaration
from tests import base

NOW = clock.Timestamp(0.0)


class Plain(resource.Resource):
    type_name = "A::B::Plain"


class Lasting(resource.Resource):
    type_name = "A::B::Lasting"
    resumes_creation = True


PLUGINS = {kind.type_name: kind(cfg.ConfigOpts()) for kind in (Plain, Lasting)}
KNOWN = types.SimpleNamespace(
    plugin=PLUGINS.__getitem__,
    properties=lambda name, seen: {},
    metadata=lambda name, seen: {},
    attributes_read=lambda name: (),
    reference_id=lambda row: row.physical_id,
)


class GoingOnTest(base.TestCase):
    def planned(
        self, type_name: str, **fields: object
    ) -> list[tuple[plan.Kind, bool]]:
        """Return what an update does, and whether to what stands."""
        given: dict[str, typing.Any] = {
            "id": ids.ResourceId("old"),
            "stack_id": ids.StackId("s"),
            "name": "a",
            "type_name": type_name,
            "physical_id": "thing",
            "created_at": NOW,
            "updated_at": NOW,
            **fields,
        }
        found = builder.build_plan(
            draft.Situation(
                action=states.Action.UPDATE,
                desired={
                    "a": declaration.Declaration(
                        name="a", type_name=type_name, declared_type=type_name
                    )
                },
                existing=(model_resource.Resource(**given),),
                known=typing.cast("typing.Any", KNOWN),
            )
        )
        return [
            (each.kind, each.resource_id == "old") for each in found.changes
        ]

    def test_a_creation_that_failed_goes_on(self) -> None:
        failed = {
            "action": states.Action.CREATE,
            "status": states.Status.FAILED,
        }

        self.assertEqual(
            [(plan.Kind.CREATE, True)], self.planned("A::B::Lasting", **failed)
        )
        self.assertEqual(
            [(plan.Kind.CREATE, True)], self.planned("A::B::Plain", **failed)
        )

    def test_so_is_what_a_check_found_fault_with(self) -> None:
        failed = {
            "action": states.Action.CHECK,
            "status": states.Status.FAILED,
        }

        self.assertEqual(
            [(plan.Kind.UPDATE, True)], self.planned("A::B::Lasting", **failed)
        )
        self.assertIn(
            (plan.Kind.CREATE, False), self.planned("A::B::Plain", **failed)
        )
