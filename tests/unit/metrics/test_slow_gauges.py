import threading

from orch.metrics import meters
from orch.metrics import slow_gauges
from tests import base
from tests.unit.engine import fakes

GAUGE = meters.Gauge("orch_x", "Of x.")


class SeldomTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = fakes.Clock()
        self.number = 0
        self.error: Exception | None = None
        self.seldom = slow_gauges.Seldom(self.read, 10.0, self.clock)

    def read(self) -> list[meters.Reading]:
        self.number += 1
        if self.error is not None:
            raise self.error
        return [meters.Reading(GAUGE, self.number)]

    def values(self) -> list[float]:
        return [each.value for each in self.seldom()]

    def test_it_reads_again_only_after_its_time(self) -> None:
        found = [self.values()]
        self.clock.moment += 9.9
        found.append(self.values())
        self.clock.moment += 0.2
        found.append(self.values())

        self.assertEqual([[1], [1], [2]], found)

    def test_what_failed_is_not_told_from_before_nor_tried_at_once(
        self,
    ) -> None:
        self.values()
        self.clock.moment += 10
        self.error = OSError("away")

        self.assertRaises(OSError, self.seldom)
        found = [self.values()]
        self.error = None
        self.clock.moment += 10
        found.append(self.values())

        self.assertEqual([[], [3]], found)

    def test_while_one_reads_others_get_what_was_read_before(self) -> None:
        begun, goes_on = threading.Event(), threading.Event()
        goes_on.set()

        def read() -> list[meters.Reading]:
            begun.set()
            goes_on.wait(30)
            return self.read()

        self.seldom = slow_gauges.Seldom(read, 10.0, self.clock)
        self.values()
        begun.clear()
        goes_on.clear()
        self.clock.moment += 10
        reader = threading.Thread(target=self.seldom, daemon=True)
        reader.start()
        self.assertTrue(begun.wait(30))

        meanwhile = self.values()
        goes_on.set()
        reader.join(30)

        self.assertEqual([[1], [2]], [meanwhile, self.values()])
