from orchclient import errors
from orchclient import models
from orchclient import operation_errors
from orchclient import operations
from orchclient import waiters
from tests import base
from tests.unit.orchclient import answering

Answer = answering.Answer

_STACK = models.StackIdentity("shop", answering.STACK_ID, "demo")
_ALL = f"GET {answering.STACK}/operations"
_ONE = f"{_ALL}/op-1"


def listed(*found: answering.Json) -> Answer:
    return Answer({"operations": list(found)})


def shown(state: str, **more: object) -> Answer:
    return Answer({"operation": answering.operation(state, **more)})


def failed(*failures: answering.Json, **more: object) -> answering.Json:
    return answering.operation(
        "FAILED", failed_resources=list(failures), **more
    )


class WaitersTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = answering.Service()
        self.clock = answering.Clock()
        self.waiters = waiters.Waiters(
            answering.sender(self.service), self.clock
        )


class WaitTests(WaitersTestCase):
    def test_changes_are_given_up_to_the_end(self) -> None:
        self.service.lay(
            _ONE,
            shown("WAITING"),
            shown("RUNNING"),
            shown("RUNNING"),
            shown("RUNNING", done=1),
            shown("COMPLETE", done=2),
        )

        found = list(self.waiters.watch(_STACK, "op-1", interval_s=2))

        self.assertEqual(
            [("WAITING", 0), ("RUNNING", 0), ("RUNNING", 1), ("COMPLETE", 2)],
            [(each.state, each.done) for each in found],
        )
        self.assertEqual([2.0] * 4, self.clock.slept)

    def test_the_newest_is_waited_for_unless_told_otherwise(self) -> None:
        old = answering.operation("COMPLETE", id="op-0")
        self.service.lay(_ALL, listed(answering.operation("RUNNING"), old))
        self.service.lay(_ONE, shown("COMPLETE"))

        self.assertEqual("op-1", self.waiters.wait(_STACK).id)

    def test_a_rollback_that_follows_is_not_what_was_asked_for(self) -> None:
        rollback = answering.operation("RUNNING", id="op-2", action="ROLLBACK")
        self.service.lay(_ALL, listed(rollback, failed(reason="no")))
        self.service.lay(_ONE, Answer({"operation": failed(reason="no")}))

        self.assertRaises(
            operation_errors.OperationFailedError, self.waiters.wait, _STACK
        )

    def test_a_rollback_that_was_asked_for_is_waited_for(self) -> None:
        # An update was cancelled; a rollback is retried; nothing is known.
        self.check_rollback_counts(1, answering.operation("SUPERSEDED"))
        self.check_rollback_counts(2, failed(reason="no"))
        self.check_rollback_counts(1)

    def check_rollback_counts(
        self, attempt: int, *before: answering.Json
    ) -> None:
        service = answering.Service()
        rollback = answering.operation(
            "RUNNING", id="op-2", action="ROLLBACK", attempt=attempt
        )
        service.lay(_ALL, listed(rollback, *before))

        found = operations.Operations(
            answering.sender(service)
        ).find_last_requested(_STACK)

        assert found is not None
        self.assertEqual("op-2", found.id)

    def test_a_stack_without_operations_is_an_error(self) -> None:
        self.service.lay(_ALL, listed())

        self.assertRaises(errors.NotFoundError, self.waiters.wait, _STACK)

    def test_who_has_waited_long_enough_is_told(self) -> None:
        self.service.lay(_ONE, shown("RUNNING", done=1))

        error = self.assertRaises(
            operation_errors.WaitTimeoutError,
            self.waiters.wait,
            _STACK,
            "op-1",
            interval_s=4,
            timeout_s=10,
        )

        assert isinstance(error, operation_errors.WaitTimeoutError)
        self.assertEqual(1, error.operation.done)
        self.assertEqual([4.0, 4.0, 2.0], self.clock.slept)

    def test_an_api_that_starts_again_is_waited_for(self) -> None:
        self.service.lay(
            _ONE,
            Answer({"title": "away"}, status=503),
            shown("COMPLETE"),
        )

        self.assertTrue(self.waiters.wait(_STACK, "op-1").is_complete)

    def test_one_that_was_superseded_is_told_of(self) -> None:
        self.service.lay(_ONE, shown("SUPERSEDED", superseded_by="op-2"))

        error = self.assertRaises(
            operation_errors.OperationSupersededError,
            self.waiters.wait,
            _STACK,
            "op-1",
        )

        self.assertIn("op-2", str(error))


class FailureTests(WaitersTestCase):
    def wait(self) -> operation_errors.OperationFailedError:
        error = self.assertRaises(
            operation_errors.OperationFailedError,
            self.waiters.wait,
            _STACK,
            "op-1",
        )
        assert isinstance(error, operation_errors.OperationFailedError)
        return error

    def fail(self, *failures: answering.Json, **more: object) -> None:  # type: ignore[override]
        found = failed(*failures, **more)
        self.service.lay(_ONE, Answer({"operation": found}))

    def test_the_first_failure_is_the_root_cause(self) -> None:
        self.fail(
            answering.failure("no space", "disk", file="a.yaml", line=12),
            answering.failure("no disk", "web"),
        )

        error = self.wait()

        self.assertEqual(
            "CREATE of shop failed: disk (a.yaml:12): no space", str(error)
        )
        self.assertEqual(
            [("disk",), ("web",)], [each.path for each in error.failures]
        )
        assert error.root_cause is not None
        self.assertEqual(12, error.root_cause.line)

    def test_a_failure_in_a_stack_inside_is_told_with_its_path(self) -> None:
        self.fail(
            answering.failure("no", "front", "web", "v", stack="/stacks/w/1"),
            answering.failure("no room", "front", "db", stack="/stacks/f/1"),
        )

        error = self.wait()

        self.assertEqual(
            ["front/web/v: no", "front/db: no room"],
            [each.text for each in error.failures],
        )
        self.assertEqual("w", error.failures[0].stack.name)
        self.assertEqual([_ONE], self.service.paths())

    def test_one_that_a_list_told_of_is_asked_about(self) -> None:
        self.service.lay(_ALL, listed(answering.operation("FAILED")))
        self.fail(answering.failure("no", "web"))
        [found] = operations.Operations(answering.sender(self.service)).list(
            _STACK
        )

        [failure] = self.waiters.failures(found)

        self.assertIsNone(found.failures)
        self.assertEqual("web: no", failure.text)

    def test_a_failure_of_the_operation_itself_has_no_path(self) -> None:
        self.fail(answering.failure("no plan"))

        self.assertEqual("shop: no plan", self.wait().failures[0].text)

    def test_without_failures_the_reason_counts(self) -> None:
        self.fail(reason="Stack CREATE cancelled")

        error = self.wait()

        self.assertEqual(
            "CREATE of shop failed: Stack CREATE cancelled", str(error)
        )
        self.assertIsNone(error.root_cause)
