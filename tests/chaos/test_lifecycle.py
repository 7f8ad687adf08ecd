"""``kill -9`` before, in and behind each call of a lifecycle plug-in.

The moments are drawn from a seed, so that a failure comes again;
``ORCH_CHAOS_LIFECYCLE`` and ``ORCH_CHAOS_SEED`` choose how many of them for
each kind of operation, and others, by hand.
"""

import dataclasses
import os
import random
import typing

from tests.chaos import hook_sequences
from tests.functional import databases
from tests.support import rest
from tests.support import soak
from tests.support import world_templates

_SEED = os.environ.get("ORCH_CHAOS_SEED", "20261121")
_POINTS = int(os.environ.get("ORCH_CHAOS_LIFECYCLE", "0"))
_VETO = 3
"""Which plug-in is against what is vetoed."""


@dataclasses.dataclass(frozen=True)
class Point:
    """A moment at which a worker dies.

    :ivar dies_s: seconds after the call began; ``None`` where the call is
        the last that it does
    """

    phase: str
    number: int
    moment: str
    dies_s: float | None = None


@dataclasses.dataclass(frozen=True)
class Kind:
    """An operation that is hit, and how it ends all the same.

    :ivar stands: what of the chain there is then
    """

    name: str
    verb: str
    status: str
    outcome: str
    stands: str


KINDS: typing.Final = (
    Kind("create", "create", "CREATE_COMPLETE", "complete", "abc"),
    Kind("update", "update", "UPDATE_COMPLETE", "complete", "abc"),
    Kind("delete", "delete", "DELETE_COMPLETE", "complete", ""),
    Kind("veto", "create", "CREATE_FAILED", "denied", ""),
    Kind("failing", "create", "CREATE_FAILED", "failed", "a"),
)
_STANDING: typing.Final = frozenset({"update", "delete"})


def points_of(kind: Kind) -> list[tuple[str, int, str]]:
    """Return all calls around such an operation, and all moments."""
    count = hook_sequences.COUNT
    last, latest = (_VETO, _VETO - 1) if kind.name == "veto" else (count,) * 2
    calls = [("pre", number) for number in range(1, last + 1)]
    calls += [("post", number) for number in range(latest, 0, -1)]
    return [
        (phase, number, moment)
        for phase, number in calls
        for moment in ("before", "in", "behind")
    ]


class KillTestCase(hook_sequences.HookSequenceTestCase):
    """Operations of all kinds at once; each has a death of its own."""

    limit_s = soak.rounds(300, 3600)
    name = ""

    def setUp(self) -> None:
        super().setUp()
        self.requested: dict[str, tuple[Kind, rest.Stack]] = {}

    def play(self, count: int) -> None:
        """Let a worker die at so many points of each kind, and check."""
        for kind in KINDS:
            # Few points of a kind are the first of many.
            self.random = random.Random(f"{_SEED}-{self.name}-{kind.name}")
            every = points_of(kind)
            self.random.shuffle(every)
            for place, point in enumerate(every[: _POINTS or count]):
                self.prepare(kind, f"{kind.name}-{place}", self.draw(*point))
        for kind, stack in self.requested.values():
            if kind.name in _STANDING:
                self.system.client.wait(stack, "CREATE_COMPLETE")
        earlier = {
            str(each["id"]): "complete" for each in self.records.operations()
        }
        # All begin at one time, so that one death hits several.
        self.plugins.shut()
        for name, (kind, stack) in list(self.requested.items()):
            self.ask(kind, name, stack)
        keeper = hook_sequences.Restarter(self.system, self.records)
        self.addCleanup(keeper.stop)
        self.plugins.open()
        self.wait_until_idle()
        keeper.stop()
        # A death that hit nothing shows nothing.
        self.assertEqual(
            [],
            [
                each
                for each in self.requested
                if not self.plugins.has_happened(each)
            ],
        )
        self.assertGreater(keeper.starts, 0)
        self.check(earlier)

    def draw(self, phase: str, number: int, moment: str) -> Point:
        """Return a point; one behind a call is some milliseconds behind."""
        dies_s = self.random.choice((0.0, 0.002, 0.01, 0.05, 0.15))
        return Point(
            phase, number, moment, dies_s if moment == "behind" else None
        )

    def prepare(self, kind: Kind, name: str, point: Point) -> None:
        """Order a death; have the stack, where there has to be one."""
        acts = {"before": "vanish", "in": "die", "behind": "allow"}
        is_veto = kind.name == "veto" and (point.phase, point.number) == (
            "pre",
            _VETO,
        )
        do = acts[point.moment]
        if is_veto and point.moment == "behind":
            do = "deny"
        rule = {"verb": kind.verb, "stack": name}
        more = {} if point.dies_s is None else {"dies_s": point.dies_s}
        self.plugins.order(
            point.number, point.phase, do, once=name, **rule, **more
        )
        if kind.name == "veto":
            self.plugins.order(_VETO, "pre", "deny", text="no", **rule)
        if kind.name == "failing":
            self.world.order(
                name, "create", "b", how="permanent", moment="before"
            )
        if self.random.random() < 0.3:
            # What takes long is stored before the next one is called.
            slow = self.random.randint(1, hook_sequences.COUNT)
            phase = self.random.choice(("pre", "post"))
            if (slow, kind.name) != (_VETO, "veto"):
                self.plugins.order(slow, phase, "pause", **rule)
        stack = None
        if kind.name in _STANDING:
            stack = self.ask_for(name).stack
        self.requested[name] = (kind, stack)

    def ask(self, kind: Kind, name: str, stack: rest.Stack | None) -> None:
        """Ask for what is to be hit."""
        if stack is None:
            stack = self.ask_for(name).stack
            self.requested[name] = (kind, stack)
        elif kind.name == "update":
            self.system.client.ask(
                "PUT", stack.path, {"template": world_templates.chain("new")}
            )
        else:
            self.system.client.delete(stack)

    def check(self, earlier: dict[str, str]) -> None:
        """Check calls, rows and the world."""
        states = self.records.stack_states()
        wanted, outcomes = {}, dict(earlier)
        for kind, stack in self.requested.values():
            wanted[stack.id] = kind.status
            outcomes[self.newest(stack)] = kind.outcome
            self.assertEqual(
                list(kind.stands),
                sorted(
                    each.name
                    for each in self.world.physical_resources(stack.name)
                ),
                stack.name,
            )
            labels = {
                each.label
                for each in self.world.physical_resources(stack.name)
            }
            new = {"new"} if kind.name == "update" else {""}
            self.assertEqual(set(), labels - new, stack.name)
        self.assertEqual(wanted, states)
        self.check_calls(outcomes)
        self.check_world()


class PostgresqlTests(KillTestCase):
    name = "postgresql"

    def test_whoever_was_called_before_is_called_behind(self) -> None:
        self.distribute(self.settings, workers=3)

        self.play(soak.rounds(3, 15))


class MariadbTests(KillTestCase):
    name = "mariadb"

    def test_whoever_was_called_before_is_called_behind(self) -> None:
        self.distribute(self.settings, database=databases.MariaDB)

        self.play(soak.rounds(1, 15))


class EmbeddedTests(KillTestCase):
    name = "embedded"

    def test_whoever_was_called_before_is_called_behind(self) -> None:
        self.embed(self.settings)

        self.play(soak.rounds(2, 15))
