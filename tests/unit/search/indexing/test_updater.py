"""What is marked is read, kept and unmarked, whatever is in the way."""

import collections.abc

import fixtures

from orch.search import document
from orch.search.index import port
from orch.search.indexing import reader
from orch.search.indexing import updater
from tests import base
from tests.support import scraped
from tests.support import searching

# Longer than what was read a moment ago is left alone here.
_RESTS_S = 0.1


class UpdaterTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = searching.Clock()
        self.index = searching.Index()
        self.source = searching.Source(self.clock)
        self.updater = self.make()

    def make(
        self, complete: updater.Complete | None = None
    ) -> updater.Updater:
        return updater.Updater(
            self.index,
            reader.Reader(self.source),
            self.clock,
            reread_interval_s=2.0,
            complete=complete,
        )

    def hear(self, *marks: port.Mark) -> None:
        self.index.mark(marks)
        self.updater.enqueue(marks)

    def settle(self, seconds: float = 0.0) -> None:
        """Let time pass, and the keeper do all that is due."""
        self.clock.pass_(seconds)
        while (pause_s := self.updater.step()) < _RESTS_S:
            self.clock.pass_(pause_s)

    def found(self) -> dict[str, str]:
        return {each.stack_id: each.name for each in self.index.documents()}


class UpdaterTest(UpdaterTestCase):
    def test_it_is_counted_how_long_a_change_was_not_in_the_index(
        self,
    ) -> None:
        counted = self.useFixture(scraped.Counting())
        self.hear(port.Mark("s1", self.source.change("s1", name="x")))
        self.clock.pass_(3.0)
        self.hear(port.Mark("s1", self.source.change("s1", name="y")))
        self.hear(port.Mark("s2", self.source.change("s2", name="z")))
        self.assertEqual(2, self.updater.mark_queue.count())

        self.settle(4.0)

        # The first change of each counts: so long its document was old.
        (seconds,) = counted.all_of("orch_search_lag_seconds_sum").values()
        self.assertAlmostEqual(7.0 + 4.0, seconds, delta=1.0)
        self.assertEqual(
            {(): 2.0}, counted.all_of("orch_search_lag_seconds_count")
        )
        self.assertEqual(0, self.updater.mark_queue.count())

    def test_what_is_marked_is_read_and_unmarked(self) -> None:
        self.hear(
            *(
                port.Mark(f"s{n}", self.source.change(f"s{n}", name="x"))
                for n in range(120)
            )
        )

        self.settle()

        self.assertEqual(120, len(self.found()))
        self.assertEqual({}, self.index.marks)
        self.assertEqual(
            [50, 50, 20], [len(each) for each in self.source.reads]
        )

    def test_s5_duplicates_and_disorder_change_nothing(self) -> None:
        first = self.source.change("s1", name="old")
        second = self.source.change("s1", name="new")
        self.hear(port.Mark("s1", second))
        self.settle()
        self.hear(port.Mark("s1", first), port.Mark("s1", second))
        self.settle()

        self.assertEqual({"s1": "new"}, self.found())
        self.assertEqual(second, self.index.stacks["s1"].version)
        self.assertEqual({}, self.index.marks)

    def test_s5_a_mark_of_the_same_version_is_read_again(self) -> None:
        # What a look at things has shown does not count as an event.
        mark = port.Mark("s1", self.source.change("s1", name="old"))
        self.hear(mark)

        def look() -> None:
            self.source.after_read = lambda: None
            self.source.look("s1", name="seen")
            self.hear(port.Mark("s1", mark.version))

        self.source.after_read = look
        self.updater.step()
        self.assertEqual({"s1": "old"}, self.found())
        self.assertEqual({"s1": mark}, self.index.marks)
        self.settle()

        self.assertEqual({"s1": "seen"}, self.found())
        self.assertEqual({}, self.index.marks)

    def test_s5_a_mark_of_a_lesser_version_is_read_again(self) -> None:
        # What is around a stack has changed, which is no event of its own.
        version = self.source.change("s1", name="old")
        self.hear(port.Mark("s1", version))

        def look() -> None:
            self.source.after_read = lambda: None
            self.source.look("s1", name="seen")
            self.hear(port.Mark("s1"))

        self.source.after_read = look
        self.updater.step()
        self.assertEqual({"s1": port.Mark("s1", version)}, self.index.marks)
        self.settle()

        self.assertEqual({"s1": "seen"}, self.found())
        self.assertEqual({}, self.index.marks)

    def test_s5_a_mark_that_another_process_made_meanwhile_stays(self) -> None:
        version = self.source.change("s1")
        self.hear(port.Mark("s1", version))
        self.source.after_read = lambda: self.index.mark([port.Mark("s1")])

        self.updater.step()

        self.assertEqual({"s1": port.Mark("s1", version)}, self.index.marks)

    def test_it_goes_on_after_thousands_of_failures(self) -> None:
        self.source.is_away = True
        self.hear(port.Mark("s1", self.source.change("s1")))

        pauses = [self.updater._thread.run_once() for _ in range(5_000)]

        self.assertEqual([0.5, 1.0, 2.0], pauses[:3])
        self.assertEqual({30.0}, set(pauses[7:]))
        self.source.is_away = False
        self.updater._thread.run_once()
        self.assertEqual({"s1"}, set(self.found()))

    def test_s5_a_delete_removes(self) -> None:
        self.hear(port.Mark("s1", self.source.change("s1")))
        self.settle()
        self.hear(port.Mark("s1", self.source.delete("s1")))
        self.settle()

        self.assertEqual({}, self.found())

    def test_s5_what_is_purged_before_it_is_read_is_removed(self) -> None:
        self.hear(port.Mark("s1", self.source.change("s1")))
        self.settle()
        self.source.purge("s1")
        # Its version is not known any more.
        self.hear(port.Mark("s1"), port.Mark("never-read"))

        self.settle()

        self.assertEqual({}, self.found())
        self.assertEqual({}, self.index.marks)

    def test_s5_what_is_purged_is_removed_too(self) -> None:
        self.hear(port.Mark("s1", self.source.change("s1")))
        self.settle()
        version = self.source.delete("s1")
        self.source.purge("s1")
        self.hear(port.Mark("s1", version))
        for _ in range(12):
            self.settle(20)

        self.assertEqual({}, self.found())
        self.assertEqual({}, self.index.marks)

    def test_what_lags_behind_is_read_again_later(self) -> None:
        self.source.change("s1", name="old")
        self.hear(port.Mark("s1", 2))
        self.settle()
        self.assertEqual({"s1": port.Mark("s1", 2)}, self.index.marks)
        self.assertEqual(1, len(self.source.reads))

        self.source.change("s1", name="new")
        self.settle(1)

        self.assertEqual({"s1": "new"}, self.found())
        self.assertEqual({}, self.index.marks)

    def test_what_never_arrives_is_not_waited_for_for_ever(self) -> None:
        self.source.change("s1", name="old")
        self.hear(port.Mark("s1", 99))
        for _ in range(20):
            self.settle(60)

        self.assertEqual({"s1": "old"}, self.found())
        self.assertEqual({}, self.index.marks)
        self.assertEqual(7, len(self.source.reads))

    def test_a_stack_that_cannot_be_read_is_in_nobodys_way(self) -> None:
        names = [f"s{number}" for number in range(5)]
        self.source.broken = {"s2"}
        self.hear(*(port.Mark(n, self.source.change(n)) for n in names))

        self.settle()

        self.assertEqual({"s0", "s1", "s3", "s4"}, set(self.found()))
        self.assertEqual({"s2"}, set(self.index.marks))
        self.source.broken = set()
        self.settle(1)
        self.assertEqual(set(names), set(self.found()))
        self.assertEqual({}, self.index.marks)

    def test_marks_of_a_process_that_was_killed_are_seen_to(self) -> None:
        self.index.mark([port.Mark("s1", self.source.change("s1"))])

        self.settle()

        self.assertEqual({"s1"}, set(self.found()))
        self.assertEqual({}, self.index.marks)

    def test_marks_of_another_process_are_left_to_it_for_a_while(self) -> None:
        self.settle()
        self.index.mark([port.Mark("s1", self.source.change("s1"))])
        self.settle(5)
        self.settle(4)
        self.assertEqual([], self.source.reads)

        self.settle(6)

        self.assertEqual([["s1"]], self.source.reads)

    def test_a_change_while_it_was_read_is_read_again(self) -> None:
        self.hear(port.Mark("s1", self.source.change("s1", name="old")))

        def change_too() -> None:
            self.source.after_read = lambda: None
            self.hear(port.Mark("s1", self.source.change("s1", name="new")))

        self.source.after_read = change_too
        self.settle()

        self.assertEqual({"s1": "new"}, self.found())
        self.assertEqual({}, self.index.marks)

    def test_what_changes_is_read_again_until_it_rests(self) -> None:
        version = self.source.change("s1", status="IN_PROGRESS", reason="a")
        self.hear(port.Mark("s1", version))
        self.settle()
        self.source.change("s1", reason="b")
        self.settle(2.1)
        self.assertEqual("b", self.index.documents()[0].reason)

        self.source.change("s1", status="COMPLETE")
        self.settle(30.1)
        self.assertEqual("COMPLETE", self.index.documents()[0].status)
        count = len(self.source.reads)
        self.settle(3600)
        self.assertEqual(count, len(self.source.reads))

    def test_what_changes_further_is_read_each_five_seconds(self) -> None:
        for number in range(100):
            self.source.change("s1", reason=f"{number}")
            mark = port.Mark("s1")
            self.index.mark([mark])
            self.updater.enqueue((), [mark])
            self.settle(0.2)

        self.assertIn(len(self.source.reads), (3, 4))

    def test_what_changes_while_it_is_read_waits_as_long(self) -> None:
        def change() -> None:
            self.source.change("s1")
            mark = port.Mark("s1")
            self.index.mark([mark])
            self.updater.enqueue((), [mark])

        log = self.useFixture(fixtures.FakeLogger(updater.LOG.name))
        change()
        self.source.after_read = change
        for _ in range(100):
            self.settle(0.2)

        self.assertIn(len(self.source.reads), (3, 4))
        # It waits by intention, so searches are not behind.
        self.assertEqual("", log.output)

    def test_the_end_of_what_changes_is_read_at_once(self) -> None:
        self.source.change("s1")
        mark = port.Mark("s1")
        self.index.mark([mark])
        self.updater.enqueue((), [mark])
        self.settle(1.0)
        self.assertEqual([], self.source.reads)

        self.source.change("s1", reason="end")
        self.hear(port.Mark("s1"))
        self.settle()
        self.assertEqual("end", self.index.documents()[0].reason)
        self.assertEqual({}, self.index.marks)

    def test_it_logs_once_that_it_is_behind(self) -> None:
        log = self.useFixture(fixtures.FakeLogger(updater.LOG.name))
        self.source.change("s1")
        self.source.change("s2")
        self.hear(port.Mark("s1"))
        self.clock.pass_(2.5)
        self.hear(port.Mark("s2"))

        self.settle()
        self.settle()

        self.assertEqual(
            [
                "searches are 2.5 s behind: 2 changed stacks wait",
                "searches are up to date",
            ],
            log.output.splitlines(),
        )

    def test_a_stack_that_takes_long_to_read_rests(self) -> None:
        self.source.change("s1", reason="a")
        self.source.after_read = lambda: self.clock.pass_(1.0)
        self.hear(port.Mark("s1"))
        self.settle()
        self.source.after_read = lambda: None
        self.source.change("s1", reason="b")
        self.hear(port.Mark("s1"))

        self.settle(4.5)
        self.assertEqual([["s1"]], self.source.reads)
        self.settle(1.0)
        self.assertEqual([["s1"], ["s1"]], self.source.reads)

    def test_the_less_happens_the_less_it_is_read(self) -> None:
        version = self.source.change("s1", status="IN_PROGRESS")
        self.hear(port.Mark("s1", version))
        for _ in range(600):
            self.settle(1)

        self.assertLess(len(self.source.reads), 40)
        self.assertGreater(len(self.source.reads), 15)

    def test_thin_notifications_complete_what_nobody_can_tell(self) -> None:
        told: list[object] = []

        def complete(
            thin: collections.abc.Mapping[str, object],
        ) -> document.StackDocuments:
            told.append(thin)
            return document.StackDocuments(
                stack_id="s1", version=7, read_at=self.clock.now()
            )

        self.updater = self.make(complete)
        self.source.is_silent = True
        self.hear(port.Mark("s1", 7, {"said": "much"}))
        self.settle()

        self.assertEqual([{"said": "much"}], told)
        self.assertEqual({}, self.index.marks)
        self.assertIn("s1", self.index.stacks)


