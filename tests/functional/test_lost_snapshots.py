"""Snapshots whose answer was lost, and which nobody completes: what the
plug-in stored goes with them all the same.
"""

from tests.functional import test_snapshots
from tests.support import rest


class LostSnapshotTests(test_snapshots.SnapshotsTestCase):
    """The thing ``b`` is stored, and nobody learns of it."""

    def lose(self) -> tuple[rest.Stack, dict[str, object]]:
        """Return a stack with a snapshot that failed so."""
        stack = self.create("old")
        self.fail("snapshot", "b", "after")
        begun = self.begin(stack, name="lost")
        self.client.wait(stack, "SNAPSHOT_FAILED")
        self.assertIn(
            "b",
            [
                each.name
                for each in self.world.stored_resources(str(begun["id"]))
            ],
        )
        return stack, begun

    def test_its_deletion_removes_what_was_stored(self) -> None:
        stack, begun = self.lose()

        self.remove(stack, begun)

        self.assertEqual([], self.listed(stack))
        self.assertEqual([], self.world.snapshots(self.name))

    def test_the_deletion_of_its_stack_removes_what_was_stored(self) -> None:
        stack, _ = self.lose()

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.world.snapshots(self.name))

    def test_it_stays_while_nobody_can_tell_what_was_stored(self) -> None:
        stack, begun = self.lose()
        self.fail("find_snapshot", "b")

        refused = self.refused(self.remove, stack, begun)
        left = [each["id"] for each in self.listed(stack)]
        self.remove(stack, begun)

        self.assertEqual((503, [begun["id"]]), (refused[0], left))
        self.assertEqual([], self.world.snapshots(self.name))

    def test_one_that_another_request_cut_short_is_removed(self) -> None:
        stack = self.create("old")
        self.world.order(self.name, "snapshot", "b", moment="after")
        begun = self.begin(stack, name="lost")
        self.wait_for_act("held-snapshot-after", "b")

        self.client.delete(stack)
        stored = [
            each.name for each in self.world.stored_resources(str(begun["id"]))
        ]
        self.fail("snapshot", "b", "after")
        self.world.release(self.name)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertIn("b", stored)
        self.assertEqual([], self.world.stored_resources(str(begun["id"])))
