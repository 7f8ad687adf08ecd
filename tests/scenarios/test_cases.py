"""Each scenario in ``cases`` is one test, played inside this process."""

import pathlib
import typing

import testscenarios

from tests import base
from tests.scenarios import inprocess
from tests.scenarios import player
from tests.scenarios import script

load_tests = testscenarios.load_tests_apply_scenarios

CASES = sorted((pathlib.Path(__file__).parent / "cases").glob("*.yaml"))


class CaseTests(base.TestCase):
    limit_s = 180
    scenarios: typing.ClassVar = [
        (path.stem, {"path": path}) for path in CASES
    ]
    path: pathlib.Path

    def test_it_plays(self) -> None:
        scenario = script.read(self.path)
        if "inprocess" not in scenario.forms:
            self.skipTest("it needs processes of its own")
        system = self.useFixture(inprocess.System())

        player.play(scenario, system, "s")
