"""A walk finds what is missing, what is old and what is left."""

import collections.abc
import dataclasses
import json

import fixtures

from orch import errors
from orch.search import document
from orch.search.indexing import full_scan
from orch.search.indexing import full_scan_state
from orch.search.indexing import known_stacks
from orch.search.indexing import lease
from orch.search.indexing import orphan_scan_state
from orch.search.indexing import updater
from tests import base
from tests.support import searching


class WalkerTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = searching.Clock()
        self.index = searching.Index()
        self.source = searching.Source(self.clock)
        self.unread: set[str] = set()
        self.walker = self.make("one")

    def make(
        self, owner: str, *, is_alone: bool = False
    ) -> full_scan.FullScanner:
        known = known_stacks.KnownStacks()
        return full_scan.FullScanner(
            self.index,
            self.source,
            updater.Updater(
                self.index, self.source, known, is_comparing=False
            ),
            lease.Lease(self.index, owner, self.clock, is_alone=is_alone),
            self.clock,
            check_interval_s=3600,
            history_days=7,
            on_unread=self.unread.update,
        )

    def fill(self, count: int) -> list[str]:
        names = [f"{number:08x}" for number in range(count)]
        for each in names:
            self.source.change(each)
        return names

    def found(self) -> list[str]:
        return [each.stack_id for each in self.index.documents()]

    def reads(self) -> list[str]:
        return [name for read in self.source.reads for name in read]


class FillTest(WalkerTestCase):
    def test_s2_an_empty_index_is_filled_once(self) -> None:
        names = self.fill(520)

        self.assertEqual(0.0, self.walker.step())

        self.assertEqual(names, self.found())
        self.assertEqual(names, sorted(self.reads()))
        self.assertEqual(
            self.clock.now(), full_scan_state.filled_at(self.index)
        )
        self.assertIsNone(full_scan_state.find_scan(self.index))
        self.source.reads.clear()
        self.assertLess(0.0, self.walker.step())
        self.assertEqual([], self.source.reads)

    def test_a_scan_that_another_release_stored_is_resumed(self) -> None:
        names = self.fill(3)
        self.index.save(
            "walk",
            json.dumps({"kind": "fill", "cursor": names[0], "seen_at": 1.0}),
        )

        self.assertEqual(0.0, self.walker.step())

        self.assertEqual(names[1:], self.found())

    def test_s2_it_goes_on_where_a_kill_stopped_it(self) -> None:
        names = self.fill(300)

        def die() -> None:
            if len(self.source.reads) == 4:
                self.source.reads.pop()
                raise KeyboardInterrupt

        self.source.after_read = die
        self.assertRaises(KeyboardInterrupt, self.walker.step)
        self.assertEqual(150, len(self.found()))
        scan = full_scan_state.find_scan(self.index)
        assert scan is not None
        self.assertEqual(names[149], scan.cursor)

        self.source.after_read = lambda: None
        self.assertEqual(0.0, self.make("two").step())

        self.assertEqual(names, self.found())
        self.assertEqual(names, sorted(self.reads()))

    def test_a_fill_that_is_requested_during_a_scan_is_not_lost(self) -> None:
        names = self.fill(300)

        def request() -> None:
            if len(self.source.reads) == 3:
                full_scan_state.begin_fill(self.index)

        self.source.after_read = request
        self.assertEqual(0.0, self.walker.step())
        self.assertIsNone(full_scan_state.filled_at(self.index))
        self.source.reads.clear()
        self.source.after_read = lambda: None

        self.assertEqual(0.0, self.walker.step())

        self.assertEqual(names, sorted(self.reads()))
        self.assertFalse(full_scan_state.is_fill_requested(self.index))
        self.assertEqual(
            self.clock.now(), full_scan_state.filled_at(self.index)
        )

    def test_a_walk_that_another_took_is_left_to_it(self) -> None:
        self.fill(300)

        def take() -> None:
            lease.Lease(self.index, "two", self.clock).hold()

        self.source.after_read = take
        self.walker.step()

        self.assertEqual(1, len(self.source.reads))
        scan = full_scan_state.find_scan(self.index)
        self.assertEqual(full_scan_state.FullScan(full_scan_state.FILL), scan)
        self.assertLess(0.0, self.walker.step())
        self.assertEqual(1, len(self.source.reads))

    def test_the_part_that_is_done_is_told(self) -> None:
        self.assertEqual(
            0.0, full_scan_state.FullScan(full_scan_state.FILL).part
        )
        self.assertEqual(
            0.5,
            full_scan_state.FullScan(full_scan_state.FILL, "80000000-1b").part,
        )

    def test_it_waits_for_a_source_that_is_away(self) -> None:
        names = self.fill(3)
        self.source.is_away = True
        self.assertRaises(errors.Unavailable, self.walker.step)
        self.source.is_away = False

        self.walker.step()

        self.assertEqual(names, self.found())

    def test_what_cannot_be_read_is_left_for_later(self) -> None:
        names = self.fill(3)
        self.source.broken = {names[1]}

        self.walker.step()

        self.assertEqual([names[0], names[2]], self.found())
        self.assertEqual({names[1]}, self.unread)

    def test_s2_a_refill_reads_all_again(self) -> None:
        names = self.fill(3)
        self.walker.step()
        self.source.reads.clear()

        full_scan_state.begin_fill(self.index)
        self.walker.step()

        self.assertEqual([names], self.source.reads)

    def test_s2_a_refill_brings_back_what_was_gone_for_good(self) -> None:
        # A database that was restored has ids and versions of before.
        names = self.fill(3)
        for _ in range(3):
            self.source.change(names[0], name="late")
        self.walker.step()
        self.source.purge(names[1])
        self.source.purge(names[2])
        self.clock.pass_(3601)
        self.walker.step()
        self.assertEqual(names[:1], self.found())
        self.source.purge(names[0])
        self.fill(3)

        full_scan_state.begin_fill(self.index)
        self.walker.step()

        self.assertEqual(names, self.found())
        self.assertEqual(1, self.index.stacks[names[0]].version)

    def test_s2_a_rebuild_forgets_all_first(self) -> None:
        names = self.fill(3)
        self.walker.step()
        stray = self.index.stacks.pop(names[0])
        self.index.stacks["ffff"] = dataclasses.replace(
            stray, stack_id="ffff", version=2**60
        )

        full_scan_state.begin_fill(self.index, from_nothing=True)
        self.assertEqual([], self.found())
        self.walker.step()

        self.assertEqual(names, self.found())


