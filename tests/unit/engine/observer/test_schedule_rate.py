import testtools
from hypothesis import given
from hypothesis import strategies as st

from orch import clock
from orch.engine.observer import schedule

PORT, NET, SERVER = "OS::Neutron::Port", "OS::Neutron::Net", "OS::Nova::Server"


class Clock:
    """Goes on only while somebody waits."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> clock.Timestamp:
        return clock.Timestamp(self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    def wait(self, seconds: float) -> None:
        self.seconds += seconds


class PacingTestCase(testtools.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = Clock()

    def pace(self, rate: float = 10.0, burst: int = 5) -> schedule.RateLimit:
        return schedule.RateLimit(rate, burst, self.clock, self.clock.wait)

    def test_a_burst_goes_through_at_once(self) -> None:
        pace = self.pace(burst=5)

        for _ in range(5):
            pace("p", PORT)

        self.assertEqual(0.0, self.clock.seconds)

    def test_after_the_burst_calls_keep_to_the_rate(self) -> None:
        pace = self.pace(rate=10.0, burst=5)

        for _ in range(105):
            pace("p", PORT)

        self.assertAlmostEqual(10.0, self.clock.seconds)

    def test_types_of_one_service_share_a_bucket(self) -> None:
        pace = self.pace(rate=10.0, burst=1)

        pace("p", PORT)
        pace("p", NET)

        self.assertAlmostEqual(0.1, self.clock.seconds)

    def test_another_service_and_another_project_have_their_own(self) -> None:
        pace = self.pace(burst=1)

        for project_id, type_name in (
            ("p", PORT),
            ("p", SERVER),
            ("q", PORT),
            ("q", "Thing"),
        ):
            pace(project_id, type_name)

        self.assertEqual(0.0, self.clock.seconds)

    def test_a_bucket_fills_up_again_but_not_over(self) -> None:
        pace = self.pace(rate=10.0, burst=5)
        for _ in range(5):
            pace("p", PORT)
        self.clock.seconds = 1000.0

        for _ in range(6):
            pace("p", PORT)

        self.assertAlmostEqual(1000.1, self.clock.seconds)

    def test_workers_share_the_rate(self) -> None:
        pace = self.pace(rate=10.0, burst=1)
        pace.share(4)

        for _ in range(11):
            pace("p", PORT)

        self.assertAlmostEqual(4.0, self.clock.seconds)

    def test_a_turn_that_comes_too_late_is_not_waited_for(self) -> None:
        pace = self.pace(rate=10.0, burst=1)

        self.assertTrue(pace("p", PORT, 0.0))
        self.assertFalse(pace("p", PORT, 0.09))

        self.assertEqual(0.0, self.clock.seconds)
        self.assertTrue(pace("q", PORT, 0.0))

    def test_a_turn_in_time_is_waited_for_and_none_is_lost_before(
        self,
    ) -> None:
        pace = self.pace(rate=10.0, burst=1)
        pace("p", PORT)
        for _ in range(5):
            self.assertFalse(pace("p", PORT, 0.05))

        self.assertTrue(pace("p", PORT, 0.11))

        self.assertAlmostEqual(0.1, self.clock.seconds)

    @given(
        st.floats(0.1, 1000),
        st.integers(1, 50),
        st.lists(st.floats(0, 5), max_size=60),
    )
    def test_no_time_sees_more_calls_than_burst_and_rate(
        self, rate: float, burst: int, idle: list[float]
    ) -> None:
        self.clock = Clock()
        pace = self.pace(rate, burst)
        calls = []
        for pause_s in idle:
            self.clock.wait(pause_s)
            pace("p", PORT)
            calls.append(self.clock.seconds)

        for first, begin in enumerate(calls):
            for count, end in enumerate(calls[first:], start=1):
                self.assertLessEqual(
                    count, burst + rate * (end - begin) + 1e-6
                )
