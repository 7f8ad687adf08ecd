"""What has become of breakpoints is known by operation."""

import dataclasses

from orch import ids
from orch.model import breakpoints
from tests import base
from tests.unit.planner import test_builder

ONE = ids.OperationId("one")
TWO = ids.OperationId("two")


class StatesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        row = test_builder.row("a")
        hooks = breakpoints.with_state(
            row, ONE, "pre-create", breakpoints.CLEARED
        )
        row = dataclasses.replace(row, hooks=hooks)
        hooks = breakpoints.with_state(
            row, ONE, "post-create", breakpoints.WAITING
        )
        self.row = dataclasses.replace(row, hooks=hooks)

    def test_they_are_those_of_one_operation(self) -> None:
        self.assertEqual(
            {"pre-create": "cleared", "post-create": "waiting"},
            breakpoints.states_of(self.row, ONE),
        )
        self.assertEqual({}, breakpoints.states_of(self.row, TWO))

    def test_another_operation_begins_anew(self) -> None:
        hooks = breakpoints.with_state(
            self.row, TWO, "pre-delete", breakpoints.WAITING
        )

        row = dataclasses.replace(self.row, hooks=hooks)

        self.assertEqual(
            {"pre-delete": "waiting"}, breakpoints.states_of(row, TWO)
        )
        self.assertEqual({}, breakpoints.states_of(row, ONE))

    def test_the_one_that_holds_is_found_by_its_side(self) -> None:
        self.assertEqual(
            "post-create", breakpoints.find_waiting(self.row, ONE, "post")
        )
        self.assertIsNone(breakpoints.find_waiting(self.row, ONE, "pre"))
        self.assertIsNone(breakpoints.find_waiting(self.row, TWO, "post"))
