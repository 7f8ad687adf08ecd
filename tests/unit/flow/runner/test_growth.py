"""The cost of a flow grows with its size, not with its square."""

import gc
import math
import sys
import threading
import time
import types

import testscenarios

from orch.model import states
from tests import base
from tests.support import flows

load_tests = testscenarios.load_tests_apply_scenarios

SMALL = 500
LARGE = 2000
WORST = 2.0
"""Of the time: caches and neighbours have their share in it. A square would
be four, and what is called is counted below, where nobody else counts."""
WORST_CALLS = 1.1
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


class Counter:
    """Counts the calls of all threads that begin while it is set.

    :ivar count: those of functions in Python and in C
    """

    def __init__(self) -> None:
        self.count = 0

    def __call__(
        self, frame: types.FrameType, event: str, argument: object
    ) -> None:
        self.count += event in {"call", "c_call"}


class GrowthTest(base.TestCase):
    limit_s = 180
    scenarios = tuple(
        (shape.__name__, {"shape": staticmethod(shape)})
        for shape in (flat, chain, layered)
    )

    def test_four_times_as_many_cost_about_four_times_as_much(self) -> None:
        self.cost_of(SMALL // 5)  # what is made once is made now

        small = large = math.inf
        for _ in range(ROUNDS):
            # Who else is on the machine only ever adds: the least counts.
            small = min(small, self.cost_of(SMALL), self.cost_of(SMALL))
            large = min(large, self.cost_of(LARGE))
            if large / small < WORST * LARGE / SMALL:
                break

        self.assertLess(large / small, WORST * LARGE / SMALL)

    def test_four_times_as_many_take_about_four_times_as_many_calls(
        self,
    ) -> None:
        self.calls_of(SMALL // 5)

        small, large = self.calls_of(SMALL), self.calls_of(LARGE)

        self.assertLess(large / small, WORST_CALLS * LARGE / SMALL)

    def calls_of(self, size: int) -> int:
        """Return how many functions one creation and one deletion call."""
        counter = Counter()
        threading.setprofile(counter)
        sys.setprofile(counter)
        try:
            self.cost_of(size)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        return counter.count

    def cost_of(self, size: int) -> float:
        """Return CPU seconds of one creation and one deletion."""
        with flows.Flows() as made:
            made.kind.is_free = True
            parsed_template = flows.Template(
                **{f"r{each}": self.shape(each) for each in range(size)}
            )
            gc.collect()
            began = time.process_time()
            ends = [
                made.run(parsed_template).state,
                made.run(None, states.Action.DELETE).state,
            ]
            cost = time.process_time() - began
        self.assertEqual([states.OperationState.COMPLETE] * 2, ends)
        return cost
