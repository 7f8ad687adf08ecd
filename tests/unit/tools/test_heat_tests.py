"""Heat's second suite is fetched, and what differs on purpose is known."""

import contextlib
import io
import pathlib
import typing
import zipfile

from tests import base
from tests.support import rig
from tools import cloud
from tools import heat_tests
from tools import run_tests

_PAGE: typing.Final = pathlib.Path("doc/source/contributor/heat_tests.rst")


class ExcuseTests(base.TestCase):
    def test_only_what_differs_on_purpose_is_excused(self) -> None:
        tally = run_tests.Tally()
        start = "heat_integrationtests.functional.test_x.T"
        tally.failed = {
            f"{start}.test_check_fail": "wrong",
            f"{start}.test_check_fail(first)": "wrong",
            f"{start}.test_check": "wrong",
        }

        heat_tests.excuse(tally)

        self.assertEqual([f"{start}.test_check"], list(tally.failed))
        self.assertEqual(2, tally.skipped.total())

    def test_the_page_says_why_each_of_them_differs(self) -> None:
        page = _PAGE.read_text(encoding="utf-8")

        self.assertEqual(
            [],
            [
                each
                for each in (*heat_tests.DIFFERING, *heat_tests.NOT_PLAYED)
                if each not in page
            ],
        )


class ProvideTests(base.TestCase):
    def provide(self, *names: str) -> tuple[str | None, pathlib.Path]:
        """Provide from a package that has these files."""
        home = self.make_directory() / "heat"

        def download(to: pathlib.Path) -> None:
            to.mkdir()
            with zipfile.ZipFile(to / "heat.whl", "w") as archive:
                for name in names:
                    archive.writestr(name, "")

        self.patch(heat_tests, "_download", download)
        with contextlib.redirect_stdout(io.StringIO()):
            return heat_tests.provide(home), home

    def test_only_the_suite_is_unpacked_and_once(self) -> None:
        own = "heat_integrationtests/__init__.py"

        fault, home = self.provide(own, "heat/__init__.py")

        self.assertIsNone(fault)
        self.assertTrue((home / own).exists())
        self.assertFalse((home / "heat").exists())
        self.patch(heat_tests, "_download", None)
        self.assertIsNone(heat_tests.provide(home))

    def test_a_package_without_the_suite_is_named(self) -> None:
        fault, _ = self.provide("heat/__init__.py")

        self.assertEqual("heat.whl has no heat_integrationtests", fault)


class MainTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.played: list[object] = []
        self.patch(run_tests, "prepare", lambda: None)
        self.patch(run_tests, "run", self.run_first)
        self.patch(heat_tests, "SUMMARY", self.make_directory() / "summary")
        self.patch(rig, "insist", lambda *_: "the rig")

    def run_first(
        self, phase: run_tests.Phase, tally: run_tests.Tally, wanted: str
    ) -> None:
        self.played.append(wanted)
        tally.passed += 1

    def main(self) -> tuple[int, str]:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            code = heat_tests.main()
        return code, output.getvalue()

    def test_the_output_says_loudly_that_the_second_is_missing(self) -> None:
        self.patch(heat_tests, "provide", lambda: "no registry")

        code, output = self.main()

        self.assertEqual(0, code)
        self.assertIn("!! LEFT OUT, ALL OF heat_integrationtests", output)
        self.assertTrue(
            output.strip().endswith(
                "!! HEAT'S SECOND SUITE WAS NOT PLAYED: no registry"
            )
        )

    def test_both_are_played_where_both_are_there(self) -> None:
        @contextlib.contextmanager
        def running(plane: cloud.Plane) -> typing.Iterator[None]:
            yield

        self.patch(heat_tests, "provide", lambda: None)
        self.patch(cloud, "running", running)
        self.patch(
            heat_tests, "play", lambda found, _: self.played.append(found)
        )

        code, output = self.main()

        self.assertEqual(0, code)
        self.assertEqual(
            [r"^tests\.functional\.test_published\.", "the rig"], self.played
        )
        self.assertNotIn("NOT PLAYED", output)
