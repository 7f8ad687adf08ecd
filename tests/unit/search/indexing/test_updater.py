"""Stacks are read and put, with those that change with them."""

import collections.abc

from orch import errors
from orch.search import document
from orch.search.indexing import known_stacks
from orch.search.indexing import updater
from tests import base
from tests.support import searching


class UpdaterTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = searching.Clock()
        self.index = searching.Index()
        self.source = searching.Source(self.clock)
        self.updater = updater.Updater(
            self.index, self.source, known_stacks.KnownStacks()
        )

    def update(self, *stack_ids: str) -> set[str]:
        return self.updater.update(dict.fromkeys(stack_ids, 0))


class UpdaterTest(UpdaterTestCase):
    def found(self) -> dict[str, str]:
        return {each.stack_id: each.name for each in self.index.documents()}

    def test_s5_an_older_version_is_left_for_later(self) -> None:
        self.source.change("s1", name="old")
        self.source.change("s2", name="new")

        self.assertEqual({"s1"}, self.updater.update({"s1": 2, "s2": 1}))
        self.assertEqual({"s2": "new"}, self.found())
        self.assertEqual(set(), self.updater.update({"s1": 1}))
        self.assertEqual({"s1": "old", "s2": "new"}, self.found())

    def test_s5_what_is_purged_is_removed(self) -> None:
        self.source.change("s1")
        self.update("s1")
        self.source.purge("s1")
        # A copy of the database that is behind may not have it yet.
        self.assertEqual({"s1"}, self.updater.update({"s1": 2}))
        self.assertEqual({"s1"}, set(self.found()))

        self.assertEqual(set(), self.update("s1", "never-read"))

        self.assertEqual({}, self.found())
        self.assertEqual(0, self.index.stacks["never-read"].version)

    def test_a_stack_that_cannot_be_read_is_returned(self) -> None:
        names = [f"s{number}" for number in range(5)]
        self.source.broken = {"s2"}
        for each in names:
            self.source.change(each)

        self.assertEqual({"s2"}, self.update(*names))

        self.assertEqual({"s0", "s1", "s3", "s4"}, set(self.found()))

    def test_what_the_source_cannot_tell_of_is_left_as_it_is(self) -> None:
        self.source.change("s1")
        self.update("s1")
        self.source.is_silent = True

        self.assertEqual(set(), self.update("s1"))

        self.assertEqual({"s1"}, set(self.found()))


class TreeTest(UpdaterTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.source.change("root", path="shop", tags=())
        for name, path in (("in", "shop/db"), ("deep", "shop/db/a")):
            self.source.change(name, root_id="root", path=path, tags=())
        self.source.change("else", path="shopping")
        self.update("root", "in", "deep", "else")
        self.source.reads.clear()

    def rename(self) -> None:
        self.source.change("root", path="store")
        self.source.change("in", path="store/db")
        self.source.change("deep", path="store/db/a")

    def paths(self) -> dict[str, str]:
        return {each.stack_id: each.path for each in self.index.documents()}

    def check_renamed(self) -> None:
        self.assertEqual(
            {
                "root": "store",
                "in": "store/db",
                "deep": "store/db/a",
                "else": "shopping",
            },
            self.paths(),
        )

    def test_s1_a_new_name_is_in_all_paths_below(self) -> None:
        self.rename()
        self.update("root")

        self.check_renamed()
        self.assertEqual(
            [["root"], ["in", "deep"], ["deep"]], _sorted(self.source.reads)
        )

    def test_s5_a_kill_in_between_leaves_no_path_of_before(self) -> None:
        self.rename()
        put = self.index.put

        for count in range(2):
            left = count

            def die(
                changes: collections.abc.Sequence[document.StackDocuments],
            ) -> int:
                nonlocal left
                left -= 1
                if left < 0:
                    raise KeyboardInterrupt
                return put(changes)

            self.index.put = die  # type: ignore[method-assign]
            self.assertRaises(KeyboardInterrupt, self.update, "root")
            self.assertEqual("shop", self.paths()["root"])
        self.assertEqual("store/db/a", self.paths()["deep"])
        self.index.put = put  # type: ignore[method-assign]
        # Meanwhile it has got another name.
        self.source.change("root", path="mall")
        self.source.change("in", path="mall/db")
        self.source.change("deep", path="mall/db/a")
        self.update("root")

        self.assertEqual(
            {
                "root": "mall",
                "in": "mall/db",
                "deep": "mall/db/a",
                "else": "shopping",
            },
            self.paths(),
        )

    def test_s5_a_stack_below_that_cannot_be_read_is_returned(self) -> None:
        self.rename()
        self.source.broken = {"deep"}

        self.assertEqual({"deep"}, self.update("root"))

        self.assertEqual("store/db", self.paths()["in"])
        self.source.broken = set()
        self.update("deep")
        self.check_renamed()

    def test_s5_a_source_that_fails_below_changes_nothing_above(self) -> None:
        self.rename()

        def fail() -> None:
            self.source.is_away = True

        self.source.after_read = fail
        self.assertRaises(errors.Unavailable, self.update, "root")

        self.assertEqual("shop", self.paths()["root"])

    def test_s3_what_is_hidden_now_is_so_below(self) -> None:
        for each in ("root", "in", "deep"):
            self.source.change(each, is_hidden=True)
        self.update("root")

        hidden = [e.stack_id for e in self.index.documents() if e.is_hidden]
        self.assertEqual(["deep", "in", "root"], sorted(hidden))

    def test_s3_what_a_stack_hides_is_hidden_in_and_around_it(self) -> None:
        self.source.redacted["in"] = frozenset({"parameters.key"})
        self.source.change("in", fields={"operation.id": ("o2",)})
        self.source.look("root", fields={"told": ("less",)})
        self.source.look("deep", fields={"told": ("less",)})
        self.update("in")

        self.assertEqual(
            [["in"], ["root", "deep"]], _sorted(self.source.reads)
        )
        self.assertEqual(
            frozenset({"parameters.key"}), self.index.stacks["in"].redacted
        )
        for each in ("root", "deep"):
            (found,) = self.index.stacks[each].documents
            self.assertEqual({"told": ("less",)}, found.fields)

    def test_s3_of_no_other_operation_one_stack_is_read(self) -> None:
        self.source.change("in", fields={"operation.id": ("o2",)})
        self.update("in")
        self.source.redacted["in"] = frozenset({"parameters.key"})
        self.source.change("in", reason="x")
        self.update("in")

        self.assertEqual([["in"], ["in"]], self.source.reads)

    def test_s3_two_that_change_each_other_come_to_an_end(self) -> None:
        for each in ("root", "in"):
            self.source.redacted[each] = frozenset({"parameters.key"})
            self.source.change(each, fields={"operation.id": ("o2",)})
        self.source.change("root", path="store")
        self.update("root")

        self.assertLess(len(self.source.reads), 8)
        self.assertEqual("store", self.paths()["root"])

    def test_any_other_change_is_of_one_stack(self) -> None:
        self.source.change("root", reason="x")
        self.update("root")

        self.assertEqual([["root"]], self.source.reads)


def _sorted(reads: list[list[str]]) -> list[list[str]]:
    return [sorted(each, reverse=True) for each in reads]
