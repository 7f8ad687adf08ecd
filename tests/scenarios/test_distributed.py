"""Chosen scenarios on RabbitMQ and PostgreSQL, with a real ``kill -9``.

They share the processes: what one leaves in the world is not the other's.
"""

import yaml

from tests import base
from tests.scenarios import fleet
from tests.scenarios import player
from tests.scenarios import script
from tests.scenarios import test_cases


def _chosen() -> dict[str, int]:
    """Return how many steps each scenario has that is to be played here.

    Read past ``script``, so that one which that passes over is missed.
    """
    told = {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
        for path in test_cases.CASES
    }
    return {
        name: len(each["steps"])
        for name, each in told.items()
        if "distributed" in each.get("forms", ())
    }


class DistributedTestCase(base.TestCase):
    limit_s = 600

    def play(self, *, has_tree: bool) -> None:
        """Play the chosen scenarios that have child stacks, or none."""
        system = self.useFixture(fleet.Fleet())

        played: dict[str, int] = {}
        others: set[str] = set()
        for path in test_cases.CASES:
            scenario = script.read(path)
            if scenario.has_tree is not has_tree:
                others.add(path.stem)
            elif "distributed" in scenario.forms:
                try:
                    played[path.stem] = player.play(
                        scenario, system, path.stem
                    )
                except AssertionError as error:
                    raise AssertionError(f"{path.stem}: {error}") from error

        chosen = _chosen()
        self.assertEqual(
            {name: chosen[name] for name in chosen.keys() - others}, played
        )
        self.assertTrue(chosen.keys() & others, "scenarios of both kinds")


class DistributedTests(DistributedTestCase):
    def test_the_chosen_ones_play(self) -> None:
        self.play(has_tree=False)

    def test_whatever_can_be_asked_for_is_among_them(self) -> None:
        asked = {
            step.verb
            for path in test_cases.CASES
            for scenario in [script.read(path)]
            if "distributed" in scenario.forms
            for step in scenario.steps
        }

        self.assertEqual(set(), {*script.ASKING, "kill"} - asked)


class DistributedTreeTests(DistributedTestCase):
    def test_the_chosen_ones_with_child_stacks_play(self) -> None:
        self.play(has_tree=True)
