"""Random operations on many stacks while workers die at random moments.

Drawn from a seed, so that the same requests and the same pauses come again;
``ORCH_CHAOS_OPERATIONS`` and ``ORCH_CHAOS_SEED`` choose others by hand.
"""

import os
import random
import threading

from tests import base
from tests.scenarios import fleet
from tests.scenarios import shapes
from tests.scenarios import stage
from tests.support import rest

_SEED = os.environ.get("ORCH_CHAOS_SEED", "20261121")
_OPERATIONS = int(os.environ.get("ORCH_CHAOS_OPERATIONS", "200"))
_STACKS = 20
_WORKERS = 3
_NAMES = "abcdef"
_TRIES = 8
"""Retries until a stack is complete: more than failures were ordered."""


class Killer:
    """Kills a worker every few seconds, and starts it again.

    :ivar kills: how often
    """

    def __init__(self, system: fleet.Fleet, chance: random.Random) -> None:
        self.kills = 0
        self._system = system
        self._random = chance
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._kill_for_ever)
        self._thread.start()

    def stop(self) -> None:
        """Kill no more; all workers run."""
        self._is_stopping.set()
        self._thread.join()

    def _kill_for_ever(self) -> None:
        while not self._is_stopping.wait(self._random.uniform(1.0, 4.0)):
            self._system.kill()
            self.kills += 1


class OperationsTests(base.TestCase):
    limit_s = 240 + _OPERATIONS

    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(_SEED)
        self.system = self.useFixture(fleet.Fleet(_WORKERS))
        self.stages = [
            stage.Stage(self.system, f"s{number}") for number in range(_STACKS)
        ]
        self.alive: set[str] = set()

    def test_all_end_as_the_last_request_says(self) -> None:
        killer = Killer(self.system, random.Random(f"{_SEED}-kills"))
        self.addCleanup(killer.stop)
        for _ in range(_OPERATIONS):
            self.ask(self.random.choice(self.stages))
            threading.Event().wait(self.random.uniform(0.0, 0.3))
        for each in self.stages:
            self.see_through(each)
        killer.stop()

        # A run in which nobody died shows nothing.
        self.assertGreaterEqual(killer.kills, 3)
        for each in self.stages:
            if each.stack is not None:
                each.check()
                self.assertIsNotNone(each.wanted())
        for each in self.stages:
            if each.name in self.alive:
                each.finish()
        self.assertEqual([], self.system.world.names())
        self.assertEqual([], self.system.world.doubles())

    def ask(self, on: stage.Stage) -> None:
        """Ask for something of a stack, whatever is under way there."""
        options: rest.Json = {
            "disable_rollback": self.random.random() < 0.6,
            "keep_going": self.random.random() < 0.3,
        }
        if self.random.random() < 0.3:
            self.fail(on)
        if on.name not in self.alive:
            self.see_through(on)
            on.create(self.draw(), options)
            self.alive.add(on.name)
        elif self.random.random() < 0.1:
            on.delete()
            self.alive.discard(on.name)
        elif self.random.random() < 0.15:
            self.retry(on)
        else:
            on.update(self.draw(), options)

    def fail(self, on: stage.Stage) -> None:
        act = self.random.choice(("create", "update", "delete"))
        moment = self.random.choice(("before", "watch"))
        on.world.order(
            on.name,
            act,
            self.random.choice(_NAMES),
            how="permanent",
            moment=moment,
            times=1,
        )

    def draw(self) -> shapes.Shape:
        """Return random things, each of which needs only earlier ones."""
        names = self.random.sample(_NAMES, self.random.randint(1, len(_NAMES)))
        shape: dict[str, shapes.Thing] = {}
        for name in names:
            shape[name] = shapes.Thing(
                type=self.random.choice(("Thing", "Thing", "Thing", "Other")),
                value=self.random.choice(("", "one")),
                label=self.random.choice(("", "one", "two")),
                refs=self.some(shape),
                bound=self.some(shape),
                reads=self.some(shape),
                after=self.some(shape),
                slow=0.2,
            )
        return shape

    def some(self, shape: shapes.Shape) -> tuple[str, ...]:
        if not shape or self.random.random() < 0.5:
            return ()
        return (self.random.choice(sorted(shape)),)

    def retry(self, on: stage.Stage) -> None:
        """Retry what has failed; what has not is refused."""
        try:
            on.retry()
        except rest.RefusedError as refused:
            if refused.status != 409 and refused.status < 500:
                raise

    def see_through(self, on: stage.Stage) -> None:
        """Retry what fails until all of it is complete."""
        if on.stack is None:
            return
        for _ in range(_TRIES):
            if not on.settle().endswith("FAILED"):
                return
            on.check()
            on.world.forgive(on.name)
            self.retry(on)
        self.assertNotIn("FAILED", on.settle(), on.reason())
