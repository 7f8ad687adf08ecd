"""Random sequences over a stack with a stack in it, and one in that.

Bounded, and the same each time; README.md here says how to run it for long.
"""

import dataclasses
import itertools
import os
import random
import typing

import hypothesis
from hypothesis import strategies

from tests import base
from tests.scenarios import actor
from tests.scenarios import draws
from tests.scenarios import inprocess
from tests.scenarios import shapes
from tests.scenarios import trees
from tests.support import soak

_EXAMPLES = int(os.environ.get("ORCH_TREES", "20"))
_BATCHES = soak.rounds(1, 15)
"""So many times are the examples drawn, from a seed each."""
_STEPS = 5
STACKS = ("k", "l")
"""Names of the stack inside, and of the one inside that."""
_NEEDS = ("refs", "fixed_refs", "reads", "after")
_EVENTS = ("hinder", "hinder", "hold", "kill", "settle", "settle")
_LEFT_OUT = frozenset({"retry leaving out"})
"""Verbs that :mod:`tests.scenarios.cases` tells of instead."""


class Actor(actor.Actor):
    """Asks for random trees of stacks; most changes are small."""

    on: trees.Stage

    def __init__(self, on: trees.Stage, chance: random.Random) -> None:
        super().__init__(on, chance)
        self._flat: draws.Shape = {}
        self._levels: dict[str, int] = {}

    def draw(self) -> str:
        """Return a verb, every other time one that fits the state."""
        return next(
            verb
            for verb in iter(super().draw, "")
            if verb not in _LEFT_OUT and "snapshot" not in verb
        )

    def _heal(self) -> None:
        """Wake what a resumption that was cut short left at rest first."""
        if self.on.rests_anywhere():
            self.on.world.forgive(self.on.name)
            self.on.act("resume")
            self._retry_all()
        super()._heal()

    def _draw(self) -> shapes.Shape:
        self._flat = draws.shape(self.chance)
        self._levels = {
            name: self.chance.randint(0, len(STACKS)) for name in draws.NAMES
        }
        return self._tree()

    def _change(self) -> shapes.Shape:
        self._flat = draws.changed(self.chance, self._flat)
        if self.chance.random() < 0.3:
            name = self.chance.choice(draws.NAMES)
            self._levels[name] = self.chance.randint(0, len(STACKS))
        return self._tree()

    def _tree(self) -> shapes.Shape:
        return nested(self._flat, self._levels)


def nested(
    flat: shapes.Shape, levels: typing.Mapping[str, int]
) -> shapes.Shape:
    """Return things, some of them in a stack or in the stack in that.

    What needs a thing that is in a stack needs the stack; nothing in a
    stack needs anything outside of it.

    :param levels: how deep each of them is
    """
    inside: dict[str, shapes.ResourceShape] = {}
    for level in reversed(range(len(STACKS) + 1)):
        below = {name for name in flat if levels[name] > level}
        found = {
            name: _within(thing, level, levels, below)
            for name, thing in flat.items()
            if levels[name] == level
        }
        if inside:
            found = {
                STACKS[level]: shapes.ResourceShape(inside=inside),
                **found,
            }
        inside = found
    return inside


def _within(
    thing: shapes.ResourceShape,
    level: int,
    levels: typing.Mapping[str, int],
    below: set[str],
) -> shapes.ResourceShape:
    needs: dict[str, typing.Any] = {
        key: tuple(
            dict.fromkeys(
                STACKS[level] if name in below else name
                for name in getattr(thing, key)
                if levels[name] >= level
            )
        )
        for key in _NEEDS
    }
    return dataclasses.replace(thing, **needs)


class TreeTests(base.TestCase):
    limit_s = max(600, 10 * _EXAMPLES * _BATCHES)

    def test_the_last_request_wins_at_all_levels(self) -> None:
        system = self.useFixture(inprocess.System())
        numbers = itertools.count()

        @hypothesis.settings(
            max_examples=_EXAMPLES,
            deadline=None,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
            phases=[hypothesis.Phase.generate],
        )
        @hypothesis.given(seed=strategies.integers(0, 1 << 32))
        def play(seed: int) -> None:
            _play(system, f"t{next(numbers)}", random.Random(seed))

        if "ORCH_TREES" in os.environ:
            play()
            return
        for number in range(_BATCHES):
            hypothesis.seed(number)(play)()


def _play(system: inprocess.System, name: str, chance: random.Random) -> None:
    """Ask for this and that, let this and that go wrong; then look."""
    on = trees.Stage(system, name)
    asking = Actor(on, chance)
    asking.create()
    for _ in range(_STEPS):
        _happen(system, on, asking, chance)
        asking.ask(asking.draw())
        if not asking.is_alive:
            break
    on.world.forgive(name)
    asking.see_through()
    if asking.is_alive:
        on.finish()


def _happen(
    system: inprocess.System,
    on: trees.Stage,
    asking: Actor,
    chance: random.Random,
) -> None:
    match chance.choice(_EVENTS):
        case "hinder":
            asking.hinder()
        case "hold":
            act = chance.choice(("create", "update", "delete"))
            moment = chance.choice(("before", "after", "watch"))
            on.world.order(
                on.name, act, chance.choice(draws.NAMES), moment=moment
            )
        case "kill":
            system.kill()
        case _:
            on.world.release(on.name)
            on.settle()
            on.check()
