"""Rows that leave one stack for another, on each database."""

import dataclasses

import testscenarios

from orch import ids
from orch.db.repositories import moves
from orch.db.repositories import resources
from orch.db.repositories import stacks
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

HERE = ids.StackId("00000000-0000-0000-0000-000000000001")
THERE = ids.StackId("00000000-0000-0000-0000-000000000002")


class MovesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.row = base.make_resource(
            stack_id=HERE,
            name="a",
            requires=("b",),
            required_ids=(ids.ResourceId(ids.new()),),
            data={"k": "v"},
        )
        self.after = dataclasses.replace(
            self.row,
            stack_id=THERE,
            name="c",
            requires=("d",),
            required_ids=(),
        )

    def test_the_row_is_in_the_other_stack_alone(self) -> None:
        with self.database.write() as conn:
            resources.save_many(conn, [self.row])
            self.assertTrue(moves.put_resource(conn, self.row, self.after))

        with self.database.read() as conn:
            self.assertEqual([], resources.list_(conn, HERE))
            self.assertEqual([self.after], resources.list_(conn, THERE))

    def test_a_row_that_is_gone_does_not_move(self) -> None:
        with self.database.write() as conn:
            self.assertFalse(moves.put_resource(conn, self.row, self.after))

    def test_inner_stacks_have_another_root_depth_and_holder(self) -> None:
        held = base.make_stack(parent_id=HERE, root_id=HERE, depth=1)
        below = base.make_stack(parent_id=held.id, root_id=HERE, depth=2)
        with self.database.write() as conn:
            for each in (held, below):
                stacks.insert(conn, each)
            moves.put_stacks(conn, THERE, [held.id, below.id], 1)
            moves.put_holder(conn, held.id, THERE, "c")

        with self.database.read() as conn:
            found = stacks.list_tree(conn, THERE)
            inner = stacks.list_children(conn, THERE)
        self.assertEqual({held.id, below.id}, {each.id for each in found})
        self.assertEqual(
            [(held.id, "c", 2)],
            [(each.id, each.parent_resource, each.depth) for each in inner],
        )
