"""Who is removed after whom while several incarnations stand for a name."""

import dataclasses

import testtools

from orch import clock
from orch import ids
from orch.model import resource
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from tests.unit.planner import test_builder

NOW = clock.Timestamp(0.0)


def _id(text: str) -> ids.ResourceId:
    return ids.ResourceId(text)


def row(
    name: str,
    number: int,
    *needed: str,
    replaced_by: str | None = None,
    action: states.Action = states.Action.CREATE,
) -> resource.Resource:
    """Return an incarnation; what it needs is named like ``a1``."""
    return resource.Resource(
        id=_id(f"{name}{number}"),
        stack_id=ids.StackId("s"),
        name=name,
        type_name="A::B::C",
        action=action,
        physical_id=None if action is states.Action.INIT else "thing",
        requires=tuple(each[0] for each in needed),
        required_ids=tuple(_id(each) for each in needed),
        replaced_by=_id(replaced_by) if replaced_by else None,
        created_at=NOW,
        updated_at=NOW,
    )


def removals(*rows: resource.Resource) -> list[str]:
    """Return the ids in the order in which all are removed."""
    wanted = builder.build_plan(
        draft.Situation(
            action=states.Action.DELETE, desired={}, existing=list(rows)
        )
    )
    return [each.resource_id for each in wanted.changes]


class RemovalTest(testtools.TestCase):
    def test_what_was_changed_half_does_not_stand_in_the_way(self) -> None:
        half_done = dataclasses.replace(
            row("a", 1, "b1", action=states.Action.UPDATE),
            status=states.Status.FAILED,
        )

        self.assertEqual(["b1", "a1"], removals(half_done, row("b", 1, "a1")))

    def test_old_and_new_may_depend_on_each_other_in_two_ways(self) -> None:
        order = removals(
            row("a", 1, replaced_by="a2"),
            row("a", 2, "b2"),
            row("b", 1, "a1", replaced_by="b2"),
            row("b", 2),
        )

        self.assertLess(order.index("b1"), order.index("a1"))
        self.assertLess(order.index("a2"), order.index("b2"))

    def test_what_was_replaced_goes_before_what_it_was_made_upon(self) -> None:
        order = removals(
            row("a", 1, replaced_by="a2"),
            row("a", 2),
            row("b", 1, "a1", replaced_by="b2"),
            row("b", 2, "a2"),
        )

        self.assertLess(order.index("b1"), order.index("a1"))
        self.assertLess(order.index("b2"), order.index("a2"))

    def test_what_never_began_needs_nothing(self) -> None:
        order = removals(
            row("a", 1, "b1", action=states.Action.INIT), row("b", 1, "a1")
        )

        self.assertEqual({"a1", "b1"}, set(order))

    def test_without_an_incarnation_the_current_one_is_meant(self) -> None:
        order = removals(row("a", 2), row("b", 1, "a1"))

        self.assertEqual(["b1", "a2"], order)


class TermsTest(testtools.TestCase):
    def test_what_is_declared_otherwise_takes_its_turn(self) -> None:
        wanted = test_builder.build(
            test_builder.declare(a=("b",), b=()),
            (test_builder.row("a"),),
        )

        self.assertEqual(
            "create b (is not there yet)\n"
            "read a (is declared otherwise now) after create b",
            wanted.describe(),
        )

    def test_a_begun_creation_takes_on_what_is_declared_by_now(self) -> None:
        begun = test_builder.row(
            "a", status=states.Status.IN_PROGRESS, requires=("gone",)
        )

        wanted = test_builder.build(test_builder.declare(a=()), (begun,))

        self.assertEqual(
            "create a (was begun)\n"
            "read a (is declared otherwise now) after create a",
            wanted.describe(),
        )

    def test_what_came_to_need_each_other_is_removed_all_the_same(
        self,
    ) -> None:
        """What was changed last keeps its claim: the other one goes last."""
        before = row("a", 1, "b1")
        after = dataclasses.replace(
            row("b", 1, "a1"), updated_at=clock.Timestamp(1.0)
        )

        self.assertEqual(["b1", "a1"], removals(before, after))

    def test_remains_that_others_were_made_on_go_after_they_moved(
        self,
    ) -> None:
        remains = dataclasses.replace(
            row("a", 1),
            action=states.Action.DELETE,
            status=states.Status.FAILED,
        )
        wanted = builder.build_plan(
            draft.Situation(
                action=states.Action.UPDATE,
                desired=test_builder.declare(a=()),
                existing=[remains, row("b", 1, "a1")],
                new_id=lambda: "a2",
            )
        )

        self.assertEqual(
            "create a (failed before)\n"
            "clean-up  (all else is complete) after create a\n"
            "delete b (is not wanted) after clean-up \n"
            "delete a (failed) after delete b, clean-up ",
            wanted.describe(),
        )
