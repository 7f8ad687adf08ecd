"""The line at the end counts what ran, and hides nothing."""

import contextlib
import io
import pathlib
import re
import sys

import fixtures
from testtools import content

from tests import base
from tools import run_tests


class TallyTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.tally = run_tests.Tally()
        self.logs = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.patch(run_tests, "_LOGS", self.logs)
        self.patch(run_tests, "_FAILURES", self.logs / "failures")

    def count(self, status: str, name: str = "it", **details: str) -> None:
        texts = {
            name: content.text_content(text) for name, text in details.items()
        }
        self.tally.count({"id": name, "status": status, "details": texts})

    def report(self) -> str:
        """Return what is printed at the end."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            run_tests.report(self.tally, self.logs / "summary")
        return printed.getvalue()

    def test_each_outcome_is_counted_under_its_own_name(self) -> None:
        for status in ("success", "success", "fail", "skip"):
            self.count(status)

        self.assertEqual("2 passed, 1 failed, 1 skipped", self.tally.line())
        self.assertFalse(self.tally.is_good())

    def test_a_failure_is_told_in_a_line_and_whole_with_its_log_cut(
        self,
    ) -> None:
        self.count(
            "fail",
            name="test_it",
            traceback="z" * 5000 + "\nit was late",
            log="q" * 5000,
        )

        self.assertEqual(
            (5000, 2000), tuple(map(self.tally.failed["test_it"].count, "zq"))
        )
        printed = self.report()
        line, whole = "!! FAILED, test_it: it was late\n", "\n-- test_it\n"
        self.assertLess(printed.index(line), printed.index(whole))
        self.assertEqual((5000, 2000), tuple(map(printed.count, "zq")))
        self.assertTrue(printed.endswith("0 passed, 1 failed, 0 skipped\n"))

    def test_a_failure_can_be_read_while_others_run(self) -> None:
        self.count("fail", name="test_it", traceback="it was late")
        self.count("fail", name="test_other", traceback="it was wrong")

        told = (self.logs / "failures").read_text(encoding="utf-8")
        self.assertEqual(
            "\n-- test_it\nit was late\n\n-- test_other\nit was wrong\n",
            told,
        )

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

    def test_what_was_cut_off_is_named_and_has_not_failed(self) -> None:
        self.count("success")
        self.tally.cut_off["unit"] = ["test_slow", "test_other"]

        self.assertEqual(
            "1 passed, 0 failed, 0 skipped, CUT OFF: unit", self.tally.line()
        )
        printed = self.report()
        self.assertIn("!! CUT OFF, unit, while these ran:\n", printed)
        self.assertIn("!!     test_slow\n!!     test_other\n", printed)
        self.assertNotIn("FAILED", printed)
        self.assertFalse(self.tally.is_good())

    def test_no_tests_at_all_are_no_success(self) -> None:
        self.assertFalse(self.tally.is_good())

    def test_a_broken_phase_shows_in_the_counts(self) -> None:
        self.count("success")
        self.tally.broken.append("unit: stestr exited with 3")

        self.assertEqual("1 passed, 1 failed, 0 skipped", self.tally.line())
        self.assertFalse(self.tally.is_good())

    def test_what_passed_alone_is_named(self) -> None:
        self.count("success")
        self.count("fail", name="shaky", traceback="it was late")

        self.tally.set_apart(["shaky"])

        self.assertEqual(
            "1 passed, 0 failed, 0 skipped, 1 UNSTEADY", self.tally.line()
        )
        printed = self.report()
        self.assertIn("!! UNSTEADY, shaky: it was late\n", printed)
        self.assertIn("\n-- shaky\nit was late\n", printed)
        self.assertTrue(self.tally.is_good())

    def test_more_than_two_that_passed_alone_fail_the_run(self) -> None:
        self.count("success")
        for name in ("one", "other", "third"):
            self.count("fail", name=name, traceback="it was late")

        self.tally.set_apart(["one", "other", "third"])

        self.assertFalse(self.tally.is_good())


class CommandTests(base.TestCase):
    def place(self, name: str) -> str:
        """Return where the tests of a phase are looked for."""
        phase = run_tests.Phase(name, workers=2, stall_s=60)
        command = run_tests.command_of(phase, 3, "wanted")
        self.assertEqual("wanted", command[-1])
        self.assertEqual("3", command[command.index("--concurrency") + 1])
        return command[command.index("--test-path") + 1]

    def test_a_phase_imports_its_own_tests_alone(self) -> None:
        self.assertEqual("tests/chaos", self.place("chaos"))

    def test_the_unit_tests_find_what_cannot_be_imported_anywhere(
        self,
    ) -> None:
        self.assertEqual("tests", self.place("unit"))

    def test_a_run_of_all_plays_each_phase_once(self) -> None:
        names = [f"tests.{each.name}.test_it" for each in run_tests.PHASES]

        played = [
            name
            for phase in run_tests.WHOLE
            for name in names
            if re.match(phase.pattern, f"{name}.Tests.test_a")
        ]

        self.assertEqual(names, played)
        self.assertTrue(all(each.has_tests() for each in run_tests.WHOLE))

    def test_those_of_several_directories_are_looked_for_in_all(self) -> None:
        phase = run_tests.WHOLE[-1]

        self.assertEqual("tests", str(phase.path))
        self.assertIsNone(re.match(phase.pattern, "tests.unit.test_a.A.test"))
        found = re.match(
            phase.pattern, "a_package.tests.functional.test_a.A.test"
        )
        assert found is not None
        self.assertEqual("a_package.tests.functional.", found[0])


# Writes subunit as a worker of stestr does: each word is a test that begins,
# ends (`-name`), or is waited for (`+seconds`).
_SPEAKER = """
import sys, time, subunit
out = subunit.StreamResultToBytes(sys.stdout.buffer)
for word in sys.argv[1:]:
    if word[0] == "+":
        time.sleep(float(word[1:]))
    elif word[0] == "-":
        out.status(test_id=word[1:], test_status="success")
    else:
        out.status(test_id=word, test_status="inprogress")
    sys.stdout.flush()
