"""What changes is read from time to time, and never for most of it."""

from orch.search import document
from orch_search_heat import active_stacks
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

    def test_nothing_is_read_while_nothing_changes(self) -> None:
        self.watched.watch([read("s1", 1, "COMPLETE")], 0.01)

        self.clock.pass_(3600)
        self.assertEqual([], self.watched.take(9))

    def test_a_reading_that_takes_long_is_followed_by_a_long_rest(
        self,
    ) -> None:
        self.watched.watch([read("s1", 1)], 0.5)
        self.clock.pass_(2.4)
        self.assertEqual([], self.watched.take(9))
        self.clock.pass_(0.2)
        self.assertEqual(["s1"], self.watched.take(9))

    def test_many_that_change_all_the_time_cost_a_third_at_most(
        self,
    ) -> None:
        busy_s = 0.0
        names = [f"s{number:03}" for number in range(400)]
        begun = self.clock.monotonic()
        for each in names:
            self.watched.watch([read(each, 1)], 0.0)
        seen = set()
        while self.clock.monotonic() < begun + 60:
            taken = self.watched.take(50)
            if not taken:
                self.clock.pass_(0.05)
                continue
            seen.update(taken)
            self.clock.pass_(0.5)
            busy_s += 0.5
            self.watched.watch([read(each, 1) for each in taken], 0.5)

        self.assertLessEqual(busy_s, 21)
        self.assertGreater(busy_s, 15)
        # None waits for ever for those that came before it.
        self.assertEqual(set(names), seen)

    def test_what_nobody_counts_is_found_from_time_to_time(self) -> None:
        self.watched.watch([read("s1", 1)], 0.0)

        self.assertEqual([], self.watched.take(9))
        self.clock.pass_(_INTERVAL_S)
        self.assertEqual(["s1"], self.watched.take(9))

    def test_what_was_forgotten_is_not_read(self) -> None:
        self.watched.resume(["s1", "s2"])
        self.watched.forget(["s1"])

        self.assertEqual(["s2"], self.watched.take(9))

    def test_the_less_happens_the_less_it_is_read(self) -> None:
        count = 0
        self.watched.resume(["s1"])
        for _ in range(600):
            self.clock.pass_(1)
            taken = self.watched.take(9)
            count += len(taken)
            self.watched.watch([read(each, 1) for each in taken], 0.001)

        self.assertLess(count, 40)
        self.assertGreater(count, 15)
