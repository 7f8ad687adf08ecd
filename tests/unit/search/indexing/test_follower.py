"""What has changed is read, and nothing is missed after a kill."""

import random

import fixtures

from orch import errors
from orch.search.indexing import follower
from orch.search.indexing import full_scan_state
from orch.search.indexing import known_stacks
from orch.search.indexing import lease
from orch.search.indexing import updater
from tests import base
from tests.support import scraped
from tests.support import searching


class FollowerTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.begin()

    def begin(self) -> None:
        """Begin with an empty index, and a source without stacks."""
        self.clock = searching.Clock()
        self.index = searching.Index()
        self.source = searching.Source(self.clock)
        self.begun: list[str] = []
        self.follower = self.make("one")

    def make(self, owner: str) -> follower.Follower:
        return follower.Follower(
            self.index,
            self.source,
            updater.Updater(
                self.index, self.source, known_stacks.KnownStacks()
            ),
            lease.Lease(self.index, owner, self.clock),
            self.clock,
            on_following=lambda: self.begun.append("following"),
            on_missed=lambda: self.begun.append("missed"),
        )

    def settle(self, seconds: float = 0.0) -> None:
        """Let time pass, while the follower does all that is due."""
        until = self.clock.moment + seconds
        while True:
            while (pause_s := self.follower.step()) == 0.0:
                pass
            if self.clock.moment + pause_s > until:
                self.clock.moment = max(self.clock.moment, until)
                return
            self.clock.pass_(pause_s)

    def found(self) -> dict[str, str]:
        return {each.stack_id: each.name for each in self.index.documents()}

    def position(self) -> str | None:
        return self.index.load("feed_position")


class PositionTest(FollowerTestCase):
    def test_the_first_step_takes_the_position_alone(self) -> None:
        self.source.change("before")

        self.settle()

        self.assertEqual(["following"], self.begun)
        self.assertEqual([], self.source.reads)
        self.assertEqual("feed.1", self.position())
        self.assertEqual(["feed.1"], self.source.confirmed)

    def test_what_has_changed_is_read_once(self) -> None:
        self.settle()
        for number in range(120):
            self.source.change(f"s{number}")

        self.settle()
        self.settle()

        self.assertEqual(120, len(self.found()))
        self.assertEqual(
            [50, 50, 20], [len(each) for each in self.source.reads]
        )
        self.assertEqual("feed.120", self.position())
        self.assertEqual("feed.120", self.source.confirmed[-1])
        self.assertEqual(["following"], self.begun)

    def test_it_asks_less_often_while_nothing_changes(self) -> None:
        self.settle()
        self.assertEqual(0.5, self.follower.step())
        self.clock.pass_(11)
        self.assertEqual(1.0, self.follower.step())
        self.source.change("a")
        # What changes meanwhile is read together.
        self.assertEqual(0.5, self.follower.step())

    def test_an_index_that_is_emptied_misses_nothing(self) -> None:
        self.settle()
        full_scan_state.begin_fill(self.index, from_nothing=True)
        self.source.change("a")

        self.settle()

        self.assertEqual({"a"}, set(self.found()))
        self.assertEqual(["following"], self.begun)

    def test_a_position_is_stored_again_after_the_index_was_emptied(
        self,
    ) -> None:
        self.source.change("before")
        self.settle()
        self.index.clear()

        self.settle()

        self.assertEqual("feed.1", self.position())

    def test_all_is_read_again_where_the_position_is_not_known(self) -> None:
        for lose in (self.replace_database, self.forget_changes):
            self.settle()
            self.begun.clear()
            self.index.save("filled_at", "1.0")
            self.index.save("history_since", "1.0")
            full_scan_state.forget_request(self.index)
            lose()

            self.settle()

            self.assertTrue(full_scan_state.is_fill_requested(self.index))
            self.assertIsNone(full_scan_state.history_since(self.index))
            self.assertEqual(["missed"], self.begun)
            self.begun.clear()
            self.settle()
            self.assertEqual([], self.begun)

    def replace_database(self) -> None:
        self.source.feed_id = "other"

    def forget_changes(self) -> None:
        self.source.change("x")
        self.source.complete_from = len(self.source.feed)


