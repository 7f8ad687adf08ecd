"""What says on each database whether, and for whom, a stack is repaired."""

import dataclasses

import testscenarios

from orch import ids
from orch.context import request
from orch.db.repositories import watches
from orch.engine.acceptance import last_requester
from orch.engine.observer import repair
from orch.engine.queries import lookup
from orch.model import operation
from orch.model import origin
from orch.model import stack
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

Action = states.Action
State = states.OperationState


class RepairingCase(base.OperationTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.history: list[operation.Operation] = []
        self.root = base.make_stack(status=states.Status.COMPLETE)

    def add(
        self, action: Action, state: State = State.COMPLETE, **given: object
    ) -> ids.OperationId:
        """Store the next operation of the stack."""
        self.history.append(
            self.store(
                stack_id=self.root.id,
                action=action,
                state=state,
                created_at=base.NOW + len(self.history),
                **given,
            )
        )
        return self.history[-1].id

    def stack(self) -> stack.Stack:
        return dataclasses.replace(self.root, operation_id=self.history[-1].id)


class DecidingTest(RepairingCase):
    def decisive(self) -> ids.OperationId | None:
        with self.database.read() as conn:
            found = repair.find_decisive(conn, self.stack())
        return None if found is None else found.id

    def test_d6_the_last_operation_decides(self) -> None:
        self.add(Action.CREATE)
        self.add(Action.CHECK, State.FAILED)
        failed = self.add(Action.UPDATE, State.FAILED)

        self.assertEqual(failed, self.decisive())

    def test_d6_a_check_does_not_decide_whatever_it_has_found(self) -> None:
        self.add(Action.CREATE)
        decided = self.add(Action.SUSPEND, State.FAILED)
        self.add(Action.UPDATE, State.SUPERSEDED)
        self.add(Action.CHECK)
        self.add(Action.CHECK, State.FAILED)

        self.assertEqual(decided, self.decisive())

    def test_d6_checks_alone_decide_nothing(self) -> None:
        self.add(Action.CHECK, State.FAILED)

        self.assertIsNone(self.decisive())

    def test_a_stack_without_an_operation_is_not_decided_about(self) -> None:
        with self.database.read() as conn:
            self.assertIsNone(repair.find_decisive(conn, self.root))

    def test_a_last_operation_without_a_row_decides_nothing(self) -> None:
        self.add(Action.CREATE)
        self.history.append(base.make_operation(stack_id=self.root.id))

        self.assertIsNone(self.decisive())


class ContextTest(RepairingCase):
    def setUp(self) -> None:
        super().setUp()
        self.asker = request.RequestContext(
            user_id="u",
            project_id=self.root.project_id,
            roles=["member"],
            auth_token="secret",
        )
        self.add(Action.UPDATE, context=self.asker.to_stored())
        self.add(Action.RESUME)
        policy_setter = origin.User(user_id="p", user_name="pam")
        with self.database.write() as conn:
            watches.set_policy(
                conn, self.root.id, "demo", {}, policy_setter.to_stored()
            )
        self.made = self.context(self.stack())

    def context(self, stack: stack.Stack) -> request.RequestContext:
        with self.database.read() as conn:
            return last_requester.repair_context(conn, stack, self.history[-1])

    def test_a_repair_names_the_policy_and_no_requester(self) -> None:
        made = base.make_operation(context=self.made.to_stored())

        self.assertEqual("repair", made.origin.cause)
        self.assertIsNone(made.requested_by)
        self.assertEqual("pam", made.origin.policy_setter.label)

    def test_what_is_done_after_a_repair_is_no_repair(self) -> None:
        made = base.make_operation(context=self.made.to_stored())

        after = last_requester.context_of(self.root, made)

        self.assertIsNone(after.origin)
        self.assertEqual("u", after.user_id)

    def test_a_repair_acts_for_whoever_changed_the_stack_last(self) -> None:
        self.assertEqual("u", self.made.user_id)
        self.assertEqual(["member"], self.made.roles)
        self.assertIsNone(self.made.auth_token)
        self.assertNotEqual(self.asker.request_id, self.made.request_id)

    def test_without_a_change_it_acts_for_the_deciding_operation(self) -> None:
        other = base.make_stack()
        self.store(stack_id=other.id, action=Action.SUSPEND)

        self.assertIsNone(self.context(other).user_id)

    def test_a_stack_that_somebody_has_changed_is_not_repaired(self) -> None:
        made = self.context(self.root)
        changed = base.make_stack(
            id=self.root.id, status=states.Status.IN_PROGRESS
        )

        lookup.check_unchanged(made, self.root)
        self.assertRaises(
            lookup.StackChanged, lookup.check_unchanged, made, changed
        )
