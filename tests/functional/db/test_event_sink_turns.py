"""Turns of sinks on each database: what is sent again, and when."""

import collections.abc

import fixtures
import testscenarios
from oslo_config import cfg

from orch import clock
from orch import errors
from orch.db.models import events as tables
from orch.db.repositories import event_sinks
from orch.engine.event_sinks import delivery
from orch.engine.event_sinks import payload
from orch.model import event_sink
from orch.plugin import sink
from tests.functional.db import test_event_sinks

load_tests = testscenarios.load_tests_apply_scenarios


class Recorder(sink.EventSink):
    """Takes all, but what it has a fault for.

    :ivar faults_at: by the number of an event
    :ivar faults_of: by the stack of an event
    :ivar requests: the stacks whose events came, in order
    """

    type_name = "webhook"

    def __init__(self) -> None:
        super().__init__(cfg.ConfigOpts())
        self.sent: list[int] = []
        self.requests: list[str] = []
        self.faults_at: dict[int, Exception] = {}
        self.faults_of: dict[str, Exception] = {}

    def send(
        self, declared: sink.Declared, told: sink.SinkEvent, owner: sink.Owner
    ) -> None:
        self.sent.append(told.sequence)
        self.requests.append(told.stack_id)
        if told.stack_id in self.faults_of:
            raise self.faults_of[told.stack_id]
        if told.sequence in self.faults_at:
            raise self.faults_at[told.sequence]


class Moments(clock.SystemClock):
    """Says that it is later than it is.

    :ivar late_s: by so much
    """

    late_s = 0.0

    def now(self) -> clock.Timestamp:
        return clock.Timestamp(super().now() + self.late_s)


