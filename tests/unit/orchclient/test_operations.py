from orchclient import errors
from orchclient import models
from orchclient import operations
from tests import base
from tests.unit.orchclient import answering


class OperationTests(base.TestCase):
    STACK = models.StackIdentity("shop", "id-1")

    def of(self, **more: object) -> operations.Operation:
        body = answering.operation("RUNNING", **more)
        return operations.Operation.of(body, self.STACK)

    def test_steps_that_are_not_told_are_not_none_at_all(self) -> None:
        self.assertIsNone(self.of().steps)
        self.assertEqual((), self.of(steps=[]).steps)

    def test_it_is_over_in_each_end(self) -> None:
        ends = {
            state: operations.Operation.of(
                answering.operation(state), self.STACK
            ).is_over
            for state in (
                *("WAITING", "RUNNING", "BLOCKED"),
                *("COMPLETE", "FAILED", "SUPERSEDED"),
            )
        }

        self.assertEqual(
            ["COMPLETE", "FAILED", "SUPERSEDED"],
            [state for state, is_over in ends.items() if is_over],
        )

    def test_a_time_that_is_none_is_an_error_of_ours(self) -> None:
        self.assertRaises(errors.AnswerError, self.of, started_at="soon")

    def test_a_failure_keeps_dots_in_names(self) -> None:
        told = answering.failure("no", "front", "web.example.org")

        found = self.of(failed_resources=[told]).failures

        assert found is not None
        self.assertEqual(("front", "web.example.org"), found[0].path)

    def test_failures_that_are_not_told_are_not_none_at_all(self) -> None:
        self.assertIsNone(self.of().failures)
        self.assertEqual((), self.of(failed_resources=[]).failures)
