"""Releases that wait for an operation, and the outcome that they get."""

import dataclasses

import testscenarios

from orch import clock
from orch import ids
from orch.db.repositories import judged_requests
from orch.db.repositories import lifecycle as runs
from orch.db.repositories import operations
from orch.db.repositories import purge
from orch.db.repositories import stacks
from orch.engine.judged_requests import release_outcomes
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

_State = states.OperationState
_LATE = clock.Timestamp(base.NOW + 60)


class ReleasesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.source = base.make_stack()
        self.taker = base.make_stack()
        with self.database.write() as conn:
            stacks.insert(conn, self.source)
            stacks.insert(conn, self.taker)

    def operation(
        self, state: _State = _State.FAILED, **given: object
    ) -> operation_model.Operation:
        """Store an operation that may take two physical resources."""
        value = base.make_operation(
            stack_id=self.taker.id,
            state=state,
            options={"adopt_from": {self.source.id: ["a", "b"]}},
            **given,
        )
        with self.database.write() as conn:
            operations.insert(conn, value)
        return value

    def release(self, taking: ids.OperationId, **given: object) -> model.Run:
        """Store a release that a plug-in has allowed."""
        values = {
            "operation_id": ids.OperationId(ids.new()),
            "attempt": 1,
            "verb": model.RELEASE,
            "stack_id": self.source.id,
            "project_id": "demo",
            "chain": ("x",),
            "stage": model.Stage.IN_PROGRESS,
            "passed": 1,
            "began_at": base.NOW,
            "for_operation": taking,
        }
        value = model.Run(**(values | given))  # type: ignore[arg-type]
        with self.database.write() as conn:
            runs.save(conn, value)
        return value

    def note(self, path: str) -> None:
        with self.database.write() as conn:
            judged_requests.note_released(
                conn, self.source.id, self.taker.id, path
            )

    def ended(self) -> list[ids.OperationId]:
        """Return the operations of the releases whose post-ops are due."""
        with self.database.read() as conn:
            return [
                each.for_operation
                for each in judged_requests.list_ended_releases(conn)
                if each.for_operation is not None
            ]

    def result(self, value: model.Run) -> tuple[str, str]:
        with self.database.read() as conn:
            (stored,) = runs.list_(conn, value.operation_id)
            found = release_outcomes.with_outcome(conn, stored)
        return found.outcome, found.reason

    def test_it_waits_for_the_end_of_its_operation(self) -> None:
        waits = self.operation(_State.BLOCKED)
        self.release(waits.id)

        self.assertEqual([], self.ended())

        over = self.operation()
        self.release(over.id)
        self.assertEqual([over.id], self.ended())

    def test_it_waits_while_a_superseded_operation_may_continue(self) -> None:
        superseded = self.operation(_State.SUPERSEDED)
        newer = base.make_operation(
            stack_id=self.taker.id, state=_State.RUNNING, fence=1
        )
        with self.database.write() as conn:
            operations.insert(conn, newer)
        self.release(superseded.id)

        self.assertEqual([], self.ended())

        with self.database.write() as conn:
            operations.update(conn, newer.id, 1, state=_State.COMPLETE)
        self.assertEqual([superseded.id], self.ended())

    def test_old_releases_count_as_left_only_once_claimed(self) -> None:
        waits = self.operation(_State.BLOCKED)
        value = self.release(waits.id)
        with self.database.read() as conn:
            self.assertEqual([], judged_requests.list_left(conn, 0.0))

        closing = dataclasses.replace(value, stage=model.Stage.CLOSING)
        with self.database.write() as conn:
            runs.save(conn, closing)
            left = judged_requests.list_left(conn, 0.0)

        self.assertEqual(
            [value.operation_id], [each.operation_id for each in left]
        )

    def test_of_two_workers_one_claims_it(self) -> None:
        value = self.release(self.operation().id)

        with self.database.write() as conn:
            first = judged_requests.claim(conn, value)
        with self.database.write() as conn:
            second = judged_requests.claim(conn, value)

        assert first is not None
        self.assertGreater(first.began_at, value.began_at)
        self.assertIsNone(second)

    def test_what_an_open_operation_takes_is_complete(self) -> None:
        value = self.release(self.operation(_State.RUNNING).id)
        newer_id = ids.OperationId(ids.new())
        other = self.release(
            self.operation(_State.SUPERSEDED, superseded_by=newer_id).id
        )
        self.note("b")
        self.note("a")

        taken = f"Taken over by stack {self.taker.name} ({self.taker.id})"
        self.assertEqual(("complete", taken), self.result(value))
        self.assertEqual("superseded", self.result(other)[0])

    def test_what_is_not_taken_is_named(self) -> None:
        value = self.release(
            self.operation(_State.RUNNING, reason="x failed").id
        )
        self.note("b")

        outcome, reason = self.result(value)

        self.assertEqual("complete", outcome)
        self.assertIn("; not taken: a: x failed", reason)

    def test_the_plug_ins_of_an_attempt_know_its_outcome(self) -> None:
        operation = self.operation(attempt=2, reason="failed")
        for attempt, outcome in ((1, "rejected"), (2, "denied")):
            self.release(
                operation.id,
                operation_id=operation.id,
                stack_id=self.taker.id,
                for_operation=None,
                attempt=attempt,
                verb="adopt",
                stage=model.Stage.CLOSED,
                outcome=outcome,
                reason=f"it was {outcome}",
            )
        value = self.release(operation.id)

        self.assertEqual(("denied", "it was denied"), self.result(value))

    def test_without_them_its_row_shows_it(self) -> None:
        for given, expected in (
            ({}, "failed"),
            ({"is_cancelled": True}, "cancelled"),
            ({"state": _State.COMPLETE}, "failed"),
            ({"deadline_at": _LATE, "finished_at": base.NOW}, "failed"),
            ({"deadline_at": base.NOW, "finished_at": _LATE}, "timed out"),
        ):
            value = self.release(self.operation(**given).id)
            self.assertEqual(expected, self.result(value)[0], given)

    def test_one_that_was_purged_has_taken_nothing(self) -> None:
        purged = ids.OperationId(ids.new())
        value = self.release(purged)

        self.assertEqual([purged], self.ended())
        self.assertEqual("failed", self.result(value)[0])

    def test_what_one_that_was_purged_has_taken_is_complete(self) -> None:
        value = self.release(self.operation(_State.RUNNING).id)
        self.note("a")
        with self.database.write() as conn:
            stacks.update(conn, self.taker.id, deleted_at=base.NOW)
            self.assertEqual(1, purge.purge_deleted(conn, 0.0, 5))

        outcome, reason = self.result(value)

        self.assertEqual("complete", outcome)
        self.assertIn("is not stored", reason)

    def test_a_retry_leaves_the_outcome_of_the_attempt_before(self) -> None:
        operation = self.operation(is_cancelled=True)
        value = self.release(operation.id)

        with self.database.write() as conn:
            release_outcomes.end_attempt(conn, operation)
            operations.reopen(conn, operation.id, 2, operation.options)
        self.release(operation.id)
        self.note("a")

        self.assertEqual("cancelled", self.result(value)[0])
        self.assertEqual([operation.id], self.ended())
        with self.database.read() as conn:
            (stored,) = runs.list_(conn, value.operation_id)
        self.assertEqual((), stored.released_paths)

    def test_a_claim_reads_the_outcome_that_a_retry_has_set(self) -> None:
        operation = self.operation(is_cancelled=True)
        value = self.release(operation.id)
        with self.database.write() as conn:
            release_outcomes.end_attempt(conn, operation)

        with self.database.write() as conn:
            claimed = judged_requests.claim(conn, value)

        assert claimed is not None
        self.assertEqual("cancelled", claimed.outcome)

    def test_a_retry_does_not_bring_back_a_claimed_release(self) -> None:
        operation = self.operation()
        value = self.release(operation.id)
        stale = dataclasses.replace(value, outcome="failed")
        with self.database.write() as conn:
            runs.save(
                conn, dataclasses.replace(value, stage=model.Stage.CLOSING)
            )
            judged_requests.set_outcome(conn, stale)
            (claimed,) = runs.list_(conn, value.operation_id)
            runs.forget(conn, value)
            judged_requests.set_outcome(conn, stale)

            self.assertEqual([], runs.list_(conn, value.operation_id))

        self.assertEqual("", claimed.outcome)

    def test_a_purge_of_the_former_owner_leaves_it(self) -> None:
        value = self.release(self.operation(_State.BLOCKED).id)
        with self.database.write() as conn:
            stacks.update(conn, self.source.id, deleted_at=base.NOW)

        with self.database.write() as conn:
            self.assertEqual(1, purge.purge_deleted(conn, 0.0, 5))

        with self.database.read() as conn:
            self.assertEqual(1, len(runs.list_(conn, value.operation_id)))
