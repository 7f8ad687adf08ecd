"""Holds of operations: begun, answered, found, on each database."""

import dataclasses
import types
import typing

import testscenarios

from orch import clock
from orch import ids
from orch.db import functions
from orch.db.repositories import leases
from orch.db.repositories import lifecycle
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine.lifecycle import hold_write
from orch.flow.state import fence
from orch.flow.state import store
from orch.model import lifecycle as model
from orch.model import operation
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

_CALL = model.Call(
    plugin="freeze",
    phase=model.PRE,
    ruling="hold",
    text="Änderung \U0001f512",
    began_at=base.NOW,
    seconds=0.5,
)


class HoldsTest(base.OperationTestCase):
    def hold(self, **changed: object) -> model.Run:
        """Return the run of an operation that is parked, with its hold."""
        asked = self.store()
        with self.database.write() as conn:
            now = functions.read_clock(conn)
            begun = model.Hold(
                plugin="freeze",
                text="it is Friday",
                requested_at=now,
                deadline_at=clock.Timestamp(now + 600),
                left_s=900.0,
            )
            hold = dataclasses.replace(begun, **changed)
            run = self.run_of(asked)
            (taken,) = leases.claim(conn, ids.WorkerId("w"), 60, 1, asked.id)
            lifecycle.save(conn, run)
            lifecycle.save_hold(conn, run, hold)
            leases.park(
                conn,
                taken.id,
                taken.fence,
                reason="held",
                pause_s=600,
                options={},
                stops_time=True,
            )
        return dataclasses.replace(run, hold=hold)

    @staticmethod
    def run_of(asked: operation.Operation) -> model.Run:
        return model.Run(
            operation_id=asked.id,
            attempt=1,
            verb="create",
            stack_id=asked.stack_id,
            project_id=asked.project_id,
            chain=("counts", "freeze"),
            calls=(_CALL,),
            began_at=base.NOW,
        )

    def find(self, run: model.Run) -> model.Run:
        with self.database.read() as conn:
            found = lifecycle.find(conn, run.operation_id)
        assert found is not None
        return found

    def operation(self, run: model.Run) -> operation.Operation:
        with self.database.read() as conn:
            return operations.get(conn, run.operation_id)

    def answer(self, run: model.Run, answer: str, text: str = "") -> bool:
        with self.database.write() as conn:
            return lifecycle.answer_hold(
                conn, run.operation_id, answer, "ann", text
            )

    def test_a_hold_comes_back_as_it_was(self) -> None:
        run = self.hold()

        self.assertEqual(run, self.find(run))

    def test_the_deadline_that_counts_is_the_one_that_is_told(self) -> None:
        stack = base.make_stack()
        run = self.run_of(self.store(stack_id=stack.id))
        with self.database.write() as conn:
            stacks.insert(conn, stack)
            (taken,) = leases.claim(
                conn, ids.WorkerId("w"), 60, 1, run.operation_id
            )
            lifecycle.save(conn, run)
            system = clock.SystemClock()
            until = system.monotonic() + 60
            kept = types.SimpleNamespace(
                fence=fence.Fence(taken.id, taken.fence, until, system),
                stack=stack,
                operation=taken,
            )
            visit = hold_write.HoldWrite(
                typing.cast(store.Store, kept),
                dataclasses.replace(
                    run,
                    hold=model.Hold(
                        plugin="freeze",
                        text="it is Friday",
                        requested_at=base.NOW,
                        deadline_at=clock.Timestamp(base.NOW + 600),
                    ),
                ),
                is_new=True,
            )
            visit.write(conn, None)

        hold = self.find(run).hold
        assert hold is not None
        with self.database.read() as conn:
            told = stacks.get(conn, stack.id).status_reason
        self.assertEqual(base.NOW + 600, hold.deadline_at)
        self.assertIn(f"until {clock.isoformat(hold.deadline_at)}", told)

    def test_what_is_written_of_the_calls_leaves_the_hold_alone(self) -> None:
        run = self.hold()
        further = dataclasses.replace(run, passed=1, calls=(_CALL, _CALL))
        with self.database.write() as conn:
            lifecycle.save(conn, dataclasses.replace(further, hold=None))

        self.assertEqual(further, self.find(run))

    def test_of_two_answers_one_counts(self) -> None:
        run = self.hold()

        won = [
            self.answer(run, model.APPROVED, "go"),
            self.answer(run, model.REJECTED, "stop"),
        ]

        self.assertEqual([True, False], won)
        hold = self.find(run).hold
        assert hold is not None
        self.assertEqual(
            (model.APPROVED, "ann", "go"),
            (hold.answer, hold.answered_by, hold.answer_text),
        )

    def test_what_is_answered_for_may_be_taken_and_has_its_time(self) -> None:
        run = self.hold()
        parked = self.operation(run)

        self.answer(run, model.APPROVED)

        found = self.operation(run)
        self.assertEqual(
            (states.OperationState.BLOCKED, None),
            (parked.state, parked.deadline_at),
        )
        self.assertEqual(
            (states.OperationState.WAITING, None, ""),
            (found.state, found.next_try_at, found.reason),
        )
        hold = self.find(run).hold
        assert hold is not None
        assert hold.answered_at is not None
        self.assertEqual(hold.answered_at + 900, found.deadline_at)

    def test_after_the_deadline_there_is_no_answer(self) -> None:
        run = self.hold(deadline_at=base.NOW)

        self.assertFalse(self.answer(run, model.APPROVED))

        self.assertEqual(run, self.find(run))
        self.assertEqual(
            states.OperationState.BLOCKED, self.operation(run).state
        )

    def test_what_is_held_in_a_tree_is_found_until_it_is_answered(
        self,
    ) -> None:
        run, other = self.hold(), self.hold()
        root = ids.StackId(ids.new())
        with self.database.write() as conn:
            for each, top in ((run, root), (other, other.stack_id)):
                stacks.insert(
                    conn,
                    base.make_stack(
                        id=each.stack_id, root_id=top, name=each.stack_id
                    ),
                )

        with self.database.read() as conn:
            held = lifecycle.list_held(conn, root)
        self.answer(run, model.REJECTED)
        with self.database.read() as conn:
            left = lifecycle.list_held(conn, root)

        self.assertEqual([run], held)
        self.assertEqual([], left)
