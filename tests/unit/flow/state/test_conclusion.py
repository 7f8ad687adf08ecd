import collections.abc

from orch import clock
from orch import ids
from orch.events import recorder
from orch.flow.state import conclusion
from orch.model import operation
from orch.model import states
from tests import base
from tests.support import scraped

COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED
SUPERSEDED = states.OperationState.SUPERSEDED
Outcome = conclusion.RunOutcome
Halt = operation.StopReason


def _operation() -> operation.Operation:
    return operation.Operation(
        id=ids.OperationId("o"),
        stack_id=ids.StackId("s"),
        project_id="demo",
        action=states.Action.UPDATE,
        state=states.OperationState.RUNNING,
        created_at=clock.Timestamp(90.0),
        started_at=clock.Timestamp(100.0),
    )


def _ending(state: states.OperationState) -> conclusion.Conclusion:
    return conclusion.Conclusion(
        stack_columns={},
        operation_columns={
            "state": state,
            "finished_at": clock.Timestamp(160.0),
        },
        facts=recorder.Facts((), ()),
    )


class EndTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.counted = self.useFixture(scraped.Counting())

    def ended(self) -> collections.abc.Mapping[tuple[str, ...], float]:
        return self.counted.all_of(
            "orch_operations_ended_total", "action", "outcome"
        )

    def test_what_became_of_it_is_in_what_was_written(self) -> None:
        cases = (
            (COMPLETE, Outcome.COMPLETE, None, "complete"),
            (COMPLETE, Outcome.COMPLETE, Halt.CANCELLED, "complete"),
            (FAILED, Outcome.FAILED, None, "failed"),
            # A post-op has failed.
            (FAILED, Outcome.COMPLETE, None, "failed"),
            (FAILED, Outcome.TIMED_OUT, None, "timed_out"),
            (FAILED, Outcome.CANCELLED, None, "cancelled"),
            # Somebody asked for it at the last moment.
            (FAILED, Outcome.FAILED, Halt.CANCELLED, "cancelled"),
            (SUPERSEDED, Outcome.FAILED, Halt.SUPERSEDED, "superseded"),
        )
        for state, outcome, stop_reason, wanted in cases:
            before = self.ended().get(("UPDATE", wanted), 0.0)
            conclusion.count_end(
                _operation(), outcome, stop_reason, _ending(state)
            )

            self.assertEqual(before + 1, self.ended()["UPDATE", wanted])
        self.assertEqual(len(cases), sum(self.ended().values()))

    def test_it_took_from_its_first_worker_to_its_end(self) -> None:
        conclusion.count_end(
            _operation(), Outcome.COMPLETE, None, _ending(COMPLETE)
        )

        self.assertEqual(
            {("UPDATE", "complete"): 60.0},
            self.counted.all_of(
                "orch_operation_duration_seconds_sum", "action", "outcome"
            ),
        )
