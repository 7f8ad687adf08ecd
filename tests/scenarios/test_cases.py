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


class Cases:
    """Plays one scenario; its classes share the scenarios between them.

    All tests of a class run in one process, one after another.
    """

    path: pathlib.Path

    def test_it_plays(self: typing.Any) -> None:
        scenario = script.read(self.path)
        if "inprocess" not in scenario.forms:
            self.skipTest("it needs processes of its own")
        system = self.useFixture(inprocess.System())

        player.play(scenario, system, "s")


def _scenarios(first: int) -> list[tuple[str, dict[str, pathlib.Path]]]:
    return [(path.stem, {"path": path}) for path in CASES[first::2]]


class EvenCaseTests(Cases, base.TestCase):
    limit_s = 180
    scenarios: typing.ClassVar = _scenarios(0)


class OddCaseTests(Cases, base.TestCase):
    limit_s = 180
    scenarios: typing.ClassVar = _scenarios(1)
