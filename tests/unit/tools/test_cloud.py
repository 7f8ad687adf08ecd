"""The control plane is started and stopped as it was found, or left out."""

import contextlib
import io
import pathlib
import re
import typing

import fixtures

from tests import base
from tests.cloud import short_set
from tests.support import apart
from tests.support import ports
from tools import apart as installing
from tools import cloud
from tools import run_tests

_ALL = ("core", "swift", "octavia", "barbican", "designate")
_TOOL = """#!/bin/sh
echo "$(basename "$0") $*" >> {calls}
{body}
"""


class PlaneTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.make_directory()
        self.calls = self.place / "calls"
        self.calls.touch()
        self.tool("status", "echo sum of RSS 0 MiB")
        self.tool("up", "true")
        self.tool("down", "true")
        self.patch(cloud, "_PORTS", dict.fromkeys(_ALL, ()))

    def tool(self, name: str, body: str) -> None:
        path = self.place / name
        path.write_text(_TOOL.format(calls=self.calls, body=body))
        path.chmod(0o755)

    def plane(self, *, is_given: bool = False) -> cloud.Plane:
        return cloud.Plane(self.place, self.place / "home", is_given)

    def run_on(self, plane: cloud.Plane) -> list[str]:
        """Return what was called while a plane was asked for."""
        with contextlib.redirect_stdout(io.StringIO()), cloud.running(plane):
            pass
        return self.called()

    def called(self) -> list[str]:
        return self.calls.read_text().splitlines()

    def test_what_was_started_is_stopped_and_wiped(self) -> None:
        self.assertEqual(
            [
                "status ",
                "up core swift octavia barbican designate",
                "down --wipe",
            ],
            self.run_on(self.plane()),
        )

    def test_what_somebody_named_keeps_what_it_has(self) -> None:
        self.assertEqual(
            ["status ", "up core swift octavia barbican designate", "down "],
            self.run_on(self.plane(is_given=True)),
        )

    def test_what_runs_already_is_left_running(self) -> None:
        self.tool("status", "echo keystone pid 7")

        self.assertEqual(
            ["status ", "up core swift octavia barbican designate"],
            self.run_on(self.plane(is_given=True)),
        )

    def test_it_is_not_built_as_our_version(self) -> None:
        self.useFixture(fixtures.EnvironmentVariable("PBR_VERSION", "0.1.0"))
        self.tool("up", 'test -z "$PBR_VERSION"')

        self.assertIn(
            "up core swift octavia barbican designate",
            self.run_on(self.plane()),
        )

    def test_one_that_cannot_start_is_stopped_and_says_why(self) -> None:
        self.tool("up", "echo no registry; echo FAILED: pip; exit 1")

        error = self.assertRaises(cloud.PlaneError, self.run_on, self.plane())

        self.assertEqual("up failed: FAILED: pip", str(error))
        self.assertEqual("down --wipe", self.called()[-1])

    def test_a_slow_one_is_waited_for_once_more(self) -> None:
        mark = self.place / "slow"
        self.tool(
            "up",
            f"[ -e {mark} ] && exit 0; touch {mark};"
            " echo keystone: not there after 60 s; exit 1",
        )

        self.assertEqual(
            [
                "status ",
                "up core swift octavia barbican designate",
                "up core swift octavia barbican designate",
                "down --wipe",
            ],
            self.run_on(self.plane()),
        )

    def test_one_that_hangs_is_killed_in_time(self) -> None:
        self.tool("up", "sleep 600")
        self.patch(cloud, "_START_S", 0.2)

        error = self.assertRaises(cloud.PlaneError, self.run_on, self.plane())

        self.assertIn("up was not done in", str(error))

    def test_a_port_of_somebody_else_is_told_before_anything_starts(
        self,
    ) -> None:
        self.patch(
            cloud, "_PORTS", {**dict.fromkeys(_ALL, ()), "core": (5000,)}
        )
        self.patch(ports, "is_open", lambda port: True)

        error = self.assertRaises(cloud.PlaneError, self.run_on, self.plane())

        self.assertIn("something else listens on port 5000", str(error))
        self.assertEqual(["status "], self.called())


class MainTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        # It tells those that it starts, by the environment.
        self.useFixture(fixtures.EnvironmentVariable("ORCH_CLOUD_DIR"))

    def main(self, plane: cloud.Plane, *arguments: str) -> tuple[int, str]:
        """Return the exit code, and the summary."""
        summary = self.make_directory() / "summary"
        name = "SUMMARY_FULL" if arguments else "SUMMARY"
        self.patch(cloud, name, summary)
        self.patch(cloud.Plane, "chosen", classmethod(lambda *_: plane))
        self.provided: list[apart.Program] = []
        self.patch(installing, "provide", self.provided.append)
        with contextlib.redirect_stdout(io.StringIO()):
            code = cloud.main(arguments)
        return code, summary.read_text()

    def run_as(self, run: object) -> tuple[cloud.Plane, list[object]]:
        """Let this run the tests; return a plane, and what was wanted."""
        wanted: list[object] = []

        def play(
            phase: run_tests.Phase, tally: run_tests.Tally, names: object
        ) -> None:
            wanted.append(names)
            run(phase, tally)

        @contextlib.contextmanager
        def running(plane: cloud.Plane) -> typing.Iterator[None]:
            yield

        self.patch(run_tests, "run", play)
        self.patch(cloud, "running", running)
        plane = cloud.Plane(self.make_directory(), self.make_directory(), True)
        for name in ("status", "up", "down"):
            path = plane.tools / name
            path.write_text("#!/bin/sh\necho sum\n")
            path.chmod(0o755)
        return plane, wanted

    def test_without_a_control_plane_the_last_line_says_so(self) -> None:
        nowhere = pathlib.Path("/nowhere")

        code, summary = self.main(cloud.Plane(nowhere, nowhere, False))

        self.assertEqual(0, code)
        self.assertIn("LEFT OUT", summary)
        self.assertIn("/nowhere/up is not there", summary)

    def test_tests_that_fail_fail_the_run(self) -> None:
        def run(phase: run_tests.Phase, tally: run_tests.Tally) -> None:
            self.assertEqual("cloud", phase.name)
            tally.passed, tally.failed = 1, {"it": "wrong"}

        plane, _ = self.run_as(run)

        code, summary = self.main(plane)

        self.assertEqual(
            (1, "1 passed, 1 failed, 0 skipped\n"), (code, summary)
        )

    def test_without_a_word_the_short_set_is_run(self) -> None:
        plane, wanted = self.run_as(lambda *_: None)

        self.main(plane)

        (names,) = wanted
        chosen = [
            case.name
            for case in short_set.cases()
            if re.search(str(names), case.name)
        ]
        self.assertEqual([each.name for each in short_set.cases()], chosen)
        self.assertIsNone(
            re.search(str(names), "tests.cloud.test_listing.ListedTests.x")
        )

    def test_all_are_run_where_that_is_wanted(self) -> None:
        plane, wanted = self.run_as(lambda *_: None)

        self.main(plane, "full")

        self.assertEqual([None], wanted)
        self.assertEqual([apart.AODH], self.provided)

    def test_a_word_that_it_does_not_know_runs_nothing(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(2, cloud.main(["fuller"]))


class ServicesTests(base.TestCase):
    def test_only_what_cases_need_is_started(self) -> None:
        def case(*services: str) -> short_set.Case:
            return short_set.Case("x", ("A",), frozenset(services))

        self.assertEqual(
            {"core"}, cloud.services_of([case("identity"), case("image")])
        )
        self.assertEqual(
            {"core", "swift"},
            cloud.services_of([case("compute"), case("object-store")]),
        )
