"""Chosen scenarios on RabbitMQ and PostgreSQL, with a real ``kill -9``.

They share the processes: what one leaves in the world is not the other's.
"""

from tests import base
from tests.scenarios import fleet
from tests.scenarios import player
from tests.scenarios import script
from tests.scenarios import test_cases


class DistributedTests(base.TestCase):
    limit_s = 600

    def test_the_chosen_ones_play(self) -> None:
        system = self.useFixture(fleet.Fleet())

        played = 0
        for path in test_cases.CASES:
            scenario = script.read(path)
            if "distributed" in scenario.forms:
                try:
                    player.play(scenario, system, path.stem)
                except AssertionError as error:
                    raise AssertionError(f"{path.stem}: {error}") from error
                played += 1

        self.assertGreater(played, 0)
