"""The clock of each database."""

import time

import sqlalchemy as sa
import testscenarios

from orch.db import functions
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class ClockTest(base.TestCase):
    def read(self) -> float:
        with self.database.read() as conn:
            return functions.read_clock(conn)

    def test_it_is_the_time_with_a_fraction(self) -> None:
        before = time.time()
        found = [self.read() for _ in range(5)]
        after = time.time()

        # The servers run on this machine; SQLite counts milliseconds.
        self.assertLessEqual(before - 0.002, found[0])
        self.assertLessEqual(found[-1], after + 0.002)
        self.assertEqual(sorted(found), found)
        self.assertTrue(any(each % 1 for each in found))

    def test_it_goes_on_inside_a_transaction(self) -> None:
        with self.database.write() as conn:
            first = functions.read_clock(conn)
            time.sleep(0.02)
            second = functions.read_clock(conn)

        self.assertTrue(0.01 < second - first < 1, (first, second))

    def test_it_does_not_follow_the_time_zone_of_the_session(self) -> None:
        if self.database.dialect == "sqlite":
            self.skipTest("SQLite has no sessions")
        before = time.time()
        zones = {"mysql": "time_zone = '+05:00'"}
        zone = zones.get(self.database.dialect, "TIME ZONE 'Asia/Kathmandu'")
        with self.connect().write() as conn:
            conn.execute(sa.text(f"SET SESSION {zone}"))
            found = functions.read_clock(conn)

        self.assertLess(abs(found - before), 5)
