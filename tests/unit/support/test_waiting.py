"""A wait asks at once, soon again, and then less often."""

import itertools
import typing

from tests import base
from tests.support import waiting


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class WaitTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.time = Time()
        self.patch(waiting, "time", self.time)

    def after(self, number: int) -> typing.Callable[[], int]:
        """Return what has an answer when it is asked so many times."""
        asked = itertools.count(1)

        def ask() -> int:
            count = next(asked)
            return count if count >= number else 0

        return ask

    def test_what_is_so_already_is_not_waited_for(self) -> None:
        self.assertEqual(1, waiting.wait_for(self.after(1), "it"))

        self.assertEqual([], self.time.pauses)

    def test_what_comes_soon_is_noticed_soon(self) -> None:
        self.assertEqual(10, waiting.wait_for(self.after(10), "it"))

        self.assertEqual([0.01] * 9, self.time.pauses)

    def test_the_longer_it_takes_the_less_it_is_asked_for(self) -> None:
        error = self.assertRaises(
            AssertionError, waiting.wait_for, lambda: None, "the end", 10
        )

        self.assertEqual("timed out: the end", str(error))
        self.assertEqual(sorted(self.time.pauses), self.time.pauses)
        self.assertEqual(0.2, self.time.pauses[-1])
        # A tenth of a second, two, and ten: at each pace its share.
        self.assertLess(len(self.time.pauses), 10 + 32 + 41)

    def test_what_takes_long_to_answer_is_asked_less(self) -> None:
        def ask() -> bool:
            self.time.now += 0.03
            return self.time.now > 1000.5

        waiting.wait_for(ask, "it")

        self.assertEqual({0.09}, {round(x, 6) for x in self.time.pauses})

    def test_it_ends_in_time(self) -> None:
        self.assertRaises(
            AssertionError, waiting.wait_for, lambda: None, "the end", 3
        )

        self.assertLess(self.time.now, 1000 + 3 + 0.3)
