"""When a thing that drifts again and again is left alone."""

from orch import clock
from orch import ids
from orch.engine.observation import giving_up
from orch.model import operation
from orch.model import repair
from orch.model import states
from tests import base

_LIMIT = giving_up.Limit(most=3, window_s=100.0)
_COMPLETE = states.OperationState.COMPLETE


def update(
    at: float,
    *paths: str,
    state: states.OperationState = _COMPLETE,
    action: states.Action = states.Action.UPDATE,
) -> operation.Operation:
    """Return an update; one that repairs things where paths are given."""
    options = {repair.TRIES: 1, repair.PATHS: list(paths)} if paths else {}
    return operation.Operation(
        id=ids.OperationId(f"o-{at}"),
        stack_id=ids.StackId("s"),
        project_id="p",
        action=action,
        state=state,
        created_at=clock.Timestamp(at),
        options=options,
    )


class RepairedTest(base.TestCase):
    def test_repairs_are_counted_by_the_thing_that_they_were_of(self) -> None:
        found = giving_up.repaired(
            [update(1, "a"), update(2, "a", "kid/b"), update(3, "kid/b")]
        )

        self.assertEqual({"a": [1, 2], "kid/b": [2, 3]}, found)

    def test_one_that_failed_put_nothing_back(self) -> None:
        failed = update(2, "a", state=states.OperationState.FAILED)
        undone = update(3, "a", action=states.Action.ROLLBACK)

        found = giving_up.repaired([update(1, "a"), failed, undone])

        self.assertEqual({"a": [1]}, found)

    def test_a_change_of_somebody_begins_the_count_anew(self) -> None:
        found = giving_up.repaired([update(1, "a"), update(2), update(3, "a")])

        self.assertEqual({"a": [3]}, found)

    def test_a_check_does_not(self) -> None:
        check = update(2, action=states.Action.CHECK)

        found = giving_up.repaired([update(1, "a"), check, update(3, "a")])

        self.assertEqual({"a": [1, 3]}, found)


class LimitTest(base.TestCase):
    def reached(self, *at: float, drifted_at: float) -> bool:
        return _LIMIT.is_reached(
            [clock.Timestamp(each) for each in at],
            clock.Timestamp(drifted_at),
        )

    def test_so_many_repairs_within_the_window_are_enough(self) -> None:
        self.assertTrue(self.reached(0, 10, 20, drifted_at=100))
        self.assertFalse(self.reached(0, 10, drifted_at=20))

    def test_those_that_took_longer_are_not(self) -> None:
        self.assertFalse(self.reached(0, 10, 20, drifted_at=101))

    def test_only_the_last_ones_count(self) -> None:
        self.assertTrue(self.reached(0, 200, 210, 220, drifted_at=300))
        self.assertFalse(self.reached(0, 1, 2, 220, drifted_at=300))

    def test_nought_is_never_reached(self) -> None:
        limit = giving_up.Limit(most=0, window_s=100.0)

        self.assertFalse(limit.is_reached([], clock.Timestamp(0)))
        self.assertFalse(
            limit.is_reached([clock.Timestamp(0)], clock.Timestamp(1))
        )