class TreeTest(UpdaterTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.source.change("root", path="shop", tags=())
        for name, path in (("in", "shop/db"), ("deep", "shop/db/a")):
            self.source.change(name, root_id="root", path=path, tags=())
        self.source.change("else", path="shopping")
        self.hear(
            *(port.Mark(each, 1) for each in ("root", "in", "deep", "else"))
        )
        self.settle()
        self.source.reads.clear()

    def paths(self) -> dict[str, str]:
        return {each.stack_id: each.path for each in self.index.documents()}

    def test_s1_a_new_name_is_in_all_paths_below(self) -> None:
        version = self.source.change("root", path="store")
        self.source.change("in", path="store/db")
        self.source.change("deep", path="store/db/a")
        self.hear(port.Mark("root", version))
        self.settle()

        self.assertEqual(
            {
                "root": "store",
                "in": "store/db",
                "deep": "store/db/a",
                "else": "shopping",
            },
            self.paths(),
        )
        self.assertEqual(
            [["root"], ["in", "deep"], ["deep"]], _sorted(self.source.reads)
        )
        self.assertEqual({}, self.index.marks)

    def test_s3_what_is_hidden_now_is_so_below(self) -> None:
        version = self.source.change("root", is_hidden=True)
        for each in ("in", "deep"):
            self.source.change(each, is_hidden=True)
        self.hear(port.Mark("root", version))
        self.settle()

        hidden = [e.stack_id for e in self.index.documents() if e.is_hidden]
        self.assertEqual(["deep", "in", "root"], sorted(hidden))

    def test_s3_what_a_stack_hides_is_hidden_in_and_around_it(self) -> None:
        self.source.redacted["in"] = frozenset({"parameters.key"})
        asked = {"operation.id": ("o2",)}
        version = self.source.change("in", fields=asked)
        self.source.look("root", fields={"told": ("less",)})
        self.source.look("deep", fields={"told": ("less",)})
        self.hear(port.Mark("in", version))
        self.settle()

        self.assertEqual(
            [["in"], ["root", "deep"]], _sorted(self.source.reads)
        )
        self.assertEqual(frozenset({"parameters.key"}), self.redacted("in"))
        for each in ("root", "deep"):
            (found,) = self.index.stacks[each].documents
            self.assertEqual({"told": ("less",)}, found.fields)
        self.assertEqual({}, self.index.marks)

    def test_s3_of_no_other_operation_one_stack_is_read(self) -> None:
        asked = {"operation.id": ("o2",)}
        self.hear(port.Mark("in", self.source.change("in", fields=asked)))
        self.settle()
        self.source.redacted["in"] = frozenset({"parameters.key"})
        self.hear(port.Mark("in", self.source.change("in", reason="x")))
        self.settle()

        self.assertEqual([["in"], ["in"]], self.source.reads)

    def redacted(self, stack_id: str) -> frozenset[str]:
        return self.index.stacks[stack_id].redacted

    def test_any_other_change_is_of_one_stack(self) -> None:
        self.hear(port.Mark("root", self.source.change("root", reason="x")))
        self.settle()

        self.assertEqual([["root"]], self.source.reads)


def _sorted(reads: list[list[str]]) -> list[list[str]]:
    return [sorted(each, reverse=True) for each in reads]
