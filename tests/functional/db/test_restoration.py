"""The stack in force where the operation of a stack has no row."""

import testscenarios

from orch import ids
from orch.db.repositories import stacks
from orch.flow.state import restoration
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class MissingOperationTest(base.TestCase):
    def test_the_stack_is_in_force_as_it_is(self) -> None:
        stack = base.make_stack(
            status=states.Status.FAILED,
            operation_id=ids.OperationId(ids.new()),
        )
        with self.database.write() as conn:
            stacks.insert(conn, stack)

            found = restoration.stack_in_force(conn, stack)
            inputs = restoration.inputs_in_force(conn, stack)

        self.assertEqual((stack, stack), (found, inputs))
