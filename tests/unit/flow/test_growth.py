"""The cost of a flow grows with its size, not with its square."""

import gc
import math
import time

import testscenarios

from orch.model import states
from tests import base
from tests.support import flows

SMALL = 1000
LARGE = 4000
WORST = 1.3
ROUNDS = 8
LAYER = 10


def flat(number: int) -> str:
    return ""


def chain(number: int) -> str:
    return f"r{number - 1}" if number else ""


def layered(number: int) -> str:
    above = (number // LAYER - 1) * LAYER
    if above < 0:
        return ""
    return " ".join(f"r{each}" for each in range(above, above + LAYER))


class GrowthTest(testscenarios.WithScenarios, base.TestCase):
    limit_s = 180
    scenarios = tuple(
        (shape.__name__, {"shape": staticmethod(shape)})
        for shape in (flat, chain, layered)
    )

    def test_four_times_as_many_cost_about_four_times_as_much(self) -> None:
        self.cost_of(SMALL // 10)  # what is made once is made now

        small = large = math.inf
        for _ in range(ROUNDS):
            # Who else is on the machine only ever adds: the least counts.
            small = min(small, self.cost_of(SMALL), self.cost_of(SMALL))
            large = min(large, self.cost_of(LARGE))
            if large / small < WORST * LARGE / SMALL:
                break

        self.assertLess(large / small, WORST * LARGE / SMALL)

    def cost_of(self, size: int) -> float:
        """Return CPU seconds of one creation and one deletion."""
        with flows.Flows() as made:
            made.kind.is_free = True
            bound = flows.Template(
                **{f"r{each}": self.shape(each) for each in range(size)}
            )
            gc.collect()
            began = time.process_time()
            ends = [
                made.run(bound).state,
                made.run(None, states.Action.DELETE).state,
            ]
            cost = time.process_time() - began
        self.assertEqual([states.OperationState.COMPLETE] * 2, ends)
        return cost
