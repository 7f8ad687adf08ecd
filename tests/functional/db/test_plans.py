"""Kept plans, and the plans of operations, on each database."""

import testscenarios

from orch import errors
from orch import ids
from orch.db.repositories import operation_plans
from orch.db.repositories import plans
from orch.model import saved_plan
from orch.model import states
from orch.model import step
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


def make(**given: object) -> saved_plan.SavedPlan:
    values = {
        "id": ids.new(),
        "stack_id": ids.StackId("s"),
        "action": states.Action.UPDATE,
        "options": {"action": "update"},
        "template_hash": base.HASH,
        "environment_hash": base.HASH,
        "basis": "b",
        "changes": {"signature": [["create a", None, ["x"]]]},
        "context": {"user_id": "ann"},
        "created_at": base.NOW,
    }
    return saved_plan.SavedPlan(**(values | given))


class SavedPlansTest(base.TestCase):
    def store(self, **given: object) -> saved_plan.SavedPlan:
        value = make(**given)
        with self.database.write() as conn:
            plans.insert(conn, value)
        return value

    def test_it_comes_back_as_it_was(self) -> None:
        value = self.store()

        with self.database.read() as conn:
            self.assertEqual(value, plans.get(conn, value.id))

    def test_those_of_a_stack_are_listed_in_order(self) -> None:
        second = self.store(created_at=base.NOW + 1)
        first = self.store()
        self.store(stack_id=ids.StackId("other"))

        with self.database.read() as conn:
            found = plans.list_(conn, ids.StackId("s"))
        self.assertEqual([first, second], found)

    def test_of_two_that_run_it_one_wins(self) -> None:
        value = self.store()

        with self.database.write() as conn:
            won = [
                plans.apply(conn, value.id, ids.OperationId(name))
                for name in ("one", "two")
            ]
            found = plans.get(conn, value.id)

        self.assertEqual([True, False], won)
        self.assertEqual("one", found.operation_id)

    def test_what_is_forgotten_is_not_there(self) -> None:
        value = self.store()

        with self.database.write() as conn:
            gone = [plans.delete(conn, value.id) for _ in range(2)]
            self.assertRaises(errors.NotFound, plans.get, conn, value.id)

        self.assertEqual([True, False], gone)


class OperationPlansTest(base.TestCase):
    def steps(self, *names: str) -> list[step.Step]:
        return [
            step.Step("create", name, ids.ResourceId(f"{name}-row"))
            for name in names
        ]

    def test_the_first_plan_of_each_attempt_stays(self) -> None:
        first = base.make_operation()
        again = base.make_operation(
            id=first.id, stack_id=first.stack_id, attempt=2
        )

        with self.database.write() as conn:
            self.assertIsNone(operation_plans.find(conn, first.id))
            operation_plans.save(conn, first, self.steps("a", "b", "ü"))
            operation_plans.save(conn, first, self.steps("b"))
            found = operation_plans.find(conn, first.id)
            operation_plans.save(conn, again, self.steps("b"))
            newest = operation_plans.find(conn, first.id)
            sizes = operation_plans.list_sizes(conn, first.stack_id)

        self.assertEqual(self.steps("a", "b", "ü"), found)
        self.assertEqual(self.steps("b"), newest)
        self.assertEqual({first.id: {1: 3, 2: 1}}, sizes)


class EnclosingTest(base.TestCase):
    def test_what_is_around_the_work_shares_its_transaction(self) -> None:
        value = make()

        def enclose(conn, work):
            work(conn)
            raise errors.Conflict("not after all")

        around = self.database.enclosing(enclose)
        self.assertRaises(
            errors.Conflict,
            around.run,
            lambda conn: plans.insert(conn, value),
        )

        with self.database.read() as conn:
            self.assertEqual([], plans.list_(conn, value.stack_id))
        self.database.run(lambda conn: plans.insert(conn, value))
        with self.database.read() as conn:
            self.assertEqual([value], plans.list_(conn, value.stack_id))
