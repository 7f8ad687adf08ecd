"""What changes is read as soon as it has, and never for most of the time."""

import itertools

from orch.search import document
from orch.search.indexing import active_stacks
from tests import base
from tests.support import searching

_INTERVAL_S = 2.0


def read(
    stack_id: str, version: int, status: str = "IN_PROGRESS"
) -> document.StackDocuments:
    clock_ = searching.Clock()
    source = searching.Source(clock_)
    for _ in range(version):
        source.change(stack_id, status=status)
    (found,) = source.read([stack_id])
    return found


class RereadingTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = searching.Clock()
        self.watched = active_stacks.ActiveStacks(self.clock, _INTERVAL_S)

    def test_nothing_is_asked_while_nothing_changes(self) -> None:
        self.watched.watch([read("s1", 1, "COMPLETE")], 0.01)

        self.assertIsNone(self.watched.due_in())
        self.assertEqual([], self.watched.ask())
        self.assertEqual([], self.watched.take(9))

    def test_what_has_another_version_is_read_at_once(self) -> None:
        self.watched.watch([read("s1", 1), read("s2", 4)], 0.0)
        self.assertEqual(["s1", "s2"], self.watched.ask())
        self.watched.note_versions({"s1": 2, "s2": 4}, 0.0)

        self.assertEqual(0, self.watched.due_in())
        self.assertEqual(["s1"], self.watched.take(9))
        self.assertEqual([], self.watched.take(9))

    def test_it_is_asked_again_before_half_a_second_is_over(self) -> None:
        self.watched.watch([read("s1", 1)], 0.0)
        self.watched.ask()
        self.watched.note_versions({"s1": 1}, 0.0)
        self.assertEqual([], self.watched.ask())
        pause_s = self.watched.due_in()

        assert pause_s is not None
        self.assertLessEqual(pause_s, 0.5)
        self.clock.pass_(pause_s)
        self.assertEqual(["s1"], self.watched.ask())

    def test_what_waits_for_long_is_asked_for_less_often(self) -> None:
        counts = []
        for _ in range(2):
            self.watched.watch([read("s1", len(counts) + 1)], 0.0)
            for _ in range(600):
                if self.watched.ask():
                    self.watched.note_versions({"s1": len(counts) + 1}, 0.0)
                    counts.append(self.clock.monotonic())
                self.clock.pass_(0.1)

        pauses = [b - a for a, b in itertools.pairwise(counts)]
        self.assertLess(len(counts), 2 * (30 / 0.4 + 30 / 0.8 + 2))
        self.assertGreater(len(counts), 2 * (30 / 0.5 + 30 / 0.9 - 2))
        self.assertLessEqual(max(pauses), 0.95)

    def test_a_question_that_takes_long_is_asked_seldom(self) -> None:
        self.watched.watch([read("s1", 1)], 0.0)
        self.watched.ask()
        self.watched.note_versions({"s1": 1}, 0.2)

        self.clock.pass_(0.9)
        self.assertEqual([], self.watched.ask())
        self.clock.pass_(0.2)
        self.assertEqual(["s1"], self.watched.ask())

    def test_a_source_that_cannot_tell_is_asked_seldom(self) -> None:
        self.watched.watch([read("s1", 1)], 0.0)
        self.watched.ask()
        self.watched.note_versions(None, 0.0)

        self.assertEqual(_INTERVAL_S, self.watched.due_in())
        self.clock.pass_(10.0)
        self.assertEqual([], self.watched.ask())
        self.assertEqual(["s1"], self.watched.take(9))

    def test_a_reading_that_takes_long_is_followed_by_a_long_rest(
        self,
    ) -> None:
        self.watched.watch([read("s1", 1)], 0.5)
        self.watched.ask()
        self.watched.note_versions({"s1": 2}, 0.0)

        self.clock.pass_(2.4)
        self.assertEqual([], self.watched.take(9))
        self.clock.pass_(0.2)
        self.assertEqual(["s1"], self.watched.take(9))

    def test_many_that_change_all_the_time_cost_a_third_at_most(
        self,
    ) -> None:
        busy_s = 0.0
        names = [f"s{number:03}" for number in range(400)]
        versions = itertools.count(2)
        begun = self.clock.monotonic()
        for each in names:
            self.watched.watch([read(each, 1)], 0.0)
        seen = set()
        while self.clock.monotonic() < begun + 60:
            if asked := self.watched.ask():
                self.watched.note_versions(
                    dict.fromkeys(asked, next(versions)), 0.001
                )
            taken = self.watched.take(50)
            if not taken:
                pause_s = self.watched.due_in()
                assert pause_s is not None
                self.clock.pass_(pause_s)
                continue
            seen.update(taken)
            self.clock.pass_(0.5)
            busy_s += 0.5
            self.watched.watch([read(each, 1) for each in taken], 0.01)
            self.watched.rest(0.5)

        self.assertLessEqual(busy_s, 21)
        self.assertGreater(busy_s, 15)
        # None waits for ever for those that came before it.
        self.assertEqual(set(names), seen)

    def test_what_nobody_counts_is_found_from_time_to_time(self) -> None:
        self.watched.watch([read("s1", 1)], 0.0)
        self.watched.ask()
        self.watched.note_versions({"s1": 1}, 0.0)

        self.assertEqual([], self.watched.take(9))
        self.clock.pass_(_INTERVAL_S)
        self.assertEqual(["s1"], self.watched.take(9))

    def test_what_was_forgotten_is_not_asked_for(self) -> None:
        self.watched.resume(["s1", "s2"])
        self.watched.forget(["s1"])

        self.assertEqual(["s2"], self.watched.ask())
        self.watched.note_versions({"s1": 3}, 0.0)
        self.assertEqual(["s2"], self.watched.take(9))
