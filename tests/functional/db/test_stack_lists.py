"""Lists of stacks on each database."""

import testscenarios

from orch import ids
from orch.db import queries
from orch.db.repositories import resources
from orch.db.repositories import stack_lists
from orch.db.repositories import stacks
from orch.model import stack
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class _Case(base.TestCase):
    def store(self, name: str, age: float = 0, **given: object) -> stack.Stack:
        value = base.make_stack(name=name, created_at=base.NOW - age, **given)
        with self.database.write() as conn:
            stacks.insert(conn, value)
        return value

    def names(self, **query: object) -> list[str]:
        asked = queries.StackQuery(**({"project_id": "demo"} | query))
        with self.database.read() as conn:
            found = stack_lists.list_(conn, asked)
            counted = stack_lists.count(conn, asked)
        if asked.limit is None and asked.marker is None:
            self.assertEqual(len(found), counted)
        return [each.name for each in found]


class FilterTest(_Case):
    def setUp(self) -> None:
        super().setUp()
        root = self.store("root", tags=("a", "b"), username="ann")
        self.store("other", 1, project_id="two", tags=("a",))
        self.store("nested", 2, parent_id=root.id, root_id=root.id, depth=1)
        self.store("gone", 3, deleted_at=base.NOW)
        self.store(
            "failed",
            4,
            status=states.Status.FAILED,
            action=states.Action.DELETE,
            disable_rollback=False,
            timeout_s=120,
            tags=("b",),
        )
        self.root = root

    def test_live_roots_of_the_project_are_listed_the_newest_first(
        self,
    ) -> None:
        self.assertEqual(["root", "failed"], self.names())

    def test_more_is_listed_where_it_is_asked_for(self) -> None:
        self.assertEqual(
            ["root", "gone", "failed"], self.names(show_deleted=True)
        )
        self.assertEqual(
            ["root", "nested", "failed"], self.names(show_nested=True)
        )
        self.assertEqual(
            ["root", "other", "failed"], self.names(all_projects=True)
        )

    def test_a_filter_allows_any_of_its_values(self) -> None:
        for name, values, expected in (
            ("name", ["failed", "root"], ["root", "failed"]),
            ("name", ["FAILED"], []),
            ("id", [self.root.id], ["root"]),
            ("status", ["FAILED"], ["failed"]),
            ("action", ["CREATE", "DELETE"], ["root", "failed"]),
            ("username", ["ann"], ["root"]),
            ("project_id", ["two"], []),
            ("disable_rollback", ["False"], ["failed"]),
            ("disable_rollback", ["true", "false"], ["root", "failed"]),
            ("disable_rollback", ["no"], []),
            ("timeout_mins", ["2", "3"], ["failed"]),
            ("timeout_mins", ["two"], []),
            ("parent_id", [self.root.id], ["nested"]),
            ("no_such_column", ["x"], ["root", "failed"]),
        ):
            found = self.names(filters={name: values})
            self.assertEqual(expected, found, (name, values))

    def test_filters_add_up(self) -> None:
        filters = {"status": ["FAILED"], "action": ["CREATE"]}

        self.assertEqual([], self.names(filters=filters))

    def test_tags_are_filtered_in_four_ways(self) -> None:
        self.store("plain", 5)
        for expected, query in (
            (["root"], {"tags": ("a", "b")}),
            (["root", "failed"], {"tags_any": ("a", "b")}),
            (["failed", "plain"], {"not_tags": ("a", "b")}),
            (["plain"], {"not_tags_any": ("a", "b")}),
            (["failed"], {"tags": ("b",), "not_tags_any": ("a",)}),
            ([], {"tags": ("A",)}),
        ):
            self.assertEqual(expected, self.names(**query), query)

    def test_live_roots_of_a_project_are_counted(self) -> None:
        with self.database.read() as conn:
            self.assertEqual(2, stack_lists.count_live(conn, "demo"))
            self.assertEqual(1, stack_lists.count_live(conn, "two"))
            self.assertEqual(0, stack_lists.count_live(conn, "three"))


