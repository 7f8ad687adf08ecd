"""Snapshots before removals, and the removal of a stack's snapshots."""

import dataclasses

import testtools

from orch import ids
from orch.model import resource
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from tests.unit.planner import test_order

OPERATION = ids.OperationId("operation")


def with_snapshot(
    name: str, *needed: str, **more: object
) -> resource.Resource:
    """Return a resource that is stored before it is removed."""
    row = test_order.row(name, 1, *needed)
    return dataclasses.replace(
        row,
        status=states.Status.COMPLETE,
        deletion_policy="Snapshot",
        **more,  # type: ignore[arg-type]
    )


def steps(
    *rows: resource.Resource,
    action: states.Action = states.Action.DELETE,
    snapshots: tuple[str, ...] = (),
) -> list[str]:
    """Return what happens when all are removed, in order."""
    wanted = builder.build_plan(
        draft.Situation(
            action=action,
            desired={},
            existing=list(rows),
            operation_id=OPERATION,
            snapshots=snapshots,
        )
    )
    return [f"{each.kind.value} {each.name}" for each in wanted.changes]


class StoredSnapshotTest(testtools.TestCase):
    def test_a_snapshot_waits_for_what_the_removal_waits_for(self) -> None:
        self.assertEqual(
            ["delete b", "keep a", "delete a"],
            steps(with_snapshot("a"), test_order.row("b", 1, "a1")),
        )

    def test_it_waits_for_a_removal_that_failed_before(self) -> None:
        failed = dataclasses.replace(
            test_order.row("b", 1, "a1", action=states.Action.DELETE),
            status=states.Status.FAILED,
        )

        self.assertEqual(
            ["delete b", "keep a", "delete a"],
            steps(with_snapshot("a"), failed),
        )

    def test_a_removal_that_has_begun_had_its_snapshot(self) -> None:
        row = with_snapshot("a", action=states.Action.DELETE)

        for status in (states.Status.IN_PROGRESS, states.Status.FAILED):
            begun = dataclasses.replace(row, status=status)
            self.assertEqual(["delete a"], steps(begun))

    def test_a_snapshot_of_this_operation_is_not_taken_again(self) -> None:
        row = with_snapshot(
            "a", action=states.Action.SNAPSHOT, operation_id=OPERATION
        )
        failed = dataclasses.replace(row, status=states.Status.FAILED)
        other = dataclasses.replace(
            row, operation_id=ids.OperationId("an earlier one")
        )

        self.assertEqual(["delete a"], steps(row))
        for each in (failed, other):
            self.assertEqual(["keep a", "delete a"], steps(each))

    def test_what_was_never_made_is_not_stored(self) -> None:
        for row in (
            dataclasses.replace(
                with_snapshot("a"), status=states.Status.FAILED
            ),
            with_snapshot("a", physical_id=None),
        ):
            self.assertEqual(["delete a"], steps(row))

    def test_what_a_check_found_unwell_is_stored_too(self) -> None:
        row = with_snapshot("a", action=states.Action.CHECK)
        row = dataclasses.replace(row, status=states.Status.FAILED)

        self.assertEqual(["keep a", "delete a"], steps(row))

    def test_what_is_retained_is_not_stored(self) -> None:
        row = dataclasses.replace(with_snapshot("a"), deletion_policy="Retain")

        self.assertEqual(["retain a"], steps(row))


class ForgetTest(testtools.TestCase):
    def test_all_snapshots_go_with_the_stack(self) -> None:
        self.assertEqual(
            {"delete a", "forget s1", "forget s2"},
            set(steps(test_order.row("a", 1), snapshots=("s1", "s2"))),
        )

    def test_nothing_waits_for_them(self) -> None:
        wanted = builder.build_plan(
            draft.Situation(
                action=states.Action.DELETE,
                desired={},
                existing=[test_order.row("a", 1)],
                snapshots=("s1",),
            )
        )

        self.assertEqual({()}, {each.requires for each in wanted.changes})

    def test_they_stay_while_the_stack_stays(self) -> None:
        self.assertEqual(
            [f"{plan.Kind.DELETE.value} a"],
            steps(
                test_order.row("a", 1),
                action=states.Action.ROLLBACK,
                snapshots=("s1",),
            ),
        )