class TurnsTest(test_event_sinks.SinksTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.recorder = Recorder()
        self.moments = Moments()
        self.turns = delivery.Delivery(
            database=self.database,
            kinds={"webhook": self.recorder},
            find=lambda conn, stack: None,
            connect=self.fail,
            clock=self.moments,
            max_retry_age_s=3600,
        )

    def take(
        self,
        due: list[event_sink.EventSink] | None = None,
        may_go_on: collections.abc.Callable[[], bool] = lambda: True,
    ) -> None:
        self.turns.take(self.due() if due is None else due, may_go_on)

    def states(self) -> list[tuple[int, float, str]]:
        """Return attempts, seconds to wait and problem, longest wait last."""
        table = tables.EVENT_SINK_STATES
        found = self.read(lambda conn: conn.execute(table.select()).all())
        return sorted(
            (
                each.attempts,
                round((each.next_at or 0) - self.now),
                each.problem,
            )
            for each in found
        )

    def let_be_due(self) -> list[event_sink.EventSink]:
        """Let nobody wait any more; return who is due."""
        table = tables.EVENT_SINK_STATES
        self.write(lambda conn: conn.execute(table.update().values(next_at=1)))
        return self.due()

    def test_all_is_sent_once_and_in_order(self) -> None:
        stack = self.make()

        self.take()
        self.assertEqual([], self.due())
        self.write(lambda conn: self.store_events(conn, stack, 3))
        self.take()

        self.assertEqual([1, 2, 3], self.recorder.sent)

    def test_few_bodies_are_made_at_once_and_none_is_missed(self) -> None:
        self.make()
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.engine.event_sinks.payload.MAX_CHARACTERS", 1
            )
        )
        (found,) = self.due()
        begun = self.write(lambda conn: event_sinks.start_sink(conn, found))

        listed = self.read(
            lambda conn: payload.pending_events(conn, begun, self.turns.find)
        )
        self.take()

        self.assertEqual([1], [each.sequence for each, _ in listed])
        self.assertEqual([1, 2], self.recorder.sent)

    def test_what_is_not_taken_comes_first_later_and_later(self) -> None:
        self.make()
        self.recorder.faults_at[2] = errors.Transient("away")

        self.take()
        waits = []
        for _ in range(11):
            attempts, _, problem = self.states()[0]
            self.assertEqual("away", problem)
            waits.append(attempts)
            self.take(self.let_be_due())
        (_, longest, _) = self.states()[0]

        self.assertEqual([1, *([2] * 11)], self.recorder.sent[:12])
        self.assertEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10], waits)
        self.assertGreater(longest, 290)
        self.assertLess(longest, 400)
        self.recorder.faults_at.clear()
        self.take(self.let_be_due())
        self.assertEqual(2, self.recorder.sent[-1])
        self.assertEqual([], self.due())

    def test_one_that_takes_something_begins_to_count_anew(self) -> None:
        stack = self.make()
        self.recorder.faults_at[1] = errors.Transient("away")
        self.take()
        self.take(self.let_be_due())
        self.assertEqual(2, self.states()[0][0])

        self.recorder.faults_at = {2: errors.Transient("away")}
        self.take(self.let_be_due())

        self.assertEqual(1, self.states()[0][0])
        self.assertEqual({stack.id: [2]}, self.untold(self.let_be_due()[0]))

    def test_what_is_refused_is_left_out(self) -> None:
        self.make()
        self.recorder.faults_at[1] = sink.SinkRefused("never")

        self.take()

        self.assertEqual([1, 2], self.recorder.sent)
        self.assertEqual([], self.due())

    def test_what_is_too_old_is_given_up(self) -> None:
        self.make()
        self.recorder.faults_at[1] = errors.Transient("away")
        self.take()
        self.moments.late_s = 3602 + 60

        self.take(self.let_be_due())

        self.assertEqual([1], self.recorder.sent)
        self.assertEqual([], self.due())

    def test_one_that_is_answered_lets_no_other_wait(self) -> None:
        bad, good = self.make(), self.make()
        self.recorder.faults_of[bad.id] = errors.Transient("answers 404")

        self.take(sorted(self.due(), key=lambda each: each.root_id != bad.id))

        self.assertEqual([bad.id, good.id, good.id], self.recorder.requests)
        self.assertEqual([0, 1], [each[0] for each in self.states()])

    def test_one_that_has_not_failed_comes_first(self) -> None:
        bad, good = self.make(), self.make()
        self.recorder.faults_of[bad.id] = sink.SinkUnreachable("away")
        self.take([each for each in self.due() if each.root_id == bad.id])
        due = self.let_be_due()

        self.take(sorted(due, key=lambda each: each.root_id != bad.id))

        self.assertEqual(
            [bad.id, good.id, good.id, bad.id], self.recorder.requests
        )

    def test_others_of_the_destination_wait_where_nothing_answers(
        self,
    ) -> None:
        self.make()
        self.make()
        self.recorder.faults_at[1] = sink.SinkUnreachable("away")

        self.take()

        self.assertEqual([1], self.recorder.sent)
        self.assertEqual([], self.due())
        self.assertEqual([0, 1], [each[0] for each in self.states()])

    def test_a_fault_of_others_code_is_told_by_its_kind_alone(self) -> None:
        self.make()
        self.recorder.faults_at[1] = ValueError("https://there/?token=x")

        self.take()

        self.assertEqual("ValueError", self.states()[0][2])

    def test_a_type_that_is_not_installed_waits(self) -> None:
        self.make()
        self.turns = delivery.Delivery(
            database=self.database,
            kinds={},
            find=lambda conn, stack: None,
            connect=self.fail,
            clock=self.moments,
            max_retry_age_s=3600,
        )

        self.take()

        self.assertIn("no such type", self.states()[0][2])

    def test_what_was_taken_counts_where_the_turn_is_over(self) -> None:
        stack = self.make()
        answers = iter([True, True, True, False])

        self.take(may_go_on=lambda: next(answers, False))

        self.assertEqual([1], self.recorder.sent)
        self.assertEqual({stack.id: [2]}, self.untold(self.due()[0]))

    def test_a_stack_that_was_purged_meanwhile_stops_nobody(self) -> None:
        gone, other = self.make(), self.make()
        due = self.due()
        self.write(
            lambda conn: event_sinks.start_sink(
                conn, next(each for each in due if each.root_id == gone.id)
            )
        )
        self.write(
            lambda conn: conn.exec_driver_sql(
                f"DELETE FROM stacks WHERE id = '{gone.id}'"
            )
        )

        self.take(sorted(due, key=lambda each: each.root_id == other.id))

        self.assertEqual([1, 2], self.recorder.sent)

    def test_the_end_of_a_stack_is_the_end_of_its_sink(self) -> None:
        self.make(deleted_at=clock.Timestamp(self.now + 1))

        self.take()

        table = tables.EVENT_SINK_STATES
        found = self.read(lambda conn: conn.execute(table.select()).all())
        self.assertEqual([True], [each.is_over for each in found])
