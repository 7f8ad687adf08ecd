"""What says on each database whether a stack may be repaired."""

import testscenarios

from orch import ids
from orch.engine.observer import repair
from orch.model import operation
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

Action = states.Action
State = states.OperationState


class DecidingTest(base.OperationTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack = base.make_stack()
        self.history: list[operation.Operation] = []

    def add(self, action: Action, state: State = State.COMPLETE) -> None:
        """Store the next operation of the stack."""
        self.history.append(
            self.store(
                stack_id=self.stack.id,
                action=action,
                state=state,
                created_at=base.NOW + len(self.history),
            )
        )

    def found(self) -> list[ids.OperationId]:
        stack = base.make_stack(
            id=self.stack.id, operation_id=self.history[-1].id
        )
        with self.database.read() as conn:
            found = repair.deciding_operations(conn, stack)
        self.assertEqual(
            repair.decisive_operation(self.history, stack),
            repair.decisive_operation(found, stack),
        )
        return [each.id for each in found]

    def test_a_long_history_is_not_read(self) -> None:
        for _ in range(5):
            self.add(Action.UPDATE)
            self.add(Action.SUSPEND)
            self.add(Action.RESUME)
        *_, update, _, resume = self.history

        self.assertEqual([update.id, resume.id], self.found())

    def test_what_came_before_a_check_is_known(self) -> None:
        self.add(Action.CREATE)
        self.add(Action.SUSPEND, State.FAILED)
        self.add(Action.UPDATE, State.SUPERSEDED)
        self.add(Action.CHECK)
        self.add(Action.CHECK)
        _, suspend, update, _, check = self.history

        self.assertEqual([suspend.id, update.id, check.id], self.found())
