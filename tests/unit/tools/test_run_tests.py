"""The line at the end counts what ran, and hides nothing."""

import contextlib
import io

from testtools import content

from tests import base
from tools import run_tests


class TallyTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.tally = run_tests.Tally()

    def count(self, status: str, name: str = "it", **details: str) -> str:
        texts = {
            name: content.text_content(text) for name, text in details.items()
        }
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.tally.count({"id": name, "status": status, "details": texts})
        return printed.getvalue()

    def test_each_outcome_is_counted_under_its_own_name(self) -> None:
        for status in ("success", "success", "fail", "skip"):
            self.count(status)

        self.assertEqual("2 passed, 1 failed, 1 skipped", self.tally.line())
        self.assertFalse(self.tally.is_good())

    def test_a_failure_shows_its_traceback_whole_and_its_log_cut(self) -> None:
        printed = self.count(
            "fail", name="test_it", traceback="x" * 5000, log="y" * 5000
        )

        self.assertIn("FAILED test_it\n", printed)
        self.assertEqual((5000, 2000), tuple(map(printed.count, "xy")))

    def test_a_test_that_never_ended_has_failed(self) -> None:
        self.count("inprogress")

        self.assertEqual("0 passed, 1 failed, 0 skipped", self.tally.line())

    def test_a_success_that_nobody_expected_has_failed(self) -> None:
        self.count("success")
        self.count("uxsuccess")

        self.assertFalse(self.tally.is_good())

    def test_reasons_of_skipped_tests_are_kept(self) -> None:
        self.count("skip", reason="no broker")
        self.count("skip", reason="no broker")

        self.assertEqual({"no broker": 2}, dict(self.tally.skipped))

    def test_no_tests_at_all_are_no_success(self) -> None:
        self.assertFalse(self.tally.is_good())

    def test_a_broken_phase_shows_in_the_counts(self) -> None:
        self.count("success")
        self.tally.broken.append("unit: stestr exited with 3")

        self.assertEqual("1 passed, 1 failed, 0 skipped", self.tally.line())
        self.assertFalse(self.tally.is_good())
