"""Random groups, brought to a new definition and size batch by batch."""

import collections.abc

import hypothesis
from hypothesis import strategies

from orch.plugin import nested_stack
from orch.resources.groups import batching as group_batching
from orch.resources.groups import membership
from orch.resources.groups import scaling_group
from tests import base
from tests.unit.resources.groups import members

OLD = {"type": "Old"}
NEW = {"type": "New"}

Step = collections.abc.Callable[
    [list[nested_stack.Member]], membership.Membership | None
]

groups = strategies.dictionaries(
    strategies.integers(0, 12).map(str),
    strategies.tuples(
        strategies.sampled_from((OLD, NEW)), strategies.booleans()
    ),
    max_size=9,
).map(
    lambda found: [
        members.member(name, definition, is_failed=is_failed, created_at=at)
        for at, (name, (definition, is_failed)) in enumerate(found.items())
    ]
)
paces = strategies.builds(
    group_batching.BatchPolicy,
    batch_size=strategies.integers(1, 4),
    in_service=strategies.integers(0, 8),
)


def reached(
    found: membership.Membership, before: list[nested_stack.Member]
) -> list[nested_stack.Member]:
    """Return the members once a stage is complete."""
    there = {each.name: each.created_at for each in before}
    return [
        members.member(name, one, created_at=there.get(name, 100.0))
        for name, one in found.members.items()
    ]


class MembershipTest(base.TestCase):
    def check_way(
        self,
        there: list[nested_stack.Member],
        batch_policy: group_batching.BatchPolicy,
        desired: int,
        step: Step,
    ) -> list[nested_stack.Member]:
        """Go all the way; no batch may touch too many members."""
        for _ in range(100):
            found = step(there)
            if found is None:
                return there
            before = {each.name: each for each in there}
            touched = [
                name
                for name, one in found.members.items()
                if name not in before or before[name].definition != one
            ]
            left_alone = set(before) & set(found.members) - set(touched)
            self.assertLessEqual(len(touched), batch_policy.batch_size)
            self.assertGreaterEqual(
                len(left_alone),
                min(batch_policy.in_service, desired, len(before)),
            )
            there = reached(found, there)
        raise AssertionError("it never comes to an end")

    @hypothesis.given(
        there=groups, batch_policy=paces, desired=strategies.integers(0, 9)
    )
    def test_members_with_names_all_get_there(
        self,
        there: list[nested_stack.Member],
        batch_policy: group_batching.BatchPolicy,
        desired: int,
    ) -> None:
        def make(there: list[nested_stack.Member]) -> membership.NamedMembers:
            return membership.NamedMembers(
                there,
                lambda count: [str(number) for number in range(count)],
                desired,
                lambda _: NEW,
            )

        def step(
            there: list[nested_stack.Member],
        ) -> membership.Membership | None:
            named = make(there)
            return named.step(batch_policy) if named.is_outdated else None

        end = make(self.check_way(there, batch_policy, desired, step)).end()

        expected = {str(number): NEW for number in range(desired)}
        self.assertEqual(expected, end.members)

    @hypothesis.given(
        there=groups, batch_policy=paces, desired=strategies.integers(0, 9)
    )
    def test_members_that_are_alike_all_get_there(
        self,
        there: list[nested_stack.Member],
        batch_policy: group_batching.BatchPolicy,
        desired: int,
    ) -> None:
        def make(
            there: list[nested_stack.Member],
        ) -> membership.UniformMembers:
            taken = {each.name for each in there}
            return membership.UniformMembers(
                there,
                lambda: scaling_group.generate_unused_names("token", 0, taken),
                desired,
                NEW,
            )

        def step(
            there: list[nested_stack.Member],
        ) -> membership.Membership | None:
            alike = make(there)
            return alike.step(batch_policy) if alike.is_outdated else None

        end = make(self.check_way(there, batch_policy, desired, step)).end()

        self.assertEqual([NEW] * desired, list(end.members.values()))

    def test_the_failed_then_the_outdated_then_the_oldest_go(self) -> None:
        there = [
            members.member("oldest", NEW, created_at=1),
            members.member("young", NEW, created_at=2),
            members.member("outdated", OLD, created_at=3),
            members.member("failed", NEW, created_at=4, is_failed=True),
        ]
        found = [
            set(
                membership.UniformMembers(there, lambda: iter(()), size, NEW)
                .end()
                .members
            )
            for size in (3, 2, 1)
        ]

        self.assertEqual(
            [{"oldest", "young", "outdated"}, {"oldest", "young"}, {"young"}],
            found,
        )

    def test_a_definition_leaves_out_what_is_not_given(self) -> None:
        self.assertEqual(
            {"type": "T", "properties": {"a": [1, None]}},
            membership.without_missing(
                {"type": "T", "properties": {"a": (1, None)}, "metadata": None}
            ),
        )
