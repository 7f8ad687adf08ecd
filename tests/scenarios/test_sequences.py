"""Random sequences of requests, failures and deaths over the same world.

Bounded, and the same each time; README.md here says how to run it for long.
"""

import os

import hypothesis
from hypothesis import stateful
from hypothesis import strategies

from tests import base
from tests.scenarios import inprocess
from tests.scenarios import shapes
from tests.scenarios import stage
from tests.support import rest

NAMES = ("a", "b", "c", "d", "e", "f")
_EXAMPLES = int(os.environ.get("ORCH_SEQUENCES", "90"))
_WORDS = strategies.sampled_from(("", "one", "two"))
_MAKING = strategies.sampled_from(("create", "update", "delete"))
_MOMENTS = strategies.sampled_from(("before", "after", "watch"))
_TRIES = 6


@strategies.composite
def _shapes(draw: strategies.DrawFn) -> dict[str, shapes.Thing]:
    """Return things that need only those before them, in any order."""
    names = draw(strategies.permutations(NAMES))
    names = names[: draw(strategies.integers(1, len(NAMES)))]
    shape: dict[str, shapes.Thing] = {}
    for name in names:
        needed = {
            how: tuple(
                draw(
                    strategies.sets(
                        strategies.sampled_from(sorted(shape)), max_size=2
                    )
                )
            )
            if shape
            else ()
            for how in ("refs", "bound", "reads", "after")
            if draw(strategies.booleans())
        }
        shape[name] = shapes.Thing(
            type=draw(strategies.sampled_from(("Thing", "Thing", "Other"))),
            value=draw(_WORDS),
            label=draw(_WORDS),
            **{how: tuple(sorted(each)) for how, each in needed.items()},
        )
    return shape


class Sequences(stateful.RuleBasedStateMachine):
    """One stack and everything that may come across it."""

    system: inprocess.System
    numbers = iter(range(1 << 30))

    def __init__(self) -> None:
        super().__init__()
        self.stage = stage.Stage(self.system, f"s{next(self.numbers)}")

    @stateful.initialize(
        shape=_shapes(), disable_rollback=strategies.booleans()
    )
    def create(self, shape: shapes.Shape, disable_rollback: bool) -> None:
        self.stage.create(shape, {"disable_rollback": disable_rollback})

    @stateful.rule(
        shape=_shapes(),
        disable_rollback=strategies.booleans(),
        keep_going=strategies.booleans(),
    )
    def update(
        self, shape: shapes.Shape, disable_rollback: bool, keep_going: bool
    ) -> None:
        self.stage.update(
            shape,
            {"disable_rollback": disable_rollback, "keep_going": keep_going},
        )

    @stateful.rule(
        act=_MAKING,
        name=strategies.sampled_from(NAMES),
        moment=_MOMENTS,
        times=strategies.integers(1, 2),
    )
    def fail(self, act: str, name: str, moment: str, times: int) -> None:
        # An answer that got lost is an error which says that it may pass;
        # one that says more tells a lie if the thing stands.
        is_lost = act == "create" and moment == "after"
        self.stage.world.order(
            self.stage.name,
            act,
            name,
            how="transient" if is_lost else "permanent",
            moment=moment,
            times=times,
        )

    @stateful.rule(
        act=_MAKING, name=strategies.sampled_from(NAMES), moment=_MOMENTS
    )
    def hold(self, act: str, name: str, moment: str) -> None:
        self.stage.world.order(self.stage.name, act, name, moment=moment)

    @stateful.rule()
    def release(self) -> None:
        self.stage.world.release(self.stage.name)

    @stateful.rule()
    def kill(self) -> None:
        self.system.kill()

    @stateful.rule()
    def retry(self) -> None:
        try:
            self.stage.retry()
        except rest.RefusedError as refused:
            assert refused.status == 409, refused

    @stateful.rule(with_rollback=strategies.booleans())
    def cancel(self, with_rollback: bool) -> None:
        try:
            self.stage.cancel(with_rollback=with_rollback)
        except rest.RefusedError as refused:
            assert refused.status in (400, 409), refused

    @stateful.rule()
    def settle(self) -> None:
        self.stage.world.release(self.stage.name)
        self.stage.settle()
        self.stage.check()

    @stateful.rule(shape=_shapes())
    def end_well(self, shape: shapes.Shape) -> None:
        """Want something that nothing stands in the way of."""
        self.stage.world.forgive(self.stage.name)
        self.stage.update(shape, {"disable_rollback": True})
        status = self.stage.settle()
        assert status == "UPDATE_COMPLETE", self.stage.reason()
        self.stage.check()

    def teardown(self) -> None:
        if self.stage.stack is not None:
            self.stage.finish()


class SequenceTests(base.TestCase):
    limit_s = 600

    def test_the_last_request_wins_and_nothing_is_left(self) -> None:
        Sequences.system = self.useFixture(inprocess.System())

        stateful.run_state_machine_as_test(
            Sequences,
            settings=hypothesis.settings(
                max_examples=_EXAMPLES,
                stateful_step_count=12,
                deadline=None,
                derandomize="ORCH_SEQUENCES" not in os.environ,
                database=None,
                suppress_health_check=list(hypothesis.HealthCheck),
            ),
        )
