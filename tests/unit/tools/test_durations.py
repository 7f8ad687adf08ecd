"""The durations of phases and classes, as the runner prints them."""

import datetime

from tests import base
from tools import durations

_BEGIN = datetime.datetime(2026, 11, 22, tzinfo=datetime.UTC)


class DurationsTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.times = durations.Durations()

    def add(
        self, name: str, begin_s: float, end_s: float, worker: str = "0"
    ) -> None:
        stamps = [
            _BEGIN + datetime.timedelta(seconds=each)
            for each in (begin_s, end_s)
        ]
        self.times.add_test(
            {"id": name, "timestamps": stamps, "tags": {f"worker-{worker}"}}
        )

    def slowest(self) -> list[list[str]]:
        """Return the rows of the table of classes."""
        lines = self.times.table().splitlines()
        return [line.split() for line in lines[lines.index("") + 2 :]]

    def test_the_slowest_class_comes_first(self) -> None:
        self.add("tests.unit.a.ATests.test_one", 0, 1)
        self.add("tests.unit.b.BTests.test_one(of a scenario)", 1, 4)
        self.add("tests.unit.b.BTests.test_two", 4, 4.5)

        self.assertEqual(
            [
                ["3.5", "2", "tests.unit.b.BTests"],
                ["1.0", "1", "tests.unit.a.ATests"],
            ],
            self.slowest(),
        )

    def test_what_a_class_sets_up_counts_for_its_first_test(self) -> None:
        self.add("a.ATests.test_one", 0, 1, worker="0")
        self.add("b.BTests.test_one", 6, 7, worker="0")
        self.add("c.CTests.test_one", 2, 3, worker="1")

        self.assertEqual(
            [
                ["6.0", "1", "b.BTests"],
                ["1.0", "1", "a.ATests"],
                ["1.0", "1", "c.CTests"],
            ],
            self.slowest(),
        )

    def test_workers_of_two_phases_are_not_the_same(self) -> None:
        self.add("a.ATests.test_one", 0, 1)
        self.times.add_phase("unit", 1, 2.0, 1.6)
        self.add("b.BTests.test_one", 50, 51)

        self.assertEqual("1.0", self.slowest()[0][0])
        self.assertEqual(
            ["unit", "1", "2", "2"],
            self.times.table().splitlines()[1].split(),
        )

    def test_ten_classes_are_named_at_most(self) -> None:
        for number in range(12):
            self.add(f"a.A{number}Tests.test_one", number, number + 1)

        self.assertEqual(10, len(self.slowest()))

    def test_one_that_is_only_there_is_left_out(self) -> None:
        self.times.add_test(
            {"id": "a.b", "status": "exists", "timestamps": [_BEGIN, _BEGIN]}
        )

        self.assertEqual([], self.slowest())

    def test_one_without_times_is_left_out(self) -> None:
        self.times.add_test({"id": "a", "timestamps": [None, None]})

        self.assertEqual([], self.slowest())
