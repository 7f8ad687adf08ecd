"""Changes on a loop that wait for signals."""

import time

import fixtures

from orch import errors
from orch import ids
from orch.db.repositories import signals
from orch.flow.runner import messages
from orch.model import signal
from orch.model import states
from orch.plugin import call_context
from tests import base
from tests.support import flows

BLOCKED = states.OperationState.BLOCKED
COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED


def waits(after_s: float | None = 30.0):
    """Return a watch that is content with any signal."""

    def watch(context: call_context.Context) -> call_context.Pending | None:
        if context.signals:
            return call_context.DONE
        return call_context.Pending(after_s=after_s, awaits_signal=True)

    return watch


class ListeningTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.flow.runner.signal_waits.QUIET_DELAY_S", 0.5
            )
        )
        self.flows = self.useFixture(flows.Flows())
        self.script = self.flows.kind.script
        self.calls = self.flows.kind.calls

    def start(
        self, parsed_template: flows.Template, **options: object
    ) -> flows.Run:
        asked = self.flows.accept(**options)
        return self.flows.start(self.flows.claim(asked), parsed_template)

    def send(self, name: str) -> None:
        """Leave a signal, as whoever takes one does."""
        row = self.flows.row(name)
        with self.flows.database.write() as connection:
            signals.save_data(connection, row, {"1": "came"})

    def watches(self, name: str) -> int:
        return self.calls.count(("is_created", name))

    def wait_for_watch(self, name: str) -> None:
        flows.wait_for(lambda: self.watches(name) > 0, "it is asked")
        time.sleep(0.05)

    def test_one_that_came_while_it_was_made_is_heard(self) -> None:
        def create(context: call_context.Context) -> call_context.CreateResult:
            self.send("a")
            return call_context.CreateResult("thing-a")

        self.script["create", "a"] = [create]
        self.script["is_created", "a"] = [waits(), waits()]

        ended = self.flows.finish(self.start(flows.Template(a="")))

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(2, self.watches("a"))

    def test_it_is_asked_once_more_for_one_signal(self) -> None:
        self.script["is_created", "a"] = [waits(0.4), waits(0.4)]
        self.script["is_created", "slow"] = [call_context.Pending(after_s=1.0)]
        run = self.start(flows.Template(a="", slow=""))
        self.wait_for_watch("a")
        self.send("a")
        run.runner.post(messages.CheckRows())

        ended = self.flows.finish(run)

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(2, self.watches("a"))

    def test_a_look_without_a_signal_asks_nothing(self) -> None:
        self.script["is_created", "a"] = [waits(), waits()]
        run = self.start(flows.Template(a=""))
        self.wait_for_watch("a")
        for _ in range(5):
            run.runner.post(messages.CheckRows())
        self.flows.finish(run)

        self.assertEqual(1, self.watches("a"))

    def test_its_own_time_is_kept(self) -> None:
        self.script["is_created", "a"] = [waits(0.1)]
        started = time.monotonic()

        ended = self.flows.finish(self.start(flows.Template(a="")))

        self.assertEqual(COMPLETE, ended.state)
        self.assertLess(0.1, time.monotonic() - started)

    def test_it_leaves_its_worker_until_its_own_time(self) -> None:
        self.script["is_created", "a"] = [waits(600)]
        ended = self.flows.finish(self.start(flows.Template(a="")))

        row = self.flows.row("a")
        self.assertEqual(BLOCKED, ended.state)
        self.assertEqual("a waiting for a signal", ended.reason)
        assert ended.next_try_at is not None
        left_s = ended.next_try_at - self.flows.clock.now()
        self.assertTrue(560 < left_s < 600, left_s)
        self.assertEqual(
            ("thing-a", states.Status.IN_PROGRESS),
            (row.physical_id, row.status),
        )

    def test_without_a_time_it_waits_for_somebody(self) -> None:
        self.script["is_created", "a"] = [waits(None)]
        ended = self.flows.finish(self.start(flows.Template(a="")))

        self.assertEqual((BLOCKED, None), (ended.state, ended.next_try_at))

    def test_nothing_is_waited_for_once_another_has_failed(self) -> None:
        self.script["is_created", "a"] = [waits()]
        self.script["create", "b"] = [errors.Permanent("no")]
        self.script["create", "a"] = ["thing-a"]
        ended = self.flows.finish(self.start(flows.Template(a="", b="")))

        self.assertEqual(FAILED, ended.state)
        self.assertIn("Interrupted", self.flows.row("a").status_reason)

    def test_with_keep_going_it_is_waited_for(self) -> None:
        self.script["is_created", "a"] = [waits(), waits()]
        self.script["create", "b"] = [errors.Permanent("no")]
        run = self.start(flows.Template(a="", b=""), keep_going=True)
        self.wait_for_watch("a")
        self.send("a")
        run.runner.post(messages.CheckRows())
        ended = self.flows.finish(run)

        self.assertEqual(FAILED, ended.state)
        self.assertEqual(states.Status.COMPLETE, self.flows.row("a").status)

    def test_what_was_signalled_meanwhile_is_told_of_at_the_end(self) -> None:
        def create(context: call_context.Context) -> call_context.CreateResult:
            with self.flows.database.write() as connection:
                signals.save_unreported(connection, self.untold())
            return call_context.CreateResult("thing-a")

        self.script["create", "a"] = [create]
        self.flows.finish(self.start(flows.Template(a="")))

        with self.flows.database.write() as connection:
            left = signals.take_unreported(connection, self.flows.stack.id)
        numbers = [each.sequence for each in self.flows.events()]
        self.assertEqual([], left)
        self.assertEqual(1, self.flows.event_log().count("a SIGNAL_COMPLETE"))
        self.assertEqual(list(range(1, len(numbers) + 1)), sorted(numbers))

    def untold(self) -> signal.UnreportedSignal:
        row = self.flows.row("a")
        return signal.UnreportedSignal(
            id=ids.new(),
            stack_id=self.flows.stack.id,
            resource_id=row.id,
            resource_name="a",
            resource_type=row.type_name,
            physical_id=None,
            status=states.Status.COMPLETE,
            reason="Signal: x",
            created_at=self.flows.clock.now(),
        )
