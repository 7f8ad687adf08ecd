"""Golden plans of operations that wait at breakpoints."""

import dataclasses

from orch import ids
from orch.model import breakpoints
from orch.model import resource
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from tests import base
from tests.unit.planner import test_builder

ASKED = ids.OperationId("asked")
OTHER = ids.OperationId("other")
GONE = states.Action.DELETE


def build(
    existing: list[resource.Resource],
    desired: dict[str, test_builder.Declaration] | None = None,
) -> plan.Plan:
    return builder.build_plan(
        draft.Situation(
            action=states.Action.UPDATE if desired else GONE,
            desired=desired or {},
            existing=existing,
            operation_id=ASKED,
            new_id=lambda: "new-row",
        )
    )


def held(
    row: resource.Resource,
    hook: str,
    state: str = breakpoints.WAITING,
    asked: ids.OperationId = ASKED,
) -> resource.Resource:
    hooks = breakpoints.with_state(row, asked, hook, state)
    return dataclasses.replace(row, hooks=hooks)


class HeldTest(base.TestCase):
    def test_what_is_complete_and_held_stays_in_the_plan(self) -> None:
        desired = test_builder.declare(a=(), b=("a",))
        for state in (breakpoints.WAITING, breakpoints.RELEASED):
            row = held(test_builder.row("a"), "post-create", state)

            self.assertEqual(
                "read a (is held at a breakpoint)\n"
                "create b (is not there yet) after read a",
                build([row], desired).describe(),
            )

    def test_what_was_cleared_or_is_of_another_operation_does_not(
        self,
    ) -> None:
        desired = test_builder.declare(a=())
        row = test_builder.row("a")
        for found in (
            held(row, "post-create", breakpoints.CLEARED),
            held(row, "post-create", asked=OTHER),
            held(row, "pre-update"),
        ):
            self.assertEqual(("a",), build([found], desired).unchanged)

    def test_what_is_gone_and_held_holds_what_is_removed_after(self) -> None:
        gone = held(
            test_builder.row("b", GONE, requires=("a",)), "post-delete"
        )

        self.assertEqual(
            "gone b (is held at a breakpoint)\n"
            "delete a (is not wanted) after gone b",
            build([test_builder.row("a"), gone]).describe(),
        )

    def test_what_is_gone_and_cleared_drops_out(self) -> None:
        gone = held(
            test_builder.row("b", GONE), "post-delete", breakpoints.CLEARED
        )

        self.assertEqual((), build([gone]).changes)

    def test_a_replacement_that_has_not_begun_is_one_still(self) -> None:
        new = test_builder.row("a", states.Action.INIT, physical_id=None)
        old = dataclasses.replace(
            test_builder.row("a"),
            id=ids.ResourceId("old-row"),
            type_name="A::Former",
            replaced_by=new.id,
        )

        wanted = build([old, new], test_builder.declare(a=()))

        (change,) = (
            each for each in wanted.changes if each.kind is plan.Kind.CREATE
        )
        self.assertEqual(
            (new.id, old.id), (change.resource_id, change.replaces)
        )
