"""A worker that stands still in a call, and a broker that is away in one.

What was called, and what became of it, holds as after ``kill -9``.
"""

import collections.abc

from tests.chaos import base
from tests.chaos import hook_sequences
from tests.chaos import records
from tests.chaos import sites
from tests.functional import databases
from tests.support import broker
from tests.support import processes
from tests.support import waiting

_GATE = "gate"
_HANGING = 3


class PhaseTestCase(hook_sequences.HookSequenceTestCase):
    """The third of five plug-ins does not answer, once."""

    def hang(self, phase: str) -> base.AcceptedStack:
        """Ask for a stack; return once the call has begun that hangs."""
        self.plugins.order(
            _HANGING, phase, "hang", text=_GATE, once="hangs", stack="s"
        )
        asked = self.ask_for("s")
        waiting.wait_for(lambda: self.hanging(phase), "it hangs")
        return asked

    def hanging(self, phase: str) -> list[int]:
        """Return the processes in which the call was made, in order."""
        name = f"orch-test-{_HANGING}"
        return [
            int(str(each["pid"]))
            for each in self.plugins.lines("s")
            if (each["plugin"], each["phase"]) == (name, phase)
        ]

    def check_all(self, asked: base.AcceptedStack) -> None:
        """Check that the stack is complete, and that everybody knows it."""
        self.assertEqual(
            "CREATE_COMPLETE", self.records.stack_states()[asked.stack.id]
        )
        self.check_calls(
            {str(each["id"]): "complete" for each in self.records.operations()}
        )
        self.check_world()


class StallTests(PhaseTestCase):
    """Its worker loses the lease without dying."""

    def setUp(self) -> None:
        super().setUp()
        self.distribute(self.settings)

    def play(self, phase: str) -> None:
        asked = self.hang(phase)
        [pid] = self.hanging(phase)
        victim = self.process(pid)
        victim.freeze()
        self.records.wait_until_idle(timeout_s=base.TAKEN_OVER_S)
        before = (self.runs(), self.records.everything()["events"])
        calls = len(self.plugins.lines("s"))

        victim.thaw()
        self.plugins.release(_GATE)
        self.serve_again(victim)

        self.assertEqual(calls, len(self.plugins.lines("s")))
        runs, events = self.runs(), self.records.everything()["events"]
        self.assertEqual(before[0], runs[: len(before[0])])
        self.assertEqual(set(), before[1] - events)
        self.assertEqual(
            [],
            [each for each in events - before[1] if asked.stack.id in each],
        )
        self.check_all(asked)

    def serve_again(self, victim: processes.Process) -> None:
        """Have the worker do what comes after its call has answered."""
        for other in self.system.engines:
            if other is not victim:
                other.stop()
        self.ask_for("again")
        self.wait_until_idle()

    def process(self, pid: int) -> processes.Process:
        return next(each for each in self.system.engines if each.pid == pid)

    def test_l4_in_a_pre_op(self) -> None:
        self.play("pre")

    def test_l4_in_a_post_op(self) -> None:
        self.play("post")


class BrokerTests(PhaseTestCase):
    """RabbitMQ goes away in a call, and comes back behind the operation."""

    def setUp(self) -> None:
        super().setUp()
        self.broker = self.useFixture(broker.Broker())
        database = self.useFixture(databases.PostgreSQL())
        self.records = self.useFixture(records.Records(database.url))
        self.system = self.useFixture(
            sites.Site(
                self.settings,
                self.world.environment,
                connection=database.url,
                transport_url=self.broker.url,
            )
        ).system

    def play(self, until: collections.abc.Callable[[], object]) -> None:
        asked = self.hang("pre")
        self.broker.kill()

        self.plugins.release(_GATE)
        self.wait_until_idle()
        until()

        self.check_all(asked)
        self.broker.start()
        records.wait_until(
            self.is_answered, timeout_s=30, what="nobody recovers"
        )
        self.check_stack(asked)

    def test_l4_it_is_judged_run_and_told_without_the_bus(self) -> None:
        self.play(lambda: self.assertFalse(self.is_answered()))
