"""Which rows may move, and what becomes of them."""

from orch import clock
from orch import ids
from orch.engine.moves import rows as move_rows
from orch.model import breakpoints
from orch.model import resource
from orch.model import stack
from orch.model import states
from tests import base

NOW = clock.Timestamp(2.0)


def make_stack(name: str) -> stack.Stack:
    return stack.Stack(
        id=ids.StackId(f"stack-{name}"),
        root_id=ids.StackId(f"stack-{name}"),
        project_id="p",
        name=name,
        action=states.Action.CREATE,
        status=states.Status.COMPLETE,
        status_reason="",
        template_hash="t",
        environment_hash="e",
        created_at=clock.Timestamp(1.0),
    )


HERE, THERE = make_stack("here"), make_stack("there")


def row(name: str, **given: object) -> resource.Resource:
    values: dict[str, object] = {
        "id": ids.ResourceId(f"id-{name}"),
        "stack_id": HERE.id,
        "name": name,
        "type_name": "T",
        "action": states.Action.CREATE,
        "status": states.Status.COMPLETE,
        "physical_id": name,
        "created_at": clock.Timestamp(1.0),
        "updated_at": clock.Timestamp(1.0),
    }
    return resource.Resource(**(values | given))


class ChooseTest(base.TestCase):
    def refused(self, *rows: resource.Resource, **names: str) -> str:
        error = self.assertRaises(
            move_rows.CannotMove,
            move_rows.choose_rows,
            *(HERE, THERE, rows, [row("own", stack_id=THERE.id)], names),
        )
        return error.message

    def test_what_stands_is_chosen_in_the_order_asked_for(self) -> None:
        rows = [row("a"), row("b"), row("c")]

        found = move_rows.choose_rows(
            HERE, THERE, rows, [], {"c": "c", "a": "own"}
        )

        self.assertEqual([rows[2], rows[0]], found)

    def test_a_name_that_went_with_its_resource_is_free(self) -> None:
        gone = row("own", action=states.Action.DELETE)

        found = move_rows.choose_rows(
            HERE, THERE, [row("a")], [gone], {"a": "own"}
        )

        self.assertEqual([row("a")], found)

    def test_two_of_the_same_name_are_refused(self) -> None:
        said = self.refused(row("a"), row("b"), a="x", b="x")
        self.assertIn("the same name", said)

    def test_a_taken_name_is_refused(self) -> None:
        self.assertIn("already", self.refused(row("a"), a="own"))

    def test_what_was_replaced_is_refused(self) -> None:
        old = row("a", id=ids.ResourceId("old"))
        self.assertIn("replaced", self.refused(old, row("a"), a="a"))

    def test_what_failed_or_was_not_made_is_refused(self) -> None:
        for given in (
            {"status": states.Status.FAILED},
            {"action": states.Action.INIT},
            {"action": states.Action.DELETE},
        ):
            said = self.refused(row("a", **given), a="a")
            self.assertIn("only what is complete", said)

    def test_what_rests_is_refused(self) -> None:
        self.assertIn("rests", self.refused(row("a", is_at_rest=True), a="a"))

    def test_what_waits_at_a_breakpoint_is_refused(self) -> None:
        hooks = breakpoints.with_states(
            ids.OperationId("o"), {"pre-update": breakpoints.WAITING}
        )
        self.assertIn("breakpoint", self.refused(row("a", hooks=hooks), a="a"))


class MovedTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        a, b = row("a"), row("b")
        self.c = row(
            "c", requires=("a", "b"), required_ids=(a.id, b.id), data={"k": 1}
        )
        self.rows = [a, b, self.c]

    def test_of_what_it_needs_only_what_moves_too_is_left(self) -> None:
        _, b, _ = self.rows
        names = {"b": "y", "c": "z"}

        found = move_rows.moved_rows([b, self.c], names, THERE, NOW)[1]

        self.assertEqual((THERE.id, "z"), (found.stack_id, found.name))
        self.assertEqual(("y",), found.requires)
        self.assertEqual((b.id,), found.required_ids)
        self.assertEqual({"k": 1}, found.data)

    def test_what_stays_needs_nothing_that_has_gone(self) -> None:
        a, b, _ = self.rows

        found = move_rows.remaining_rows(self.rows, [a])

        self.assertEqual(["b", "c"], [each.name for each in found])
        self.assertEqual(("b",), found[1].requires)
        self.assertEqual((b.id,), found[1].required_ids)
