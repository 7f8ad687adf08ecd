import threading
import time

import fixtures

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine
from orch.db import migrate
from orch.db.repositories import leases
from orch.db.repositories import outbox
from orch.events import relay
from orch.model import notification
from tests import base


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> clock.Timestamp:
        return clock.Timestamp(self.time)

    def monotonic(self) -> float:
        return self.time


class Publisher:
    """Keeps what it is given; may be told to fail."""

    def __init__(self) -> None:
        self.got: list[int] = []
        self.failing: list[Exception] = []
        self.fail_on: int | None = None
        self.tick: float = 0.0
        self.clock: Clock | None = None

    def publish(self, subject: notification.Notification) -> None:
        if self.failing:
            raise self.failing.pop(0)
        if subject.sequence == self.fail_on:
            raise errors.Unavailable("away")
        self.got.append(subject.sequence)
        if self.clock is not None:
            self.clock.time += self.tick


class RelayTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        path = self.make_directory() / "orch.db"
        self.database = engine.Database(f"sqlite:///{path}")
        self.addCleanup(self.database.dispose)
        migrate.upgrade(self.database)
        self.publisher = Publisher()
        self.clock = Clock()

    def relay(self, worker: str = "w1") -> relay.Relay:
        return relay.Relay(
            self.database, self.publisher, ids.WorkerId(worker), self.clock
        )

    def fill(self, *sequences: int) -> None:
        values = [
            notification.Notification(
                stack_id=ids.StackId("s1"),
                sequence=sequence,
                event_type="orchestration.stack.create.start",
                priority="info",
                context={},
                payload={},
                created_at=clock.Timestamp(0),
            )
            for sequence in sequences
        ]
        self.database.run(lambda conn: outbox.insert_many(conn, values))

    def waiting(self) -> list[int]:
        with self.database.read() as conn:
            return [each.sequence for each in outbox.take(conn, 1000)]


class StepTest(RelayTest):
    def test_notifications_leave_in_order_and_are_forgotten(self) -> None:
        self.fill(1, 2, 3)
        self.relay().step()

        self.assertEqual([1, 2, 3], self.publisher.got)
        self.assertEqual([], self.waiting())

    def test_what_the_bus_did_not_take_stays(self) -> None:
        self.fill(1, 2, 3)
        self.publisher.fail_on = 2
        subject = self.relay()

        self.assertRaises(errors.Unavailable, subject.step)
        self.assertEqual([2, 3], self.waiting())

        self.publisher.fail_on = None
        subject.step()
        self.assertEqual([1, 2, 3], self.publisher.got)

    def test_one_worker_at_a_time_publishes(self) -> None:
        self.relay("w1").step()
        self.fill(1)
        self.relay("w2").step()

        self.assertEqual([1], self.waiting())

    def test_a_relay_that_lost_its_lease_publishes_no_more(self) -> None:
        self.fill(1, 2, 3)
        self.publisher.clock, self.publisher.tick = self.clock, 10.0
        self.relay().step()

        self.assertEqual([1, 2], self.publisher.got)
        self.assertEqual([3], self.waiting())

    def test_a_full_batch_is_followed_at_once(self) -> None:
        self.fill(*range(relay._BATCH + 1))
        subject = self.relay()

        self.assertEqual(0.0, subject.step())
        self.assertEqual(relay._LOOK_S, subject.step())

    def test_a_held_lease_is_not_renewed_at_each_look(self) -> None:
        subject = self.relay()
        subject.step()
        before = self._expiry()
        subject.step()
        self.assertEqual(before, self._expiry())

        self.clock.time += relay._LEASE_S / 2
        time.sleep(0.01)
        subject.step()
        self.assertLess(before, self._expiry())

    def _expiry(self) -> float:
        with self.database.write() as conn:
            held = leases.acquire_named(
                conn, relay.LEASE, ids.WorkerId("w1"), 0
            )
            assert held is not None
            conn.rollback()
        with self.database.engine.connect() as conn:
            return float(
                conn.exec_driver_sql(
                    "SELECT expires_at FROM leases WHERE name = 'relay'"
                ).scalar_one()
            )


class ThreadTest(RelayTest):
    def setUp(self) -> None:
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger())
        self.clock = clock.SystemClock()  # type: ignore[assignment]

    def start(self) -> relay.Relay:
        subject = self.relay()
        subject.start()
        self.addCleanup(subject.stop)
        return subject

    def until_empty(self) -> None:
        end = time.monotonic() + 20
        while self.waiting():
            self.assertLess(time.monotonic(), end, "still waiting")
            time.sleep(0.01)

    def test_a_wake_up_publishes_at_once(self) -> None:
        self.useFixture(
            fixtures.MonkeyPatch("orch.events.relay._LOOK_S", 3600.0)
        )
        subject = self.start()
        end = time.monotonic() + 10
        while not subject._held_until and time.monotonic() < end:
            time.sleep(0.001)
        self.fill(1)
        subject.wake()
        self.until_empty()

        self.assertEqual([1], self.publisher.got)

    def test_after_an_outage_nothing_is_lost(self) -> None:
        self.fill(1, 2)
        self.publisher.failing = [
            errors.Unavailable("away"),
            ValueError("odd"),
        ]
        self.useFixture(
            fixtures.MonkeyPatch("orch.events.relay._LONGEST_PAUSE_S", 0.01)
        )
        self.start()
        self.until_empty()

        self.assertEqual([1, 2], self.publisher.got)
        self.assertEqual(
            1, self.log.output.count("notifications wait in the outbox")
        )

    def test_pauses_grow_while_the_bus_is_away(self) -> None:
        subject = self.relay()
        self.fill(1)
        self.publisher.failing = [errors.Unavailable("away")] * 8

        self.assertEqual(
            [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0],
            [subject._try() for _ in range(7)],
        )

    def test_stopping_lets_another_take_over_at_once(self) -> None:
        subject = self.start()
        subject.wake()
        self.fill(1)
        self.until_empty()

        self.assertTrue(subject.stop())
        with self.database.write() as conn:
            self.assertIsNotNone(
                leases.acquire_named(conn, relay.LEASE, ids.WorkerId("w2"), 5)
            )

    def test_a_relay_that_never_started_can_be_stopped(self) -> None:
        self.assertTrue(self.relay().stop())

    def test_an_idle_relay_hardly_works(self) -> None:
        self.start()
        time.sleep(0.3)
        begun = time.thread_time(), time.process_time()
        threading.Event().wait(1.5)

        self.assertLess(time.process_time() - begun[1], 0.05)
