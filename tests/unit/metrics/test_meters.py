from orch.metrics import meters
from tests import base


class MetersTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.taken: list[tuple[tuple[str, ...], float]] = []

    def take(self, values: tuple[str, ...], amount: float) -> None:
        self.taken.append((values, amount))

    def test_a_counter_hands_over_while_it_is_collected(self) -> None:
        counter = meters.Counter("orch_x_total", "Of x.", "kind")

        counter.count("before")
        counter.collect(self.take)
        counter.count("one")
        counter.count("two", by=3)
        counter.collect(None)
        counter.count("after")

        self.assertEqual([(("one",), 1.0), (("two",), 3)], self.taken)

    def test_a_histogram_takes_less_than_nothing_for_nothing(self) -> None:
        histogram = meters.Histogram("orch_x_seconds", "Of x.", bounds=[1])

        histogram.observe(9)
        histogram.collect(self.take)
        histogram.observe(-0.5)
        histogram.observe(2)

        self.assertEqual([((), 0.0), ((), 2)], self.taken)
