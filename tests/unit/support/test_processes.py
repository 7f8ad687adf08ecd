"""Processes that are closed together end together."""

import pathlib
import sys

from tests import base
from tests.support import processes
from tests.support import waiting

# Told to end, it does so once the other was told as well.
_SCRIPT = """
import pathlib, signal, sys, time
here, mine, other = map(pathlib.Path, sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: (here / mine).touch())
(here / f"ready-{mine}").touch()
while not ((here / mine).exists() and (here / other).exists()):
    time.sleep(0.01)
(here / f"ended-{mine}").touch()
"""


class CloseTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()

    def start(self, mine: str, other: str) -> processes.Process:
        made = processes.Process(
            pathlib.Path(sys.executable).name,
            *("-c", _SCRIPT, str(self.directory), mine, other),
            log=self.directory / f"{mine}.log",
        )
        made.start()
        self.addCleanup(made.kill)
        waiting.wait_for(lambda: self.has(f"ready-{mine}"), mine)
        return made

    def has(self, name: str) -> bool:
        return (self.directory / name).exists()

    def test_all_are_told_before_one_is_waited_for(self) -> None:
        pair = (self.start("one", "two"), self.start("two", "one"))

        processes.close(pair)

        self.assertTrue(self.has("ended-one"))
        self.assertTrue(self.has("ended-two"))
        self.assertEqual([False, False], [each.is_running() for each in pair])

    def test_what_does_not_run_stays_so(self) -> None:
        idle = processes.Process("no-such", log=self.directory / "log")

        processes.close((idle,))

        self.assertFalse(idle.is_running())
