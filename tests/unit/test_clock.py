"""Pauses grow, and end growing."""

import datetime
import time
from unittest import mock

from orch import clock
from tests import base


class GrowingPauseTest(base.TestCase):
    def test_each_pause_is_twice_as_long_up_to_the_longest(self) -> None:
        pauses = [clock.growing_pause_s(n, 0.5, 30.0) for n in range(8)]

        self.assertEqual([0.5, 1, 2, 4, 8, 16, 30, 30], pauses)

    def test_thousands_of_failures_are_no_error(self) -> None:
        pauses = {clock.growing_pause_s(n, 1.0, 30.0) for n in range(5, 5_000)}

        self.assertEqual({30.0}, pauses)


class IsoformatTest(base.TestCase):
    def test_a_moment_is_written_as_heat_writes_it(self) -> None:
        for moment, text in (
            (0.0, "1970-01-01T00:00:00Z"),
            (951827696.999, "2000-02-29T12:34:56Z"),
            (4102444799.5, "2099-12-31T23:59:59Z"),
        ):
            self.assertEqual(text, clock.isoformat(clock.Timestamp(moment)))

    def test_each_second_has_a_text_of_its_own(self) -> None:
        for second in range(1_800_000_000, 1_800_003_000):
            found = datetime.datetime.fromisoformat(
                clock.isoformat(clock.Timestamp(second + 0.25))
            )

            self.assertEqual(second, found.timestamp())


class SystemClockTest(base.TestCase):
    def test_the_time_of_a_suspended_machine_counts(self) -> None:
        if not hasattr(time, "CLOCK_BOOTTIME"):
            self.skipTest("this system has no such clock")
        shown: list[float] = []
        with mock.patch.object(time, "clock_gettime", shown.append):
            clock.SystemClock().monotonic()

        self.assertEqual([time.CLOCK_BOOTTIME], shown)