class ReadTest(FollowerTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.settle()

    def test_it_is_counted_how_long_a_change_was_not_in_the_index(
        self,
    ) -> None:
        counted = self.useFixture(scraped.Counting())
        self.source.is_away = False
        self.source.broken = {"s1"}
        self.source.change("s1", name="x")
        self.settle()
        self.assertEqual(1, self.follower.queue.count())
        self.source.broken = set()

        self.settle(1.0)

        (seconds,) = counted.all_of("orch_search_lag_seconds_sum").values()
        self.assertAlmostEqual(0.2, seconds, delta=0.1)
        self.assertEqual(
            {(): 1.0}, counted.all_of("orch_search_lag_seconds_count")
        )
        self.assertEqual(0, self.follower.queue.count())

    def test_s5_a_delete_removes(self) -> None:
        self.source.change("s1")
        self.settle()
        self.source.delete("s1")
        self.settle(1.0)

        self.assertEqual({}, self.found())

    def test_a_change_while_it_was_read_is_read_again(self) -> None:
        self.source.change("s1", name="old")

        def change_too() -> None:
            self.source.after_read = lambda: None
            self.source.change("s1", name="new")

        self.source.after_read = change_too
        self.settle(1.0)

        self.assertEqual({"s1": "new"}, self.found())

    def test_s5_a_source_or_an_index_that_is_away_is_waited_for(self) -> None:
        for away in (self.source, self.index):
            self.source.change(f"s{id(away)}")
            away.is_away = True
            self.assertRaises(errors.Unavailable, self.follower.step)
            away.is_away = False

            self.settle()

            self.assertIn(f"s{id(away)}", self.found())

    def test_it_goes_on_after_thousands_of_failures(self) -> None:
        self.source.is_away = True
        self.source.change("s1")

        pauses = [self.follower._thread.run_once() for _ in range(5_000)]

        self.assertEqual([0.5, 1.0, 2.0], pauses[:3])
        self.assertEqual({30.0}, set(pauses[7:]))
        self.assertLess(4_000, self.index.prepared)
        self.source.is_away = False
        self.follower._thread.run_once()
        self.assertEqual({"s1"}, set(self.found()))

    def test_s5_a_kill_before_the_position_is_stored_misses_nothing(
        self,
    ) -> None:
        self.source.change("s1", name="x")

        def die() -> None:
            raise KeyboardInterrupt

        self.source.after_read = die
        self.assertRaises(KeyboardInterrupt, self.follower.step)
        self.source.after_read = lambda: None

        self.follower = self.make("two")
        self.settle()

        self.assertEqual({"s1": "x"}, self.found())

    def test_what_changes_further_is_read_each_five_seconds(self) -> None:
        self.source.changing.add("s1")
        for number in range(100):
            self.source.change("s1", reason=f"{number}")
            self.settle(0.2)

        self.assertIn(len(self.source.reads), (3, 4))

    def test_s5_what_changes_further_holds_the_position(self) -> None:
        self.source.changing.add("s1")
        self.source.change("s1", reason="a")
        self.source.change("s2")
        self.settle(1.0)
        self.assertEqual([["s2"]], self.source.reads)
        self.assertEqual("feed.0", self.position())

        # Another process begins again with both.
        self.follower = self.make("two")
        self.settle(6.0)

        self.assertEqual("a", self.index.documents()[0].reason)
        self.assertEqual("feed.2", self.position())

    def test_what_changes_while_it_is_read_waits_as_long(self) -> None:
        log = self.useFixture(fixtures.FakeLogger(follower.LOG.name))
        self.source.changing.add("s1")
        self.source.change("s1")
        self.source.after_read = lambda: self.source.change("s1")
        for _ in range(100):
            self.settle(0.2)

        self.assertIn(len(self.source.reads), (3, 4))
        # It waits by intention, so searches are not behind.
        self.assertEqual("", log.output)

    def test_the_end_of_what_changes_is_read_at_once(self) -> None:
        self.source.changing.add("s1")
        self.source.change("s1")
        self.settle(1.0)
        self.assertEqual([], self.source.reads)

        self.source.changing.clear()
        self.source.change("s1", reason="end")
        self.settle(1.0)
        self.assertEqual("end", self.index.documents()[0].reason)
        self.assertEqual("feed.2", self.position())

    def test_it_logs_once_that_it_is_behind(self) -> None:
        log = self.useFixture(fixtures.FakeLogger(follower.LOG.name))
        self.source.change("s1")
        self.source.change("s2")
        self.source.broken = {"s1", "s2"}
        self.settle(4.0)
        self.source.broken = set()
        self.settle(20.0)

        said = log.output.splitlines()
        self.assertEqual(2, len(said), said)
        self.assertRegex(
            said[0], r"searches are .\.. s behind: 2 changed stacks wait"
        )
        self.assertEqual("searches are up to date", said[1])

    def test_a_stack_that_takes_long_to_read_rests(self) -> None:
        self.source.change("s1", reason="a")
        self.source.after_read = lambda: self.clock.pass_(1.0)
        self.settle()
        self.source.after_read = lambda: None
        self.source.change("s1", reason="b")

        self.settle(4.5)
        self.assertEqual([["s1"]], self.source.reads)
        self.settle(1.0)
        self.assertEqual([["s1"], ["s1"]], self.source.reads)

    def test_a_stack_that_rests_for_long_holds_no_position(self) -> None:
        self.source.change("s1", reason="a")
        self.source.after_read = lambda: self.clock.pass_(10.0)
        self.settle()
        self.source.after_read = lambda: None
        self.source.change("s1", reason="b")
        self.settle(2.0)
        self.assertEqual("feed.2", self.position())
        self.assertEqual(["s1"], follower.load_retried(self.index))

        self.settle(60.0)

        self.assertEqual("b", self.index.documents()[0].reason)
        self.assertEqual([], follower.load_retried(self.index))

    def test_a_change_that_is_needed_shortens_the_rest(self) -> None:
        self.source.needs_changes = True
        self.source.change("s1", reason="a")
        self.source.after_read = lambda: self.clock.pass_(100.0)
        self.settle()
        self.source.after_read = lambda: None
        self.source.change("s1", reason="b")

        self.settle(9.0)
        self.assertEqual("feed.1", self.source.confirmed[-1])
        self.settle(2.0)

        self.assertEqual("b", self.index.documents()[0].reason)
        self.assertEqual("feed.2", self.source.confirmed[-1])


class RetryTest(FollowerTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.settle()

    def test_a_stack_that_cannot_be_read_is_in_nobodys_way(self) -> None:
        names = [f"s{number}" for number in range(5)]
        self.source.broken = {"s2"}
        for each in names:
            self.source.change(each)

        self.settle()

        self.assertEqual({"s0", "s1", "s3", "s4"}, set(self.found()))
        self.assertEqual("feed.5", self.position())
        self.assertEqual(["s2"], follower.load_retried(self.index))
        self.source.broken = set()
        self.settle(1)
        self.assertEqual(set(names), set(self.found()))
        self.assertEqual([], follower.load_retried(self.index))

    def test_a_change_that_is_needed_holds_the_position_while_it_is_retried(
        self,
    ) -> None:
        self.source.needs_changes = True
        self.source.broken = {"s1"}
        for is_read in (True, False):
            self.source.change("s1")
            confirmed = list(self.source.confirmed)
            self.settle(20.0)
            self.source.change("s1")
            self.settle(20.0)
            self.assertEqual(confirmed, self.source.confirmed)
            self.assertEqual([], follower.load_retried(self.index))
            if is_read:
                self.source.broken = set()
                self.settle(60.0)
                self.assertEqual("feed.2", self.source.confirmed[-1])
                self.source.broken = {"s1"}

        # Others do not wait for ever.
        self.settle(60.0)

        self.assertEqual("feed.4", self.source.confirmed[-1])
        self.assertEqual(["s1"], follower.load_retried(self.index))

    def test_s5_after_a_kill_another_process_retries_it(self) -> None:
        self.source.broken = {"s1"}
        self.source.change("s1")
        self.settle()
        self.source.broken = set()

        self.follower = self.make("two")
        self.settle()

        self.assertEqual({"s1"}, set(self.found()))
        self.assertEqual([], follower.load_retried(self.index))

    def test_what_a_scan_could_not_read_is_retried(self) -> None:
        self.source.change("s1")
        self.source.complete_from = 1
        self.settle()
        self.assertEqual([], self.source.reads)

        self.follower.retry({"s1"})
        self.settle()
        self.assertEqual(["s1"], follower.load_retried(self.index))
        self.settle(1)

        self.assertEqual({"s1"}, set(self.found()))
        self.assertEqual([], follower.load_retried(self.index))

    def test_what_lags_behind_is_read_again_later(self) -> None:
        self.source.change("s1", name="old")
        self.source.announced["s1"] = 2
        self.settle()
        self.assertEqual({}, self.found())
        self.assertEqual(1, len(self.source.reads))

        self.source.look("s1", name="new")
        self.source.change("s1")
        self.settle(1)

        self.assertEqual({"s1": "new"}, self.found())

    def test_what_never_arrives_is_not_waited_for_for_ever(self) -> None:
        self.source.change("s1", name="old")
        self.source.announced["s1"] = 99

        self.settle(120)

        self.assertEqual({"s1": "old"}, self.found())
        self.assertEqual(8, len(self.source.reads))
        self.assertEqual([], follower.load_retried(self.index))


class RandomTest(FollowerTestCase):
    def test_s5_killed_at_any_moment_it_misses_nothing(self) -> None:
        for seed in range(30):
            self.begin()
            self.check(random.Random(seed))

    def check(self, drawn: random.Random) -> None:
        names = [f"s{number}" for number in range(6)]
        save, put = self.index.save, self.index.put

        def dying(function: object) -> object:
            def call(*given: object) -> object:
                if drawn.random() < 0.1:
                    raise KeyboardInterrupt
                return function(*given)  # type: ignore[operator]

            return call

        self.settle()
        for number in range(60):
            each = drawn.choice(names)
            self.source.change(each, reason=str(number))
            self.source.changing = set(drawn.sample(names, 2))
            self.source.broken = set(drawn.sample(names, drawn.choice((0, 1))))
            self.index.save = dying(save)  # type: ignore[assignment]
            self.index.put = dying(put)  # type: ignore[assignment]
            try:
                self.settle(drawn.choice((0.0, 0.5, 3.0)))
            except KeyboardInterrupt:
                self.follower = self.make(f"two{number}")
        self.index.save = save  # type: ignore[method-assign]
        self.index.put = put  # type: ignore[method-assign]
        self.source.broken = set()
        self.settle(300)

        wanted = {
            stack_id: kept.reason
            for stack_id, (_, kept) in self.source._stacks.items()
            if kept is not None
        }
        self.assertEqual(
            wanted,
            {each.stack_id: each.reason for each in self.index.documents()},
        )
