"""Whether two plans are the same but for ids that are made anew."""

from orch import clock
from orch import ids
from orch.engine.execution import saved_plan
from orch.model import resource
from orch.planner import plan
from tests import base

NOW = clock.Timestamp(0.0)
OLD = resource.Resource(
    id=ids.ResourceId("old"),
    stack_id=ids.StackId("s"),
    name="a",
    type_name="A::B",
    created_at=NOW,
    updated_at=NOW,
)


def change(
    kind: plan.Kind, resource_id: str, *requires: str, **given: object
) -> plan.Change:
    values = {
        "name": "a",
        "type_name": "A::B",
        "reason": "",
        "requires": requires,
        **given,
    }
    return plan.Change(
        kind=kind, resource_id=ids.ResourceId(resource_id), **values
    )


def replacing(new_id: str, **given: object) -> plan.Plan:
    made = change(
        plan.Kind.CREATE, new_id, replaces=ids.ResourceId("old"), **given
    )
    return plan.Plan(
        (made, change(plan.Kind.DELETE, "old", made.key)), unchanged=("b",)
    )


class SignatureTests(base.TestCase):
    def sign(self, wanted: plan.Plan) -> saved_plan.Lines:
        return saved_plan.plan_signature(wanted, [OLD])

    def test_ids_that_are_made_anew_do_not_count(self) -> None:
        self.assertEqual(
            self.sign(replacing("new-1")), self.sign(replacing("new-2"))
        )

    def test_what_a_plan_does_counts(self) -> None:
        usual = replacing("new-1")
        made, removed = usual.changes

        for other in (
            plan.Plan((made,), unchanged=("b",)),
            plan.Plan(usual.changes),
            plan.Plan((removed, made), unchanged=("b",)),
            replacing("old"),
            replacing("new-1", type_name="A::C"),
            replacing("new-1", changed=("x",)),
            replacing("new-1", is_certain=False),
            replacing("new-1", external_id="x"),
            replacing("new-1", preserves_properties=True),
            plan.Plan(
                usual.changes,
                unchanged=("b",),
                orphans=(plan.OmittedRow("a", OLD.id),),
            ),
            plan.Plan(
                usual.changes,
                unchanged=("b",),
                skipped=(plan.OmittedRow("a", OLD.id),),
            ),
            plan.Plan(
                usual.changes,
                unchanged=("b",),
                returns=(plan.Return("a", OLD.id, OLD.id),),
            ),
        ):
            self.assertNotEqual(self.sign(usual), self.sign(other), other)
