"""Trees of stacks live at two installations while workers are killed.

Bounded, and the same each time; README.md here says how to run it for long.
"""

import os
import random

from tests import base
from tests.scenarios import inprocess
from tests.scenarios import lives
from tests.support import soak

_SEEDS = int(os.environ.get("ORCH_LIVES", soak.rounds(4, 200)))
_FIRST = int(os.environ.get("ORCH_LIVES_FIRST", 0))
_PHASES = 6


class LifeTests(base.TestCase):
    limit_s = max(300, 30 * _SEEDS)

    def test_nothing_is_doubled_left_or_lost(self) -> None:
        first = self.useFixture(inprocess.System())
        second = self.useFixture(inprocess.System(first.world))
        for seed in range(_FIRST, _FIRST + _SEEDS):
            with self.subTest(seed=seed):
                lives.Life(
                    (first, second), f"v{seed}", random.Random(seed)
                ).play(_PHASES)
