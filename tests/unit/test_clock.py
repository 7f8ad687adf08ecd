"""Pauses grow, and end growing."""

from orch import clock
from tests import base


class GrowingPauseTest(base.TestCase):
    def test_each_pause_is_twice_as_long_up_to_the_longest(self) -> None:
        pauses = [clock.growing_pause_s(n, 0.5, 30.0) for n in range(8)]

        self.assertEqual([0.5, 1, 2, 4, 8, 16, 30, 30], pauses)

    def test_thousands_of_failures_are_no_error(self) -> None:
        pauses = {clock.growing_pause_s(n, 1.0, 30.0) for n in range(5, 5_000)}

        self.assertEqual({30.0}, pauses)
