"""Golden plans of operations that were told to leave something out."""

import dataclasses

from orch import ids
from orch.model import resource
from orch.model import retry_exclusions
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from tests import base
from tests.unit.planner import test_builder

FAILED = states.Status.FAILED
UPDATE = states.Action.UPDATE


def build(
    existing: list[resource.Resource],
    action: states.Action = UPDATE,
    desired: dict[str, test_builder.Declaration] | None = None,
    **exclusions: set[str],
) -> plan.Plan:
    given = {name: frozenset(value) for name, value in exclusions.items()}
    return builder.build_plan(
        draft.Situation(
            action=action,
            desired=desired or {},
            existing=existing,
            exclusions=retry_exclusions.RetryExclusions(**given),
            new_id=lambda: "new-row",
        )
    )


def replaced(
    row: resource.Resource, by: resource.Resource
) -> resource.Resource:
    return dataclasses.replace(
        row, id=ids.ResourceId("old-row"), replaced_by=by.id
    )


class SkipTest(base.TestCase):
    def test_what_is_skipped_is_not_made_and_nobody_waits_for_it(self) -> None:
        failed = test_builder.row("b", status=FAILED, physical_id=None)

        wanted = build(
            [failed],
            desired=test_builder.declare(a=(), b=("a",), c=("b",)),
            skip={"b"},
        )

        self.assertEqual(
            "skip b\ncreate a (is not there yet)\ncreate c (is not there yet)",
            wanted.describe(),
        )
        self.assertEqual((plan.OmittedRow("b", failed.id),), wanted.skipped)

    def test_what_is_skipped_is_not_removed(self) -> None:
        stuck = test_builder.row("b", states.Action.DELETE, FAILED)
        other = test_builder.row("c")

        wanted = build([stuck, other], skip={"b"})

        self.assertEqual("skip b\ndelete c (is not wanted)", wanted.describe())

    def test_a_skipped_replacement_gives_the_place_back(self) -> None:
        failed = test_builder.row("b", status=FAILED, physical_id=None)
        old = replaced(test_builder.row("b"), failed)

        wanted = build(
            [old, failed],
            desired=test_builder.declare(b=()),
            skip={"b"},
        )

        self.assertEqual("skip b\nreturn b", wanted.describe())
        self.assertEqual(
            (plan.Return("b", old.id, failed.id),), wanted.returns
        )

    def test_no_act_is_done_with_what_is_skipped(self) -> None:
        stuck = test_builder.row("b", states.Action.SUSPEND, FAILED)
        other = test_builder.row("c", requires=("b",))

        wanted = build([stuck, other], states.Action.SUSPEND, skip={"b"})

        self.assertEqual("skip b\nsuspend c (exists)", wanted.describe())
        self.assertEqual((), wanted.unchanged)


class OrphanTest(base.TestCase):
    def test_another_is_made_for_an_orphan_that_is_wanted(self) -> None:
        stuck = test_builder.row("b", UPDATE, FAILED)

        wanted = build(
            [stuck],
            desired=test_builder.declare(b=()),
            orphan={"b"},
            orphaned={stuck.id},
        )

        self.assertEqual(
            "orphan b\ncreate b (is not there yet)", wanted.describe()
        )
        self.assertEqual((plan.OmittedRow("b", stuck.id),), wanted.orphans)

    def test_what_is_made_in_its_place_is_no_orphan(self) -> None:
        stuck = test_builder.row("b", UPDATE, FAILED)
        gone = dataclasses.replace(
            stuck,
            action=states.Action.DELETE,
            status=states.Status.COMPLETE,
        )
        begun = test_builder.row(
            "b", status=states.Status.IN_PROGRESS, id=ids.ResourceId("next")
        )

        wanted = build(
            [gone, begun],
            desired=test_builder.declare(b=()),
            orphan={"b"},
            orphaned={stuck.id},
        )

        self.assertEqual("create b (was begun)", wanted.describe())

    def test_an_orphan_is_not_removed(self) -> None:
        stuck = test_builder.row("b", states.Action.DELETE, FAILED)
        below = test_builder.row("a")

        wanted = build(
            [below, stuck], states.Action.DELETE, orphaned={stuck.id}
        )

        self.assertEqual(
            "orphan b\ndelete a (is not wanted)", wanted.describe()
        )

    def test_what_an_orphan_replaced_and_still_fits_takes_its_place(
        self,
    ) -> None:
        stuck = test_builder.row("b", status=FAILED)
        old = replaced(test_builder.row("b"), stuck)

        wanted = build(
            [old, stuck],
            states.Action.ROLLBACK,
            test_builder.declare(b=()),
            orphaned={stuck.id},
        )

        self.assertEqual("orphan b\nreturn b", wanted.describe())
        self.assertEqual(("b",), wanted.unchanged)
