import testtools

from orch import clock
from orch import ids
from orch.engine.observer import repair as observer_repair
from orch.engine.observer import repair_policy
from orch.model import operation as operation_model
from orch.model import repair
from orch.model import states


def operation(**given: object) -> operation_model.Operation:
    return operation_model.Operation(
        **{
            "id": ids.OperationId("o"),
            "stack_id": ids.StackId("s"),
            "project_id": "p",
            "action": states.Action.UPDATE,
            "state": states.OperationState.COMPLETE,
            "created_at": clock.Timestamp(0),
            **given,
        }
    )


class BackoffTestCase(testtools.TestCase):
    def test_each_pause_is_twice_as_long_up_to_the_longest(self) -> None:
        policy = repair_policy.RepairPolicy(
            first_pause_s=300.0, max_pause_s=1000.0
        )

        self.assertEqual(
            [300.0, 600.0, 1000.0, 1000.0],
            [policy.pause_s(tries) for tries in (1, 2, 3, 4)],
        )
        self.assertEqual(1000.0, policy.pause_s(100_000))

    def test_an_operation_that_repairs_nothing_is_no_try(self) -> None:
        self.assertEqual(0, observer_repair.tries_of(operation()))
        self.assertEqual(
            2, observer_repair.tries_of(operation(options={repair.TRIES: 2}))
        )
