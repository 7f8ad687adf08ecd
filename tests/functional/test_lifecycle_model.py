"""Five plug-ins in any order, with any answers, beside a plain model.

The model is a few loops; what is tested has to survive deaths as well.
"""

import dataclasses
import logging
import typing

import fixtures
import hypothesis
from hypothesis import strategies as st

from orch.flow.state import conclusion
from orch.model import lifecycle as model
from orch.plugin import lifecycle_order
from tests import base
from tests.functional import hook_sequence

NAMES = tuple("abcde")
_FEW = {"allow": 5, "warn": 1, "deny": 2, "hold": 2, "raise": 2}
_SAYS = [word for word, weight in _FEW.items() for _ in range(weight)]
# More of them would circle more often than not.
_SOME = st.sampled_from((*(((),) * 15), *((name,) for name in NAMES)))
_SELDOM = st.sampled_from((False, False, False, True))

PARTS = st.tuples(
    *(
        st.builds(
            hook_sequence.Part,
            name=st.just(name),
            ordinal=st.integers(0, 2),
            before=_SOME,
            after=_SOME,
            includes_children=_SELDOM.map(lambda drawn: not drawn),
            is_fail_open=st.booleans(),
            says=st.sampled_from(_SAYS),
            fails=_SELDOM,
            approves=st.booleans(),
            has_effects=st.booleans(),
        )
        for name in NAMES
    )
)
BLOWS = st.lists(
    st.builds(
        hook_sequence.Blow,
        moment=st.sampled_from(
            (
                "before call",
                "behind call",
                "before write",
                "behind write",
                "stop",
            )
        ),
        number=st.integers(1, 9),
    ),
    min_size=1,
    max_size=4,
)
BECAME = st.sampled_from(
    (conclusion.RunOutcome.COMPLETE, conclusion.RunOutcome.FAILED)
)
CALL_S = st.sampled_from((0.0, 0.1))
Parts = tuple[hook_sequence.Part, ...]


@dataclasses.dataclass(frozen=True)
class Expected:
    """What has to come of an operation.

    :ivar outcomes: what post-ops are told, each of them once
    :ivar against: who keeps it from beginning; ``None`` for nobody
    """

    pres: list[str]
    posts: list[str]
    outcome: str
    outcomes: list[str]
    against: str | None
    failing: str | None


def order(parts: Parts) -> list[hook_sequence.Part] | None:
    """Return them in order; ``None`` where there is none."""
    comes_after = {
        each.name: {
            other.name
            for other in parts
            if other.name in each.after or each.name in other.before
        }
        for each in parts
    }
    found: list[hook_sequence.Part] = []
    left = list(parts)
    while left:
        placed = {each.name for each in found}
        free = [each for each in left if comes_after[each.name] <= placed]
        if not free:
            return None
        found.append(min(free, key=lambda each: (each.ordinal, each.name)))
        left.remove(found[-1])
    return found


def expect(
    ordered: list[hook_sequence.Part],
    depth: int,
    became: conclusion.RunOutcome,
) -> Expected:
    """Return what these plug-ins have to bring about."""
    chain = [each for each in ordered if not depth or each.includes_children]
    pres, told = [], []
    outcome, against = became.value, None
    for each in chain:
        pres.append(each.name)
        if each.says == "hold" and not each.approves:
            told.append(each)
            outcome, against = "rejected", each.name
            break
        if each.says == "deny" or (
            each.says == "raise" and not each.is_fail_open
        ):
            outcome, against = "denied", each.name
            break
        told.append(each)
    told.reverse()
    failing = [x.name for x in told if x.fails and not x.is_fail_open]
    names = [each.name for each in told]
    outcomes = [outcome] if told else []
    if failing and outcome == conclusion.RunOutcome.COMPLETE.value:
        # All of them learn what one of them has made of it.
        outcome = conclusion.RunOutcome.FAILED.value
        names, outcomes = names * 2, [*outcomes, outcome]
    return Expected(
        pres=pres,
        posts=names,
        outcome=outcome,
        outcomes=outcomes,
        against=against,
        failing=failing[0] if failing else None,
    )


