"""What a row requires, from the first call to the last."""

import testtools

from orch import clock
from orch import ids
from orch.flow.state import transitions
from orch.model import resource
from orch.model import states
from orch.planner import plan

NOW = clock.Timestamp(0.0)
A1, A2, B1 = (ids.ResourceId(each) for each in ("a1", "a2", "b1"))
TERMS = transitions.Terms(("a", "b"), (A2, B1), "Retain")


def row(**fields: object) -> resource.Resource:
    values: dict[str, object] = {
        "id": ids.ResourceId("c1"),
        "stack_id": ids.StackId("s"),
        "name": "c",
        "type_name": "A::B::C",
        "requires": ("a", "x"),
        "required_ids": (A1,),
        "created_at": NOW,
        "updated_at": NOW,
    }
    return resource.Resource(**{**values, **fields})


def change(kind: plan.Kind) -> plan.Change:
    return plan.Change(kind, "c", "A::B::C", ids.ResourceId("c1"), (), "")


def begun(kind: plan.Kind, of: resource.Resource) -> dict[str, object]:
    return transitions.begun_columns(
        change(kind), of, TERMS, transitions.Effects(), NOW
    )


class TermsTest(testtools.TestCase):
    def test_what_never_began_is_made_by_the_terms_of_now(self) -> None:
        columns = begun(plan.Kind.CREATE, row())

        self.assertEqual(("a", "b"), columns["requires"])
        self.assertEqual((A2, B1), columns["required_ids"])
        self.assertEqual("Retain", columns["deletion_policy"])

    def test_what_may_stand_requires_what_it_did_and_will(self) -> None:
        left = row(action=states.Action.CREATE, is_outcome_unknown=True)
        made = row(action=states.Action.CREATE, physical_id="thing")

        for columns in (
            begun(plan.Kind.CREATE, left),
            begun(plan.Kind.UPDATE, made),
        ):
            self.assertEqual(("a", "x", "b"), columns["requires"])
            self.assertEqual((A1, A2, B1), columns["required_ids"])

    def test_a_removal_changes_nothing_of_that(self) -> None:
        columns = begun(plan.Kind.DELETE, row(physical_id="thing"))

        self.assertNotIn("requires", columns)

    def test_an_update_that_is_complete_has_let_the_old_go(self) -> None:
        columns = transitions.completed_columns(
            change(plan.Kind.UPDATE), row(physical_id="t"), TERMS, {}, NOW
        )

        self.assertEqual((A2, B1), columns["required_ids"])

    def test_what_is_not_ours_keeps_its_policy(self) -> None:
        terms = transitions.Terms((), (), None)

        self.assertNotIn(
            "deletion_policy", transitions.settled_columns(row(), terms)
        )
