"""Plans of adoptions, of what undoes them, and of abandonments."""

import dataclasses

import testtools

from orch import ids
from orch.model import resource
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from tests.unit.planner import test_builder

declare, row = test_builder.declare, test_builder.row
ADOPTING = ids.OperationId("adopting")


def to_adopt(name: str, **fields: object) -> resource.Resource:
    """Return the row of a thing whose adoption was accepted."""
    given = {
        "action": states.Action.INIT,
        "adopted_by": ADOPTING,
        "operation_id": ADOPTING,
        **fields,
    }
    return row(name, **given)


def adopted(name: str, **fields: object) -> resource.Resource:
    return to_adopt(name, action=states.Action.ADOPT, **fields)


def failed(name: str, **fields: object) -> resource.Resource:
    return adopted(name, status=states.Status.FAILED, **fields)


def planned(
    action: states.Action,
    desired: dict[str, test_builder.Declaration],
    *existing: resource.Resource,
    **more: object,
) -> list[tuple[str, str, str | None]]:
    """Return kind, name and adopted id of each change but the clean-up."""
    situation = draft.Situation(
        action=action,
        desired=desired,
        existing=existing,
        operation_id=ids.OperationId("o"),
        new_id=iter(f"new-{number}" for number in range(9)).__next__,
    )
    found = builder.build_plan(dataclasses.replace(situation, **more))
    return sorted(
        (each.kind.value, each.name, each.external_id)
        for each in found.changes
        if each.kind is not plan.Kind.CLEAN_UP
    )


class AdoptTests(testtools.TestCase):
    def test_what_has_an_id_is_adopted_under_its_row(self) -> None:
        found = planned(
            states.Action.ADOPT,
            declare(a=(), b=("a",)),
            to_adopt("a"),
            to_adopt("b"),
            needs_ids=True,
        )

        self.assertEqual(
            [("adopt", "a", "a-thing"), ("adopt", "b", "b-thing")], found
        )

    def test_what_has_none_is_adopted_in_vain_or_made(self) -> None:
        wanted = declare(a=())

        strict = planned(states.Action.ADOPT, wanted, needs_ids=True)
        mixed = planned(states.Action.ADOPT, wanted)

        self.assertEqual([("adopt", "a", None)], strict)
        self.assertEqual([("create", "a", None)], mixed)

    def test_a_retry_adopts_what_is_left(self) -> None:
        lost = row(
            "c",
            states.Action.ADOPT,
            states.Status.FAILED,
            physical_id=None,
        )

        found = planned(
            states.Action.ADOPT,
            declare(a=(), b=(), c=()),
            adopted("a"),
            failed("b"),
            lost,
            needs_ids=True,
        )

        self.assertEqual(
            [("adopt", "b", "b-thing"), ("adopt", "c", None)], found
        )

    def test_an_update_goes_on_and_makes_what_lacks_an_id(self) -> None:
        lost = row(
            "c",
            states.Action.ADOPT,
            states.Status.FAILED,
            physical_id=None,
        )

        found = planned(
            states.Action.UPDATE,
            declare(b=(), c=()),
            failed("b"),
            lost,
        )

        self.assertEqual(
            [("adopt", "b", "b-thing"), ("create", "c", None)], found
        )

    def test_a_stack_in_it_is_adopted_without_an_id(self) -> None:
        found = planned(
            states.Action.UPDATE, declare(a=()), adopts=frozenset({"a"})
        )

        self.assertEqual([("adopt", "a", None)], found)


class ReleaseTests(testtools.TestCase):
    def test_what_was_not_taken_over_stands(self) -> None:
        found = planned(
            states.Action.DELETE,
            {},
            to_adopt("a"),
            failed("b"),
            adopted("c", status=states.Status.IN_PROGRESS),
            adopted("d"),
        )

        self.assertEqual(
            [
                ("delete", "d", None),
                ("retain", "a", None),
                ("retain", "b", None),
                ("retain", "c", None),
            ],
            found,
        )

    def test_a_takeover_lets_go_as_well(self) -> None:
        going = to_adopt(
            "a",
            action=states.Action.DELETE,
            status=states.Status.IN_PROGRESS,
            deletion_policy="Retain",
        )

        found = planned(states.Action.DELETE, {}, going)

        self.assertEqual([("retain", "a", None)], found)

    def test_another_type_makes_a_thing_and_lets_the_old_one_stand(
        self,
    ) -> None:
        other = dataclasses.replace(
            declare(a=())["a"], type_name="X::Y", declared_type="X::Y"
        )

        found = planned(states.Action.UPDATE, {"a": other}, failed("a"))

        self.assertEqual([("create", "a", None), ("retain", "a", None)], found)

    def test_going_back_lets_go_of_what_was_taken_over_alone(self) -> None:
        found = planned(
            states.Action.ROLLBACK,
            {},
            adopted("a"),
            row("made"),
            adopted("before", adopted_by=ids.OperationId("earlier")),
            releases=ADOPTING,
        )

        self.assertEqual(
            [
                ("delete", "before", None),
                ("delete", "made", None),
                ("retain", "a", None),
            ],
            found,
        )

    def test_abandoned_all_is_retained_without_a_snapshot(self) -> None:
        kept = row("a", deletion_policy="Snapshot")

        found = planned(
            states.Action.DELETE,
            {},
            kept,
            row("b"),
            abandons=True,
            snapshots=("snapshot",),
        )

        self.assertEqual([("retain", "a", None), ("retain", "b", None)], found)