class ModelTests(base.TestCase):
    """The chain, the book and the phases, on rows."""

    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        # Hundreds of operations would fill the report of a failure.
        self.useFixture(fixtures.FakeLogger(level=logging.CRITICAL))
        self.database = hook_sequence.new_database()
        self.addCleanup(self.database.dispose)

    def play(
        self, parts: Parts, depth: int, **more: typing.Any
    ) -> tuple[hook_sequence.Play, Expected]:
        """Play it; drop what has no order, once that is found out."""
        ordered = order(parts)
        if ordered is None:
            self.assertRaises(
                lifecycle_order.PluginCycle,
                hook_sequence.Play,
                self.database,
                parts,
            )
            hypothesis.reject()
        found = hook_sequence.Play(self.database, parts, depth=depth, **more)
        found.play()
        became = more.get("became", conclusion.RunOutcome.COMPLETE)
        return found, expect(ordered, depth, became)

    def check_end(self, found: hook_sequence.Play, wanted: Expected) -> None:
        """Check what became of the operation."""
        run = found.run
        if run is None:
            self.assertEqual([], wanted.pres)
            return
        self.assertIs(model.Stage.CLOSED, run.stage)
        self.assertEqual(wanted.outcome, run.outcome)
        told = [each.outcome for each in found.calls if each.phase == "post"]
        self.assertEqual(wanted.outcomes, list(dict.fromkeys(told)))
        if wanted.against is not None:
            self.assertEqual(0, found.begun)
            self.assertIn(wanted.against, run.reason.split())

    @hypothesis.given(PARTS, st.integers(0, 1), BECAME, CALL_S)
    @hypothesis.settings(max_examples=60, deadline=None)
    def test_calls_are_made_in_order_and_in_reverse(
        self,
        parts: Parts,
        depth: int,
        became: conclusion.RunOutcome,
        call_s: float,
    ) -> None:
        found, wanted = self.play(parts, depth, became=became, call_s=call_s)

        self.check_end(found, wanted)
        self.assertEqual(
            [("pre", name) for name in wanted.pres]
            + [("post", name) for name in wanted.posts],
            [(each.phase, each.name) for each in found.calls],
        )
        self.assertEqual(int(wanted.against is None), found.begun)
        self.check_failure(found, wanted)

    @hypothesis.given(PARTS, st.integers(0, 1), BECAME, CALL_S, BLOWS)
    @hypothesis.settings(max_examples=150, deadline=None)
    def test_whatever_becomes_of_workers_nobody_is_forgotten(
        self,
        parts: Parts,
        depth: int,
        became: conclusion.RunOutcome,
        call_s: float,
        blows: list[hook_sequence.Blow],
    ) -> None:
        found, wanted = self.play(
            parts, depth, became=became, call_s=call_s, blows=blows
        )

        self.check_end(found, wanted)
        self.assertGreaterEqual(found.begun, int(wanted.against is None))
        pres, posts = (
            list(
                dict.fromkeys(x.name for x in found.calls if x.phase == phase)
            )
            for phase in ("pre", "post")
        )
        self.assertEqual(wanted.pres, pres)
        self.assertEqual(set(), set(wanted.posts) - set(posts))
        # No plug-in gets a post-op without having been called before.
        self.assertEqual(set(), set(posts) - set(pres))
        chain = found.run.chain if found.run else ()
        self.assertEqual([x for x in chain[::-1] if x in posts], posts)
        if wanted.outcome == "denied":
            self.assertNotIn(wanted.against, posts)
        for worker, known in found.known:
            again = {
                (each.phase, each.name, each.outcome)
                for each in found.calls
                if each.worker >= worker
            }
            self.assertEqual(set(), again & known)
        self.check_failure(found, wanted)

    def test_calls_that_are_over_are_not_begun_anew(self) -> None:
        parts = (hook_sequence.Part("a"), hook_sequence.Part("b", fails=True))
        found = hook_sequence.Play(self.database, parts)
        found.play()
        run, calls = found.run, list(found.calls)

        found.lose_end()
        found.play()

        self.assertEqual(run, found.run)
        self.assertEqual(calls, found.calls)
        self.assertEqual(1, found.begun)
        self.assertIn("b", found.failure or "")

    def test_a_lost_call_without_effects_gets_no_post_op(self) -> None:
        """The next worker calls it again; it is not stored before."""
        for has_effects in (True, False):
            parts = (
                hook_sequence.Part("a", has_effects=has_effects),
                hook_sequence.Part("b", has_effects=has_effects),
            )
            found = hook_sequence.Play(
                self.database,
                parts,
                blows=(hook_sequence.Blow("behind call", 2),),
            )

            found.play()

            names = [
                (each.worker, each.name)
                for each in found.calls
                if each.phase == "pre"
            ]
            stored = [(0, "a"), (0, "b"), (1, "b")]
            lost = [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
            self.assertEqual(stored if has_effects else lost, names)
            run = found.run
            assert run is not None
            self.assertEqual(
                [False, has_effects],
                [x.is_repeat for x in run.calls if x.phase == "pre"],
            )

    def check_failure(
        self, found: hook_sequence.Play, wanted: Expected
    ) -> None:
        """Check what a failed post-op does to an operation."""
        if wanted.against is not None:
            return
        named = (found.failure or "").split()
        if wanted.failing is None:
            self.assertEqual([], named)
        else:
            self.assertIn(wanted.failing, named)
