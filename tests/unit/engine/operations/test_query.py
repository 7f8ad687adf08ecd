"""When an operation should have ended."""

from orch import clock
from orch import ids
from orch.engine.operations import query
from orch.model import operation
from orch.model import states
from tests import base

State = states.OperationState
NOW = clock.Timestamp(1000.0)


def make(
    name: str,
    state: State = State.COMPLETE,
    started: float | None = 0.0,
    finished: float | None = None,
    action: states.Action = states.Action.UPDATE,
    **given: int,
) -> operation.Operation:
    return operation.Operation(
        id=ids.OperationId(name),
        stack_id=ids.StackId("s"),
        project_id="p",
        action=action,
        state=state,
        created_at=clock.Timestamp(0.0),
        started_at=None if started is None else clock.Timestamp(started),
        finished_at=None if finished is None else clock.Timestamp(finished),
        **given,
    )


def end(
    *earlier: tuple[operation.Operation, int], **given: object
) -> float | None:
    """Return when one of ten steps should end, begun at 990."""
    operation = make(
        "new",
        **{
            "state": State.RUNNING,
            "started": 990.0,
            "total": 10,
            **given,
        },
    )
    sizes = {each.id: {1: size} for each, size in earlier}
    history = query.OperationHistory(
        [each for each, _ in earlier], {**sizes, operation.id: {1: 10}}
    )
    return history.find_end(operation, NOW)


class ExpectationTests(base.TestCase):
    def test_the_time_of_an_earlier_one_by_its_steps(self) -> None:
        # 5 steps took 10 seconds, so 10 take 20.
        self.assertEqual(1010.0, end((make("old", finished=10.0), 5)))

    def test_the_median_of_the_last_five_counts(self) -> None:
        slow = [(make(f"a{n}", finished=999.0), 1) for n in range(4)]
        quick = [(make(f"b{n}", finished=2.0), 1) for n in range(5)]

        self.assertEqual(1010.0, end(*slow, *quick))

    def test_one_that_takes_longer_needs_time_for_what_is_left(self) -> None:
        old = make("old", finished=1.0), 2

        self.assertEqual(1002.0, end(old, done=6))

    def test_others_tell_nothing(self) -> None:
        for other in (
            make("old", finished=9.0, action=states.Action.CHECK),
            make("old", State.FAILED, finished=9.0),
            make("old", started=None),
        ):
            self.assertIsNone(end((other, 5)))
        self.assertIsNone(end((make("old", finished=9.0), 0)))
        self.assertIsNone(end())

    def test_what_is_not_under_way_has_no_end_to_come(self) -> None:
        old = make("old", finished=10.0), 5

        for state in (State.COMPLETE, State.FAILED):
            self.assertIsNone(end(old, state=state))

    def test_what_is_blocked_goes_on_when_it_is_tried_again(self) -> None:
        old = make("old", finished=1.0), 2
        blocked = {"state": State.BLOCKED, "done": 6}

        self.assertEqual(1032.0, end(old, next_try_at=1030.0, **blocked))
        self.assertEqual(1002.0, end(old, next_try_at=999.0, **blocked))
        self.assertIsNone(end(old, **blocked))