class CheckTest(WalkerTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.names = self.fill(120)
        self.walker.step()
        self.source.reads.clear()

    def test_s5_what_was_missed_is_found_from_time_to_time(self) -> None:
        self.source.change(self.names[5], name="new")
        self.source.delete(self.names[6])
        self.source.delete(self.names[7])
        self.source.purge(self.names[7])
        self.source.change("000000ff")
        self.clock.pass_(3500)
        self.walker.step()
        self.assertEqual([], self.source.reads)

        self.clock.pass_(101)
        self.walker.step()

        wanted = sorted({*self.names, "000000ff"} - set(self.names[6:8]))
        self.assertEqual(wanted, self.found())
        self.assertEqual("new", self.index.documents()[5].name)
        self.source.reads.clear()
        self.walker.step()
        self.assertEqual([], self.source.reads)

    def test_it_goes_on_after_thousands_of_failures(self) -> None:
        self.source.change(self.names[5], name="new")
        full_scan_state.begin_fill(self.index)
        self.index.is_away = True

        pauses = [self.walker._thread.run_once() for _ in range(5_000)]

        self.assertEqual([0.5, 1.0, 2.0], pauses[:3])
        self.assertEqual({30.0}, set(pauses[7:]))
        self.index.is_away = False
        self.walker._thread.run_once()
        self.assertEqual("new", self.index.documents()[5].name)

    def test_one_that_cannot_search_leaves_the_scan_to_another(self) -> None:
        self.source.change(self.names[5], name="new")
        full_scan_state.begin_fill(self.index)
        self.index.is_unsearchable = True

        for _ in range(2):
            self.walker._thread.run_once()

        self.assertIsNone(self.index.load("lease"))

    def test_only_ids_of_the_page_are_looked_for(self) -> None:
        for number in range(0x1000, 0x1000 + 700):
            self.source.change(f"{number:08x}")
        full_scan_state.begin_fill(self.index)
        self.walker.step()
        gone = [f"{number:08x}" for number in range(0x1000, 0x1000 + 600)]
        for each in gone:
            self.source.delete(each)
        full_scan_state.begin_fill(self.index)

        self.walker.step()

        self.assertEqual(120 + 100, len(self.found()))


class OrphanTest(WalkerTestCase):
    def test_orphans_come_and_go(self) -> None:
        self.source.strays = [self.orphans("p1"), self.orphans("p2")]
        self.walker.step()
        self.assertEqual(["orphans/p1", "orphans/p2"], self.found())

        self.clock.pass_(3601)
        self.source.strays = [self.orphans("p2")]
        self.walker.step()
        self.assertEqual(["orphans/p2"], self.found())

        self.clock.pass_(3601)
        self.source.strays = [self.orphans("p1")]
        self.walker.step()
        self.assertEqual(["orphans/p1"], self.found())

    def test_it_is_heard_of_while_it_looks_for_orphans(self) -> None:
        self.fill(1)
        seen: list[bool] = []
        other = lease.Lease(self.index, "two", self.clock)
        self.assertTrue(other.hold())
        self.walker = self.make("three")

        def pass_() -> None:
            self.clock.pass_(10)
            seen.append(other.hold())

        self.stray(pass_)
        self.walker.step()

        self.assertEqual([False, False, False], seen)
        self.assertIsNone(full_scan_state.find_scan(self.index))

    def test_it_stops_among_orphans_and_another_ends_the_walk(self) -> None:
        names = self.fill(1)
        self.stray(lambda: self.walker.stop())

        self.walker.step()

        self.assertEqual(["orphans/p1", *names], self.found())
        scan = full_scan_state.find_scan(self.index)
        assert scan is not None
        self.assertEqual(names[0], scan.cursor)
        self.stray(lambda: None)
        self.clock.pass_(16)
        self.make("two").step()
        self.assertEqual(4, len(self.found()))
        self.assertIsNone(full_scan_state.find_scan(self.index))

    def test_s5_a_requested_fill_comes_before_orphans(self) -> None:
        self.fill(1)
        self.stray(self.request)

        self.walker.step()

        self.assertEqual(["orphans/p1"], self.found()[:-1])
        self.stray(lambda: None)
        self.source.change("00000000", name="new")
        self.walker.step()
        self.assertEqual("new", self.index.documents()[-1].name)
        self.assertEqual(4, len(self.found()))

    def test_a_list_that_fails_leaves_orphans_as_they_were(self) -> None:
        self.source.strays = [self.orphans(f"p{n}") for n in range(3)]
        self.walker.step()

        def fail() -> None:
            raise errors.Unavailable("no worker answers")

        self.clock.pass_(3601)
        self.source.strays = []
        self.stray(fail)
        self.walker.step()

        self.assertEqual([f"orphans/p{n}" for n in range(3)], self.found())
        self.assertIsNone(full_scan_state.find_scan(self.index))

    def test_orphans_that_nobody_can_read_do_not_keep_a_walk(self) -> None:
        log = self.useFixture(
            fixtures.FakeLogger("orch.search.indexing.full_scan")
        )
        names = self.fill(1)

        def fail() -> None:
            raise KeyError("documents")

        self.stray(fail)
        self.walker.step()

        self.assertEqual(names, self.found())
        self.assertIsNone(full_scan_state.find_scan(self.index))
        self.assertEqual(
            self.clock.now(), full_scan_state.filled_at(self.index)
        )
        self.assertIn("KeyError", log.output)

    def test_where_nobody_looks_orphans_stay_for_one_interval(self) -> None:
        self.source.strays = [self.orphans("p1")]
        self.walker.step()
        self.source.listed_to = ""
        for expected in (["orphans/p1"], []):
            self.clock.pass_(3600)
            self.walker.step()
            self.assertEqual(expected, self.found())
            self.assertIsNone(full_scan_state.find_scan(self.index))

    def test_it_goes_on_with_the_next_project_after_a_kill(self) -> None:
        self.source.strays = [self.orphans(f"p{n}") for n in range(4)]
        self.walker.step()
        self.assertEqual(
            ["p0", "p1", "p2", "p3"], self.source.requested_projects
        )
        self.clock.pass_(3601)
        self.source.requested_projects.clear()
        self.source.strays = [self.orphans(f"p{n}") for n in (0, 1, 3)]
        kept = self.index.save

        def die(name: str, value: str | None) -> None:
            kept(name, value)
            if name == "orphans" and "p1" in str(value):
                raise KeyboardInterrupt

        self.index.save = die  # type: ignore[method-assign]
        self.assertRaises(KeyboardInterrupt, self.walker.step)
        self.index.save = kept  # type: ignore[method-assign]
        self.assertEqual(["p0", "p1"], self.source.requested_projects)

        self.clock.pass_(16)
        self.source.strays[-1] = self.orphans("p3")
        self.make("two").step()

        self.assertEqual(["p0", "p1", "p3"], self.source.requested_projects)
        self.assertEqual([f"orphans/p{n}" for n in (0, 1, 3)], self.found())

    def test_a_new_fill_looks_at_all_projects_again(self) -> None:
        self.source.strays = [self.orphans(f"p{n}") for n in range(3)]
        self.stray(self.request)
        self.walker.step()
        self.assertEqual("p1", orphan_scan_state.load_scan(self.index).after)
        del self.source.orphans  # type: ignore[method-assign]

        self.walker.step()

        self.assertEqual(["p0", "p1", "p2"], self.source.requested_projects)

    def request(self) -> None:
        full_scan_state.begin_fill(self.index)

    def stray(self, before: collections.abc.Callable[[], object]) -> None:
        """Let three projects have orphans, and something happen before."""
        self.source.orphans = (  # type: ignore[method-assign]
            lambda after: self._stray(before, after)
        )

    def _stray(
        self, before: collections.abc.Callable[[], object], after: str
    ) -> collections.abc.Iterator[document.Orphans]:
        for number in range(1, 4):
            if f"p{number}" > after:
                before()
                yield self.orphans(f"p{number}")

    def orphans(self, project_id: str) -> document.Orphans:
        return document.Orphans(
            project_id=project_id,
            read_at=self.clock.now(),
            documents=(
                document.Document(
                    id=f"orphan/{project_id}",
                    kind=document.ORPHAN,
                    stack_id=f"orphans/{project_id}",
                    root_id="",
                    project_id=project_id,
                    path="x",
                    name="x",
                    type="OS::Nova::Server",
                ),
            ),
        )
