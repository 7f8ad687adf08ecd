from orch import clock
from orch.plugin import call_context
from orch.resources.heat import durable_timeout
from tests import base


def remaining(wait_s: float, now: float) -> call_context.Pending | None:
    return durable_timeout.remaining_s(
        clock.Timestamp(1000.0), wait_s, clock.Timestamp(now)
    )


class WaitingTest(base.TestCase):
    def test_it_counts_from_when_the_action_began(self) -> None:
        pending = remaining(5, 1002.0)

        assert pending is not None
        self.assertEqual(3.0, pending.after_s)

    def test_it_is_over_at_the_moment_itself(self) -> None:
        self.assertIsNone(remaining(5, 1005.0))

    def test_a_clock_that_runs_behind_does_not_lengthen_it(self) -> None:
        pending = remaining(5, 900.0)

        assert pending is not None
        self.assertEqual(5, pending.after_s)

    def test_a_negative_wait_never_ends(self) -> None:
        self.assertIsNotNone(remaining(-1, 1e12))
