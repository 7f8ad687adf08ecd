"""What becomes of a call that failed."""

import testscenarios

from orch import errors
from orch.flow.runner import retry_policy
from tests import base

load_tests = testscenarios.load_tests_apply_scenarios

POLICY = retry_policy.RetryPolicy(
    tries=3,
    first_pause_s=1.0,
    max_pause_s=5.0,
    first_block_s=30.0,
    max_block_s=100.0,
)
FAIL = retry_policy.RetryVerdict.FAIL
RETRY = retry_policy.RetryVerdict.RETRY
BLOCK = retry_policy.RetryVerdict.BLOCK


class JudgeTest(base.TestCase):
    scenarios = (
        (
            "transient",
            {"kind": errors.Transient, "first": RETRY, "last": FAIL},
        ),
        ("outage", {"kind": errors.Outage, "first": RETRY, "last": BLOCK}),
        ("busy", {"kind": errors.Busy, "first": RETRY, "last": FAIL}),
        (
            "quota",
            {"kind": errors.QuotaExceeded, "first": BLOCK, "last": BLOCK},
        ),
        ("permanent", {"kind": errors.Permanent, "first": FAIL, "last": FAIL}),
        ("unknown", {"kind": ValueError, "first": FAIL, "last": FAIL}),
    )

    def test_the_class_of_the_error_decides(self) -> None:
        error = self.kind("it failed")

        self.assertEqual(
            (self.first, self.first, self.last),
            tuple(POLICY.decide(error, tries) for tries in (1, 2, 3)),
        )


class PauseTest(base.TestCase):
    def check(self, longest: float, pause: float) -> None:
        self.assertTrue(0.8 * longest <= pause <= longest, pause)

    def test_they_double_up_to_the_longest(self) -> None:
        for tries, longest in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0)):
            self.check(longest, POLICY.pause_s(tries))
        for times, longest in ((1, 30.0), (2, 60.0), (3, 100.0)):
            self.check(longest, POLICY.block_s(times, errors.Outage("away")))

    def test_quota_is_asked_for_again_within_a_minute(self) -> None:
        full = errors.QuotaExceeded("full")
        policy = retry_policy.RetryPolicy()

        for times, longest in ((1, 30.0), (2, 50.0), (10_000, 50.0)):
            self.check(longest, policy.block_s(times, full))

    def test_an_outage_may_say_when_it_is_over(self) -> None:
        error = errors.Outage("maintenance")
        for after_s, pause_s in ((70.0, 70.0), (1000.0, 100.0)):
            error.after_s = after_s
            self.assertEqual(pause_s, POLICY.block_s(1, error))

    def test_however_often_it_stays_the_longest(self) -> None:
        self.check(5.0, POLICY.pause_s(10_000))

    def test_a_service_may_say_when_to_come_again(self) -> None:
        error = errors.Transient("later")
        policy = retry_policy.RetryPolicy(first_pause_s=1.0, max_pause_s=30.0)
        self.assertLessEqual(policy.pause_s(1, error), 1.0)

        error.after_s = 20.0
        self.assertEqual(20.0, policy.pause_s(1, error))
        error.after_s = 1000.0
        self.assertEqual(30.0, policy.pause_s(1, error))

    def test_no_two_need_be_the_same(self) -> None:
        pauses = {POLICY.pause_s(1) for _ in range(20)}

        self.assertGreater(len(pauses), 1)
