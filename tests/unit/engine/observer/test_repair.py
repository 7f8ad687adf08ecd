import testtools

from orch import clock
from orch import ids
from orch.context import request
from orch.engine.acceptance import last_requester
from orch.engine.observer import repair as observer_repair
from orch.engine.observer import repair_policy
from orch.engine.queries import lookup
from orch.model import operation as operation_model
from orch.model import origin
from orch.model import repair
from orch.model import states
from tests.support import nouns


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


class DecisiveTestCase(testtools.TestCase):
    def decided(self, *history: operation_model.Operation) -> str | None:
        stack = nouns.make_stack(operation_id=history[-1].id)
        found = observer_repair.decisive_operation(history, stack)
        return None if found is None else found.id

    @staticmethod
    def check(name: str) -> operation_model.Operation:
        return operation(
            id=ids.OperationId(name),
            action=states.Action.CHECK,
            state=states.OperationState.FAILED,
        )

    def test_d6_a_check_does_not_decide_whatever_it_has_found(self) -> None:
        made = operation(id=ids.OperationId("made"))
        cut = operation(
            id=ids.OperationId("cut"),
            state=states.OperationState.SUPERSEDED,
        )

        found = self.decided(made, cut, self.check("c1"), self.check("c2"))

        self.assertEqual("made", found)
        self.assertIsNone(self.decided(self.check("c1")))

    def test_d6_else_the_last_operation_decides(self) -> None:
        failed = operation(
            id=ids.OperationId("failed"),
            state=states.OperationState.FAILED,
        )

        self.assertEqual(
            "failed", self.decided(operation(), self.check("c"), failed)
        )


class ContextTestCase(testtools.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack = nouns.make_stack(status=states.Status.COMPLETE)
        asker = request.RequestContext(
            user_id="u",
            project_id=self.stack.project_id,
            roles=["member"],
            auth_token="secret",
        )
        self.asker = asker
        self.made = observer_repair.context_of(
            self.stack,
            operation(context=asker.to_stored()),
            origin.User(user_id="p", user_name="pam"),
        )

    def test_a_repair_names_the_policy_and_no_requester(self) -> None:
        made = operation(context=self.made.to_stored())

        self.assertEqual("repair", made.origin.cause)
        self.assertIsNone(made.requested_by)
        self.assertEqual("pam", made.origin.policy_setter.label)

    def test_what_is_done_after_a_repair_is_no_repair(self) -> None:
        made = operation(context=self.made.to_stored())

        after = last_requester.context_of(self.stack, made)

        self.assertIsNone(after.origin)
        self.assertEqual("u", after.user_id)

    def test_a_repair_acts_for_whoever_asked_last(self) -> None:
        self.assertEqual("u", self.made.user_id)
        self.assertEqual(["member"], self.made.roles)
        self.assertIsNone(self.made.auth_token)
        self.assertNotEqual(self.asker.request_id, self.made.request_id)

    def test_a_stack_that_somebody_has_changed_is_not_repaired(self) -> None:
        changed = nouns.make_stack(
            id=self.stack.id, status=states.Status.IN_PROGRESS
        )

        lookup.check_unchanged(self.made, self.stack)
        self.assertRaises(
            lookup.StackChanged,
            lookup.check_unchanged,
            self.made,
            changed,
        )