class OrderTest(_Case):
    def setUp(self) -> None:
        super().setUp()
        self.by_name = {
            name: self.store(name, age, status=status, updated_at=updated)
            for name, age, status, updated in (
                ("a", 3, states.Status.FAILED, None),
                ("b", 1, states.Status.COMPLETE, base.NOW + 2),
                ("c", 2, states.Status.FAILED, base.NOW + 1),
                ("d", 2, states.Status.COMPLETE, None),
            )
        }

    def test_keys_sort_in_both_directions(self) -> None:
        for expected, keys, direction in (
            ("abcd", ("name",), "asc"),
            ("abcd", ("name",), None),
            ("dcba", ("name",), "desc"),
            ("bdac", ("status", "name"), "asc"),
            ("bcda", ("updated_at", "name"), "desc"),
            ("abcd", ("no_such_key", "name"), "asc"),
        ):
            found = self.names(sort_keys=keys, sort_dir=direction)
            self.assertEqual(expected, "".join(found), (keys, direction))

    def test_without_a_key_they_are_sorted_by_creation(self) -> None:
        newest_first = "".join(self.names())
        self.assertEqual("b", newest_first[0])
        self.assertEqual("a", newest_first[-1])
        self.assertEqual(
            newest_first[::-1], "".join(self.names(sort_dir="asc"))
        )

    def test_pages_show_each_once_whatever_the_order(self) -> None:
        for keys in ((), ("name",), ("status",), ("updated_at",)):
            for direction in ("asc", "desc"):
                query = {"sort_keys": keys, "sort_dir": direction}
                expected = self.names(**query)
                found: list[str] = []
                marker = None
                for _ in expected:
                    (name,) = self.names(limit=1, marker=marker, **query)
                    found.append(name)
                    marker = self.by_name[name].id
                self.assertEqual(expected, found, query)
                self.assertEqual([], self.names(marker=marker, **query))

    def test_a_marker_that_names_nothing_is_passed_over(self) -> None:
        self.assertEqual(self.names(), self.names(marker="00000000-0000-0000"))


class UnsoundTest(_Case):
    """What is amiss in the stacks of a stack."""

    def setUp(self) -> None:
        super().setUp()
        self.root = self.store("root")
        self.sound = self.below(self.root, "sound")
        self.below(self.sound, "deep")

    def below(
        self, around: stack.Stack, name: str, **given: object
    ) -> stack.Stack:
        """Store a stack with the resource that holds it."""
        found = self.store(
            name, parent_id=around.id, root_id=self.root.id, **given
        )
        row_id = ids.ResourceId(found.id)
        self.save(id=row_id, stack_id=around.id, name=name)
        return found

    def save(self, **given: object) -> None:
        with self.database.write() as conn:
            resources.save_many(conn, [base.make_resource(**given)])

    def unsound(self) -> set[tuple[ids.StackId, ids.StackId | None]]:
        with self.database.read() as conn:
            return stack_lists.find_unsound(conn, self.root.id)

    def test_nothing_is_amiss(self) -> None:
        # Gone, and its resource with it.
        self.store("gone", parent_id=self.sound.id, deleted_at=base.NOW)
        other = self.store("other")
        self.save(stack_id=other.id, name="x", status=states.Status.FAILED)

        self.assertEqual(set(), self.unsound())

    def test_a_failed_resource_at_any_depth(self) -> None:
        one = self.below(self.root, "one")
        two = self.below(self.root, "two")
        far = self.below(self.below(two, "near"), "far")
        for each in (one, far):
            self.save(stack_id=each.id, name="x", status=states.Status.FAILED)

        expected = {(one.id, None), (two.id, None)}
        self.assertEqual(expected, self.unsound())

    def test_a_stack_that_is_missed_or_failed(self) -> None:
        one = self.below(self.root, "one")
        two = self.below(self.root, "two")
        self.below(one, "missed", deleted_at=base.NOW)
        failed = self.below(two, "failed", status=states.Status.FAILED)

        expected = {(one.id, None), (two.id, failed.id)}
        self.assertEqual(expected, self.unsound())