"""


class ProgressTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.logs = self.make_directory()
        self.patch(run_tests, "_LOGS", self.logs)
        self.patch(run_tests, "_FAILURES", self.logs / "failures")
        self.tally = run_tests.Tally()

    def play(self, words: str) -> tuple[int, bool]:
        """Return the exit code, and whether it was cut off."""
        return run_tests.play(
            (sys.executable, "-c", _SPEAKER, *words.split()),
            run_tests.Phase("unit", workers=1, stall_s=60.0),
            self.tally,
        )

    def test_a_phase_whose_tests_end_has_never_stalled(self) -> None:
        now = 0.0
        progress = run_tests.Progress(lambda: now)

        for number in range(100):
            progress.status(f"t{number}", "inprogress")
            now += 50.0
            self.assertFalse(progress.has_stalled(60.0))
            progress.status(f"t{number}", "success")
        progress.status("last", "inprogress")
        now += 61.0
        self.assertTrue(progress.has_stalled(60.0))

    def test_one_that_makes_no_progress_is_cut_off_with_its_tests(
        self,
    ) -> None:
        class Progress(run_tests.Progress):
            """An hour passes when the last test has begun."""

            def __init__(self) -> None:
                self.now = 0.0
                super().__init__(lambda: self.now)

            def status(self, test_id=None, *more, **others):
                super().status(test_id, *more, **others)
                if test_id == "d":
                    self.now = 3600.0

        self.patch(run_tests, "Progress", Progress)

        _, is_cut = self.play("a -a b c -c d +600")

        self.assertTrue(is_cut)
        self.assertEqual({"unit": ["b", "d"]}, self.tally.cut_off)
        self.assertEqual(({}, 2), (self.tally.failed, self.tally.passed))

    def test_one_that_ends_before_its_test_has_failed(self) -> None:
        _, is_cut = self.play("a -a b")

        self.assertFalse(is_cut)
        self.assertEqual({"b"}, set(self.tally.failed))
        self.assertEqual({}, self.tally.cut_off)


class AgainTests(base.TestCase):
    def alone(self, *rounds: dict[str, str]) -> list[str]:
        """Return what passes alone, given what each round says."""
        left = list(rounds)
        logs = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.patch(run_tests, "_LOGS", logs)
        self.patch(run_tests, "_FAILURES", logs / "failures")

        def stestr(
            phase: run_tests.Phase,
            tally: run_tests.Tally,
            workers: int,
            wanted: str,
        ) -> tuple[int, bool]:
            self.assertEqual(1, workers)
            for name, status in left.pop(0).items():
                tally.count({"id": name, "status": status, "details": {}})
            return 0, False

        self.patch(run_tests, "_stestr", stestr)
        with contextlib.redirect_stdout(io.StringIO()):
            return run_tests._passing_alone(
                run_tests.PHASES[0], list(rounds[0])
            )

    def test_only_what_passes_each_time_is_forgiven(self) -> None:
        found = self.alone(
            {"a": "success", "b": "fail", "c": "success"},
            {"a": "success", "c": "fail"},
        )

        self.assertEqual(["a"], found)

    def test_a_run_that_does_not_tell_of_all_forgives_nothing(self) -> None:
        self.assertEqual(
            ["a", "b"],
            self.alone(
                {"a": "success", "b": "success"},
                {"a": "success", "b": "success"},
            ),
        )
        self.assertEqual(
            [], self.alone({"a": "success", "b": "success"}, {"a": "success"})
        )
