"""Random sequences of requests, failures and deaths over the same world.

Bounded, and the same each time; README.md here says how to run it for long.
"""

import os
import random
import typing

import hypothesis
from hypothesis import stateful
from hypothesis import strategies

from tests import base
from tests.scenarios import actor
from tests.scenarios import draws
from tests.scenarios import inprocess
from tests.scenarios import stage
from tests.support import soak

_EXAMPLES = int(os.environ.get("ORCH_SEQUENCES", "30"))
_BATCHES = soak.rounds(1, 30)
"""So many times are the examples drawn, from a seed each."""
# A seed alone: what is drawn from it may depend on how far a stack has come,
# and Hypothesis wants the same choices for the same steps.
_CHANCES = strategies.integers(0, 1 << 32).map(random.Random)
_NAMES = strategies.sampled_from(draws.NAMES)
_ACTS = ("create", "update", "delete")
_MAKING = strategies.sampled_from(_ACTS)
_MOMENTS = strategies.sampled_from(("before", "after", "watch"))
_OF_SNAPSHOTS = ("restore", "delete snapshot")
_AFTER_FAILURES = ("retry", "retry leaving out", "roll back")
_AMID = ("cancel with rollback", "cancel without rollback")
_BEFORE = {"resume": "suspend", **dict.fromkeys(_AMID, "update")}
"""What is asked for before a verb, for it to fit."""
_TRIES = 20
_VERBS = strategies.sampled_from(actor.VERBS)


class Sequences(stateful.RuleBasedStateMachine):
    """One stack and everything that may come across it."""

    system: inprocess.System
    accepted: typing.ClassVar[set[str]] = set()
    numbers = iter(range(1 << 30))

    def __init__(self) -> None:
        super().__init__()
        self.stage = stage.Stage(self.system, f"s{next(self.numbers)}")
        self.actor = actor.Actor(self.stage, random.Random(0))

    @stateful.initialize(chance=_CHANCES)
    def create(self, chance: random.Random) -> None:
        self.actor.chance = chance
        self.actor.create()

    @stateful.rule(chance=_CHANCES, verb=_VERBS)
    def ask(self, chance: random.Random, verb: str) -> None:
        """Ask for something, whether it fits or not."""
        self.ask_for(chance, verb)

    @stateful.rule(chance=_CHANCES)
    def ask_what_fits(self, chance: random.Random) -> None:
        self.ask_for(chance, "")

    @stateful.rule(chance=_CHANCES)
    def settle_and_ask(self, chance: random.Random) -> None:
        """Ask for what fits the end of all that was asked before."""
        self.stage.world.release(self.stage.name)
        self.stage.settle()
        self.ask_for(chance, "")

    @stateful.rule(
        chance=_CHANCES, verb=strategies.sampled_from(_OF_SNAPSHOTS)
    )
    def go_back(self, chance: random.Random, verb: str) -> None:
        """Use a snapshot, a new one unless there is one."""
        self.stage.world.release(self.stage.name)
        self.stage.settle()
        if self.actor.is_alive and not self.stage.snapshots("COMPLETE"):
            self.ask_for(chance, "snapshot")
            self.stage.settle()
        self.ask_for(chance, verb)

    @stateful.rule(
        chance=_CHANCES,
        verb=strategies.sampled_from(_AFTER_FAILURES),
        act=_MAKING,
    )
    def fail_and_go_on(
        self, chance: random.Random, verb: str, act: str
    ) -> None:
        """Go on in some way with a change that has failed."""
        self.stage.world.release(self.stage.name)
        self.stage.settle()
        for name in draws.NAMES:
            self.actor.order(act, name, "permanent", "before")
        self.ask_for(chance, "update")
        self.stage.settle()
        self.ask_for(chance, verb)

    @stateful.rule(chance=_CHANCES)
    def hinder(self, chance: random.Random) -> None:
        self.actor.chance = chance
        self.actor.hinder()

    @stateful.rule(act=_MAKING, name=_NAMES, moment=_MOMENTS)
    def fail(self, act: str, name: str, moment: str) -> None:
        self.actor.order(act, name, "permanent", moment)

    @stateful.rule(act=_MAKING, name=_NAMES, moment=_MOMENTS)
    def hold(self, act: str, name: str, moment: str) -> None:
        self.stage.world.order(self.stage.name, act, name, moment=moment)

    @stateful.rule()
    def release(self) -> None:
        self.stage.world.release(self.stage.name)

    @stateful.rule()
    def kill(self) -> None:
        self.system.kill()

    @stateful.rule()
    def settle(self) -> None:
        self.stage.world.release(self.stage.name)
        self.stage.settle()
        self.stage.check()

    @stateful.rule(chance=_CHANCES)
    def end_well(self, chance: random.Random) -> None:
        """Let nothing stand in the way of what is wanted."""
        self.actor.chance = chance
        self.stage.world.forgive(self.stage.name)
        self.actor.see_through()
        if not self.actor.is_alive:
            self.actor.create()

    def ask_for(self, chance: random.Random, verb: str) -> None:
        """Ask for a verb, or for one that fits."""
        self.actor.chance = chance
        if self.actor.is_alive:
            verb = verb or self.actor.draw_fitting()
            if self.actor.ask(verb):
                self.accepted.add(verb)

    def teardown(self) -> None:
        if self.stage.stack is not None:
            self.stage.world.forgive(self.stage.name)
            self.actor.see_through()
            if self.actor.is_alive:
                self.stage.finish()


class SequenceTests(base.TestCase):
    limit_s = max(600, 10 * _EXAMPLES * _BATCHES)

    def test_the_last_request_wins_and_nothing_is_left(self) -> None:
        Sequences.system = self.useFixture(inprocess.System())
        Sequences.accepted.clear()

        if "ORCH_SEQUENCES" in os.environ:
            self.play(Sequences)
        else:
            for number in range(_BATCHES):
                self.play(hypothesis.seed(number)(Sequences))

        # Few sequences meet few states; some verbs fit one of them alone.
        for verb in sorted(set(actor.VERBS) - Sequences.accepted):
            self.ask_where_it_fits(verb)
        self.assertEqual(set(actor.VERBS), Sequences.accepted)

    @staticmethod
    def play(machine: type[Sequences]) -> None:
        """Play so many sequences as there are examples."""
        stateful.run_state_machine_as_test(
            machine,
            settings=hypothesis.settings(
                max_examples=_EXAMPLES,
                stateful_step_count=12,
                deadline=None,
                database=None,
                suppress_health_check=list(hypothesis.HealthCheck),
            ),
        )

    def ask_where_it_fits(self, verb: str) -> None:
        """Lead stacks to where a verb fits until it is accepted."""
        seeds = iter(range(1 << 30))
        for _ in range(_TRIES):
            machine = Sequences()
            machine.create(random.Random(next(seeds)))
            machine.settle()
            if verb in _AFTER_FAILURES:
                for act in _ACTS:
                    chance = random.Random(next(seeds))
                    machine.fail_and_go_on(chance, verb, act)
            elif verb in _OF_SNAPSHOTS:
                machine.go_back(random.Random(next(seeds)), verb)
            else:
                for name in draws.NAMES if verb in _AMID else "":
                    machine.hold("create", name, "watch")
                if verb in _BEFORE:
                    machine.ask_for(random.Random(0), _BEFORE[verb])
                if verb not in _AMID:
                    machine.settle()
                machine.ask_for(random.Random(next(seeds)), verb)
            machine.teardown()
            if verb in Sequences.accepted:
                return
