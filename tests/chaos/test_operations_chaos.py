"""Random operations on many stacks while workers die at random moments.

Drawn from a seed, so that the same requests and the same pauses come again;
``ORCH_CHAOS_OPERATIONS`` and ``ORCH_CHAOS_SEED`` choose others by hand.
"""

import collections
import collections.abc
import os
import random
import threading
import time
import typing

from testtools import content

from tests.chaos import hook_sequences
from tests.scenarios import actor
from tests.scenarios import fleet
from tests.scenarios import stage
from tests.support import lifecycle
from tests.support import soak

_SEED = os.environ.get("ORCH_CHAOS_SEED", "20261121")
_OPERATIONS = int(
    os.environ.get("ORCH_CHAOS_OPERATIONS", soak.rounds(80, 2000))
)
_MAX_OPERATIONS = max(400, 2 * _OPERATIONS)
"""So many at most, until each verb was accepted once."""
_STACKS = 20
_WORKERS = 3
_MOST_S = 240
"""Within which 200 operations are asked for and have come to their ends."""


class Killer:
    """Kills a worker every few seconds, and starts it again.

    :ivar kills: how often
    """

    def __init__(self, system: fleet.Fleet, chance: random.Random) -> None:
        self.kills = 0
        self._system = system
        self._random = chance
        self._error: BaseException | None = None
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._kill_for_ever)
        self._thread.start()

    def stop(self) -> None:
        """Kill no more; all workers run.

        :raises AssertionError: one that was killed did not start again
        """
        self._is_stopping.set()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _kill_for_ever(self) -> None:
        try:
            while not self._is_stopping.wait(self._random.uniform(1.0, 4.0)):
                self._system.kill()
                self.kills += 1
        except Exception as error:
            self._error = error


_WITHOUT: typing.Final = ("delete_snapshot", "mark_unhealthy")
"""Requests that plug-ins judge without an operation; their runs are gone."""


class OperationsTests(hook_sequences.Checks):
    """Two lifecycle plug-ins are called: for roots, and for every stack."""

    limit_s = _MOST_S + _OPERATIONS

    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(_SEED)
        self.plugins = self.useFixture(
            lifecycle.Plugins(2, inner=frozenset({2}))
        )
        self.system = self.useFixture(fleet.Fleet(_WORKERS, self.plugins))
        self.records = self.system.records
        self.actors = [
            actor.Actor(
                stage.Stage(self.system, f"s{number}"), self.random, 0.2
            )
            for number in range(_STACKS)
        ]
        self.last = self.actors[0]

    def test_all_end_as_the_last_request_says(self) -> None:
        began = time.monotonic()
        killer = Killer(self.system, random.Random(f"{_SEED}-kills"))
        self.addCleanup(killer.stop)
        asked = 0
        # Some more, should the state of a stack have forbidden some verb.
        while asked < _OPERATIONS or (
            self.missing() and asked < _MAX_OPERATIONS
        ):
            self.ask(self.choose())
            asked += 1
            threading.Event().wait(self.random.uniform(0.0, 0.3))
        for each in self.actors:
            each.see_through()
        killer.stop()
        took_s = time.monotonic() - began

        self.addDetail("accepted", content.text_content(str(self.accepted())))
        # A run in which nobody died shows nothing, nor does one in which
        # all was refused.
        self.assertGreaterEqual(killer.kills, 3)
        self.assertEqual(set(), self.missing())
        self.assertLess(took_s, _MOST_S * max(1, _OPERATIONS / 200))
        self.check_stacks()
        for each in self.actors:
            if each.is_alive:
                each.on.finish()
        left = [name for each in self.actors for name in each.on.left.names]
        self.assertEqual(sorted(left), self.system.world.names())
        self.assertEqual([], self.system.world.doubles())
        self.check_plugins()

    def check_plugins(self) -> None:
        """Check that whoever was called before was called behind."""
        runs = self.runs()
        for run in runs:
            self.check_run(run, self.lines(run))
        known = {(x.operation_id, x.attempt, x.verb) for x in runs}
        called = {
            (each["operation"], each["attempt"], each["verb"])
            for each in self.plugins.lines()
            if not each["is_preview"] and each["verb"] not in _WITHOUT
        }
        self.assertEqual(set(), called - known)
        # What was told to end before it had begun has asked nobody, nor has
        # what was to keep to a plan that did not fit any more.
        done = {
            (each["id"], 1): each
            for each in self.records.operations()
            if each["started_at"] is not None
            and not (
                (each["is_cancelled"] or each["superseded_by"])
                and each["done"] == 0
            )
            and not each["options"].get("plan_stale")
        }
        for each in known:
            done.pop(each[:2], None)
        self.assertEqual({}, done)

    def choose(self) -> actor.Actor:
        """Return whose stack is asked for something.

        Often the last one's: that meets what is under way, or has failed.
        """
        if self.random.random() < 0.6:
            self.last = self.random.choice(self.actors)
        return self.last

    def ask(self, who: actor.Actor) -> None:
        """Ask for something of a stack, whatever is under way there."""
        for _ in range(self.random.randint(0, 2)):
            who.hinder()
        if not who.is_alive:
            who.create()
            return
        verb = who.draw()
        missing = sorted(self.missing())
        if missing and self.random.random() < 0.2:
            verb = self.random.choice(missing)
        who.ask(verb)

    def accepted(self) -> collections.Counter[str]:
        """Return how often each verb was accepted."""
        return sum(
            (each.accepted for each in self.actors), collections.Counter()
        )

    def missing(self) -> set[str]:
        """Return the verbs that no stack has accepted yet."""
        return set(actor.VERBS) - set(self.accepted())

    def check_stacks(self) -> None:
        """Check that each stack is what was asked for last."""
        for each in self.actors:
            if each.on.stack is not None:
                each.on.check()
                # Else the check before had nothing to compare with.
                self.assertIsInstance(
                    each.on.desired_shape(),
                    collections.abc.Mapping,
                    each.on.name,
                )
