"""A demo whose server does not answer says why, in one sentence."""

import pathlib
import sys
import typing

import requests

from tests import base
from tests.support import processes
from tools import demo
from tools import stage_embedded


class ExplainedTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.make_directory()
        self.logs = self.make_directory() / "demo"
        self.patch(demo, "_LOGS", self.logs)
        self.patch(processes, "find", lambda _: sys.executable)

    def fail(self, begin: typing.Callable[[], object]) -> str:
        """Return the last words of a demo in which something fails."""

        def play() -> None:
            with demo.explained(self.place):
                begin()

        return str(self.assertRaises(SystemExit, play))

    def start(self, text: str, timeout_s: float) -> None:
        """Start a server that never answers."""
        server = processes.Process(
            "orch-all", "-c", text, log=self.place / "orch-all.log"
        )
        self.addCleanup(server.close)
        server.start()
        server.wait_until(lambda: False, timeout_s=timeout_s)

    def test_a_server_that_ended_is_quoted_and_its_log_is_stored(
        self,
    ) -> None:
        text = "print('starting'); raise SystemExit('port 8004 is taken')"

        said = self.fail(lambda: self.start(text, timeout_s=50))

        self.assertEqual(
            "\nThe demo failed: orch-all ended and said: port 8004 is taken;"
            f" see {self.logs}/orch-all.log.",
            said,
        )
        log = (self.logs / "orch-all.log").read_text()
        self.assertEqual(
            {"starting", "port 8004 is taken"}, set(log.split("\n")) - {""}
        )

    def test_a_server_that_is_late_is_named(self) -> None:
        text = "import time; time.sleep(50)"

        said = self.fail(lambda: self.start(text, timeout_s=0))

        self.assertEqual(
            "\nThe demo failed: orch-all did not answer within 0 s,"
            f" see {self.logs}/orch-all.log.",
            said,
        )

    def test_a_server_that_went_amid_the_demo_is_no_traceback(self) -> None:
        def ask() -> None:
            raise requests.ConnectionError("refused, at length")

        self.assertEqual(
            "\nThe demo failed: the server does not answer (ConnectionError),"
            f" see the logs in {self.logs}.",
            self.fail(ask),
        )

    def test_a_defect_of_ours_keeps_its_traceback(self) -> None:
        def go_wrong() -> None:
            with demo.explained(pathlib.Path("/nowhere")):
                raise KeyError("name")

        self.assertRaises(KeyError, go_wrong)

    def test_a_server_has_two_minutes(self) -> None:
        self.assertEqual(120, stage_embedded.READY_S)
