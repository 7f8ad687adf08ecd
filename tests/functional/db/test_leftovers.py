"""Left-over physical resources, on each database."""

import dataclasses

import testscenarios

from orch import ids
from orch.db import queries
from orch.db.repositories import leftovers
from orch.db.repositories import purge
from orch.db.repositories import stacks
from orch.model import leftover
from orch.model import marked
from orch.model import resource
from orch.model import stack as stack_model
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

VALUE = "OS::Heat::Value"
SECRET = marked.Marked({"value": "s3cret", "url": "here"}, [("value",)])


class LeftoversTest(base.TestCase):
    def stack(self, **given: object) -> stack_model.Stack:
        value = base.make_stack(**given)
        with self.database.write() as conn:
            stacks.insert(conn, value)
        return value

    def leave(
        self,
        stack: stack_model.Stack,
        row: resource.Resource | None = None,
        left_at: float = base.NOW,
        **given: object,
    ) -> leftover.Leftover:
        row = row or base.make_resource(
            stack_id=stack.id,
            physical_id="x",
            id_scope="here",
            properties=SECRET,
            **given,
        )
        departure = leftover.Departure(
            row,
            leftover.Cause.ORPHANED,
            "why",
            left_at,
            ids.OperationId(ids.new()),
        )
        with self.database.write() as conn:
            leftovers.save_many(conn, stack, [departure])
            found = leftovers.find(conn, row.id)
        assert found is not None
        return found

    def listed(self, **given: object) -> list[str]:
        query = queries.LeftoverQuery(
            **{"project_id": "demo", **given}  # type: ignore[arg-type]
        )
        with self.database.read() as conn:
            return [each.id for each in leftovers.list_(conn, query)]

    def test_all_of_the_row_is_stored_with_its_marks(self) -> None:
        stack = self.stack()
        row = base.make_resource(
            stack_id=stack.id,
            physical_id="x" * 5000,
            properties=SECRET,
            data={"k": "v"},
            metadata={"m": 1},
            attempt=2,
        )

        found = self.leave(stack, row)

        for name in ("id", "name", "physical_id", "data", "attempt"):
            self.assertEqual(getattr(row, name), getattr(found, name), name)
        self.assertEqual(dict(SECRET), dict(found.properties))
        self.assertEqual(
            marked.paths_of(SECRET), marked.paths_of(found.properties)
        )
        self.assertEqual(
            (stack.id, stack.name, row.name),
            (found.stack_id, found.stack_name, found.path),
        )

    def test_the_newest_comes_first_page_by_page(self) -> None:
        stack, other = self.stack(), self.stack(name="other")
        first = self.leave(stack).id
        second = self.leave(other, left_at=base.NOW + 5).id
        third = self.leave(stack, left_at=base.NOW + 9).id
        strange = self.stack(project_id="strange", name="far")
        self.leave(strange)

        self.assertEqual([third, second, first], self.listed())
        self.assertEqual([third, second], self.listed(limit=2))
        self.assertEqual([first], self.listed(limit=2, marker=second))
        self.assertEqual([second], self.listed(stack="other"))
        self.assertEqual([third, first], self.listed(stack=stack.id))
        self.assertEqual([third, second], self.listed(since=base.NOW + 5))
        self.assertEqual([], self.listed(type_name="None"))
        self.assertEqual(3, len(self.listed(type_name=VALUE)))

    def test_what_is_left_again_is_no_longer_swept(self) -> None:
        stack = self.stack()
        found = self.leave(stack)
        row = base.make_resource(stack_id=stack.id, physical_id="y")
        again = dataclasses.replace(row, id=found.id)
        with self.database.write() as conn:
            leftovers.update(conn, found.id, sweep_id=ids.new())

        left = self.leave(stack, again, left_at=base.NOW + 5)

        self.assertEqual(
            ("y", None, found.left_at),
            (left.physical_id, left.sweep_id, left.left_at),
        )

    def test_it_goes_with_the_stack_that_sweeps_it(self) -> None:
        stack = self.stack()
        swept, other = self.leave(stack), self.leave(stack)
        sweep_id = ids.StackId(ids.new())

        with self.database.write() as conn:
            leftovers.update(conn, swept.id, sweep_id=sweep_id)
            leftovers.delete_swept(conn, sweep_id)

        self.assertEqual([other.id], self.listed())

    def test_only_the_same_thing_counts_as_adopted(self) -> None:
        here = self.leave(self.stack()).id

        def adopt(*given: object, project_id: str = "demo") -> list[str]:
            adopted = leftover.Adopted(*given)  # type: ignore[arg-type]
            with self.database.write() as conn:
                leftovers.delete_adopted(conn, project_id, [adopted])
            return self.listed()

        self.assertEqual([here], adopt(VALUE, "y", None))
        self.assertEqual([here], adopt("Other", "x", None))
        self.assertEqual([here], adopt(VALUE, "x", "there"))
        self.assertEqual(
            [here], adopt(VALUE, "x", "here", project_id="strange")
        )
        self.assertEqual([], adopt(VALUE, "x", "here"))

    def test_no_purge_removes_it(self) -> None:
        stack = self.stack(deleted_at=1.0)
        found = self.leave(stack)

        with self.database.write() as conn:
            self.assertEqual(1, purge.purge_deleted(conn, 0.0, 10))

        self.assertEqual([found.id], self.listed())
