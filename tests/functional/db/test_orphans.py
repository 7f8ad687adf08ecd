"""Whom to ask about things that no stack has, on each database."""

import testscenarios

from orch.db.repositories import operations
from orch.db.repositories import orphans
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.model import stack
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class OrphansTest(base.TestCase):
    def put(self, **given: object) -> stack.Stack:
        value = base.make_stack(**given)
        with self.database.write() as conn:
            stacks.insert(conn, value)
        return value

    def test_a_stack_speaks_for_its_project(self) -> None:
        old = self.put(project_id="b")
        asked = base.make_operation(
            stack_id=old.id,
            state=states.OperationState.COMPLETE,
            context={"user_id": "u"},
        )
        new = self.put(
            project_id="b", operation_id=asked.id, created_at=base.NOW + 1
        )
        self.put(project_id="a", deleted_at=base.NOW)
        with self.database.write() as conn:
            operations.insert(conn, asked)

        with self.database.read() as conn:
            found = orphans.find_speaker(conn, "")
            none = orphans.find_speaker(conn, "b")

        assert found is not None
        self.assertEqual(
            ("b", new.id, {"user_id": "u", "project_id": "b"}),
            (found.project_id, found.stack_id, found.context),
        )
        self.assertIsNone(none)

    def test_things_that_a_live_stack_knows_are_owned(self) -> None:
        live = self.put(project_id="p")
        dead = self.put(deleted_at=base.NOW)
        rows = [
            base.make_resource(
                stack_id=stack_id, name=name, physical_id=physical_id, **more
            )
            for stack_id, name, physical_id, more in (
                (live.id, "a", "t-1", {}),
                (live.id, "b", "t-2", {"external_id": "t-2"}),
                (
                    live.id,
                    "c",
                    "t-3",
                    {
                        "action": states.Action.DELETE,
                        "status": states.Status.COMPLETE,
                    },
                ),
                (dead.id, "d", "t-4", {}),
            )
        ]
        with self.database.write() as conn:
            resources.save_many(conn, rows)

        with self.database.read() as conn:
            found = orphans.list_owned(conn, {f"t-{n}" for n in range(6)})

        self.assertEqual({("p", "t-1"), ("p", "t-2")}, found)

    def test_what_may_hold_things_is_told_with_its_data(self) -> None:
        live = self.put(project_id="p", name="app")
        dead = self.put(project_id="p", deleted_at=base.NOW)
        other = self.put(project_id="q")
        gone = {
            "action": states.Action.DELETE,
            "status": states.Status.COMPLETE,
        }
        rows = [
            base.make_resource(stack_id=stack_id, name=name, **more)
            for stack_id, name, more in (
                (live.id, "a", {"type_name": "T", "data": {"box": "b"}}),
                (live.id, "b", {"type_name": "M", "mapped_type": "T"}),
                (live.id, "c", {"type_name": "T", "mapped_type": "M"}),
                (live.id, "d", {"type_name": "T", **gone}),
                (dead.id, "a", {"type_name": "T"}),
                (other.id, "a", {"type_name": "T"}),
            )
        ]
        with self.database.write() as conn:
            resources.save_many(conn, rows)

        with self.database.read() as conn:
            found = orphans.list_holders(conn, "p", {"T", "U"})

        self.assertEqual(
            [
                orphans.Holder(rows[0].id, "T", "app", "a", {"box": "b"}),
                orphans.Holder(rows[1].id, "T", "app", "b", {}),
            ],
            sorted(found, key=lambda each: each.name),
        )
