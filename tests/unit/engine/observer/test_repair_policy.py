"""When a thing that drifts again and again is left alone."""

from orch import clock
from orch import ids
from orch.engine.observer import acceptance
from orch.engine.observer import repair_policy
from orch.flow.state import drift_records
from orch.model import observation
from orch.model import operation
from orch.model import repair
from orch.model import states
from orch.planner import drift
from tests import base
from tests.support import nouns
from tests.unit.planner import test_drift

_LIMIT = repair_policy.RepairPolicy(max_repairs=3, window_s=100.0)
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
        found = repair_policy.repair_times(
            [update(1, "a"), update(2, "a", "kid/b"), update(3, "kid/b")]
        )

        self.assertEqual({"a": [1, 2], "kid/b": [2, 3]}, found)

    def test_one_that_failed_put_nothing_back(self) -> None:
        failed = update(2, "a", state=states.OperationState.FAILED)
        undone = update(3, "a", action=states.Action.ROLLBACK)

        found = repair_policy.repair_times([update(1, "a"), failed, undone])

        self.assertEqual({"a": [1]}, found)

    def test_a_change_of_somebody_begins_the_count_anew(self) -> None:
        found = repair_policy.repair_times(
            [update(1, "a"), update(2), update(3, "a")]
        )

        self.assertEqual({"a": [3]}, found)

    def test_a_check_does_not(self) -> None:
        check = update(2, action=states.Action.CHECK)

        found = repair_policy.repair_times(
            [update(1, "a"), check, update(3, "a")]
        )

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
        limit = repair_policy.RepairPolicy(max_repairs=0, window_s=100.0)

        self.assertFalse(limit.is_reached([], clock.Timestamp(0)))
        self.assertFalse(
            limit.is_reached([clock.Timestamp(0)], clock.Timestamp(1))
        )


class FindTest(base.TestCase):
    """The thing ``thing``, and what looks have seen of it."""

    def setUp(self) -> None:
        super().setUp()
        self.row = test_drift.row({"one": "a"})

    def observed(
        self, at: float, drifted_at: float | None
    ) -> drift_records.StackObservations:
        """Return what a look has seen, with drift known since then."""
        stack = nouns.make_stack()
        after = observation.Observation(
            root_id=stack.id,
            stack_id=stack.id,
            resource_id=self.row.id,
            state=observation.State.DRIFTED,
            observed_at=clock.Timestamp(at),
            drifted_at=(
                None if drifted_at is None else clock.Timestamp(drifted_at)
            ),
        )
        return drift_records.StackObservations(
            stack=stack,
            resources=(
                drift.ObservedResource(
                    row=self.row,
                    path=self.row.name,
                    before=None,
                    after=after,
                ),
            ),
        )

    def left(
        self, observed: drift_records.StackObservations, *repaired_at: float
    ) -> dict[ids.ResourceId, clock.Timestamp]:
        """Return what is left alone after repairs of the thing."""
        history = [update(each, "thing") for each in repaired_at]
        return _LIMIT.find_abandoned(
            lambda since: history, [observed], {self.row.id}
        )

    def test_a_denied_acceptance_is_reported_beside_abandoned_repairs(
        self,
    ) -> None:
        denied = acceptance.with_reason(
            self.observed(100, -1), {self.row.name}, "no"
        )

        found = _LIMIT.with_reasons(
            denied, self.left(self.observed(100, -1), 0, 10, 20)
        )

        self.assertEqual(
            ["Its drift is not accepted: no", _LIMIT.reason],
            [each.reason for each in found.given_up],
        )

    def test_without_a_look_in_between_it_counts_to_the_one_behind(
        self,
    ) -> None:
        seldom, often = (0, 80, 160), (0, 10, 20)

        self.assertEqual({}, self.left(self.observed(240, -1), *seldom))
        self.assertEqual({}, self.left(self.observed(101, -1), *often))
        self.assertEqual(
            {self.row.id: 100}, self.left(self.observed(100, -1), *often)
        )

    def test_what_is_left_alone_is_so_at_each_later_look(self) -> None:
        first = self.observed(100, -1)
        left = self.left(first, 0, 10, 20)

        told = _LIMIT.with_reasons(first, left)
        (known,) = told.observations

        self.assertEqual(
            (100, _LIMIT.reason), (known.drifted_at, known.reason)
        )
        self.assertEqual(
            {self.row.id: 100},
            self.left(self.observed(900, known.drifted_at), 0, 10, 20),
        )

    def test_drift_behind_the_last_repair_counts_from_its_first_look(
        self,
    ) -> None:
        self.assertEqual(
            {self.row.id: 90}, self.left(self.observed(900, 90), 0, 10, 20)
        )
        self.assertEqual({}, self.left(self.observed(900, 101), 0, 10, 20))

    def test_what_nobody_wants_repaired_is_not_told(self) -> None:
        history = [update(each, "thing") for each in (0, 10, 20)]

        found = _LIMIT.find_abandoned(
            lambda since: history, [self.observed(50, 40)], ()
        )

        self.assertEqual({}, found)

    def test_what_counts_is_not_older_than_the_window(self) -> None:
        looks = [self.observed(240, None), self.observed(240, 90)]
        asked: list[float] = []

        for found in (looks[:1], looks):
            _LIMIT.find_abandoned(
                lambda since: asked.append(since) or [], found, {self.row.id}
            )

        self.assertEqual([140, -10], asked)
