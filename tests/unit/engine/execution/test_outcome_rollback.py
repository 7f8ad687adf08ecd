"""The operation that undoes another one: what it takes over from it."""

import testtools

from orch import clock
from orch import ids
from orch.engine.execution import rollback
from orch.model import converge
from orch.model import operation
from orch.model import repair
from orch.model import states
from tests.support import nouns


def _rollback(**options: object) -> operation.Operation:
    stack = nouns.make_stack(good_template_hash="good")
    failed = operation.Operation(
        id=ids.OperationId("o"),
        stack_id=stack.id,
        project_id="p",
        action=states.Action.UPDATE,
        state=states.OperationState.FAILED,
        options=options,
        created_at=clock.Timestamp(0),
    )
    return rollback.rollback_of(stack, failed, clock.Timestamp(1))


class RollbackTests(testtools.TestCase):
    def test_d6_the_rollback_of_a_repair_puts_back_no_more_than_it(
        self,
    ) -> None:
        only = repair.Repair({ids.ResourceId("a"): ("label",)})
        options = {**only.to_options(), repair.TRIES: 2}

        made = _rollback(converge=True, **options)

        self.assertTrue(converge.is_convergence_requested(made))
        self.assertEqual(only, repair.Repair.of(made.options))
        self.assertEqual(2, made.options[repair.TRIES])

    def test_the_rollback_of_another_update_puts_back_everything(self) -> None:
        made = _rollback(converge=True)

        self.assertTrue(converge.is_convergence_requested(made))
        self.assertIsNone(repair.Repair.of(made.options))
        self.assertNotIn(repair.TRIES, made.options)
