import dataclasses
import threading
import time
import typing

import fixtures
import sqlalchemy as sa

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine
from orch.db import leader_lease
from orch.db.repositories import named_leases
from orch.db.repositories import outbox
from orch.db.repositories import refused_notifications
from orch.events import notification as publishing
from orch.events import outbox_relay
from orch.events import payload_size
from orch.events import topics
from orch.model import notification
from orch.rpc import publish_errors
from tests import base
from tests.support import scraped
from tests.support import tables


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
        self.sent: list[notification.Notification] = []
        self.max_batch: int | None = None
        self.is_of_message = True
        self.full: set[str] = set()
        self.by_topic: dict[str, list[int]] = {}
        self.message_ids: list[str] = []
        self.tick: float = 0.0
        self.clock: Clock | None = None

    def publish(self, stack: notification.Notification, topic: str) -> None:
        if topic in self.full:
            raise publishing.NotificationRefused(
                publish_errors.PublishError("it is full", False)
            )
        if self.failing:
            raise self.failing.pop(0)
        if stack.sequence == self.fail_on:
            raise errors.Unavailable("away")
        if (
            self.max_batch is not None
            and payload_size.json_length(stack.payload) > self.max_batch
        ):
            raise publishing.NotificationRefused(
                publish_errors.PublishError(
                    "it is too large", self.is_of_message
                )
            )
        self.got.append(stack.sequence)
        self.sent.append(stack)
        self.by_topic.setdefault(topic, []).append(stack.sequence)
        self.message_ids.append(stack.message_id)
        if self.clock is not None:
            self.clock.time += self.tick


_TOPIC: typing.Final = "notifications"


def _no_pause(times: int, first_s: float, longest_s: float) -> float:
    return 0.01


class RelayTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        path = self.make_directory() / "orch.db"
        tables.write(path)
        self.database = engine.Database(f"sqlite:///{path}")
        self.addCleanup(self.database.dispose)
        self.publisher = Publisher()
        self.clock = Clock()

    def relay(
        self, worker: str = "w1", **given: typing.Any
    ) -> outbox_relay.Relay:
        return outbox_relay.Relay(
            self.database,
            self.publisher,
            ids.WorkerId(worker),
            self.clock,
            **given,
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

    def waiting(self, topic: str | None = None) -> list[int]:
        with self.database.read() as conn:
            return [
                each.sequence
                for each in outbox.list_waiting(conn, 1000, topic)
            ]

    def pass_pause(self) -> None:
        """Let the time pass for which a full topic is left alone."""
        self.clock.time += outbox_relay.MAX_PAUSE_S


class StepTest(RelayTest):
    def test_notifications_leave_in_order_and_are_forgotten(self) -> None:
        self.fill(1, 2, 3)
        self.relay().step()

        self.assertEqual([1, 2, 3], self.publisher.got)
        self.assertEqual([], self.waiting())

    def test_without_topics_it_only_deletes_and_seldom_looks(self) -> None:
        relay = self.relay(topics=())
        self.fill(1, 2)

        self.assertEqual(leader_lease.RETRY_INTERVAL_S, relay.step())
        self.assertEqual([], self.publisher.got)
        self.assertEqual([], self.waiting())

    def test_what_the_bus_did_not_take_stays(self) -> None:
        self.fill(1, 2, 3)
        self.publisher.fail_on = 2
        stack = self.relay()

        self.assertRaises(errors.Unavailable, stack.step)
        self.assertEqual([2, 3], self.waiting())

        self.publisher.fail_on = None
        stack.step()
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
        self.fill(*range(outbox_relay._BATCH + 1))
        stack = self.relay()

        self.assertEqual(0.0, stack.step())
        self.assertEqual(outbox_relay.LOOK_S, stack.step())

    def test_they_are_completed_as_they_leave(self) -> None:
        def complete(waiting: outbox_relay.Waiting) -> outbox_relay.Waiting:
            return [
                dataclasses.replace(each, sequence=each.sequence + 100)
                for each in waiting
            ]

        self.fill(1, 2)
        self.relay(complete=complete).step()

        self.assertEqual([101, 102], self.publisher.got)
        self.assertEqual([], self.waiting())

    def test_a_held_lease_is_not_renewed_at_each_look(self) -> None:
        stack = self.relay()
        stack.step()
        before = self._expiry()
        stack.step()
        self.assertEqual(before, self._expiry())

        self.clock.time += leader_lease.LEASE_S / 2
        time.sleep(0.01)
        stack.step()
        self.assertLess(before, self._expiry())

    def _expiry(self) -> float:
        with self.database.write() as conn:
            held = named_leases.acquire(
                conn, outbox_relay.LEASE, ids.WorkerId("w1"), 0
            )
            assert held is not None
            conn.rollback()
        with self.database.engine.connect() as conn:
            return float(
                conn.exec_driver_sql(
                    "SELECT expires_at FROM leases WHERE name = 'relay'"
                ).scalar_one()
            )


class RefusalTest(RelayTest):
    def setUp(self) -> None:
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger())

    def put(self, sequence: int, **payload: object) -> None:
        self.database.run(
            lambda conn: outbox.insert_many(
                conn,
                [
                    notification.Notification(
                        stack_id=ids.StackId("s1"),
                        sequence=sequence,
                        event_type="orchestration.stack.create.start",
                        priority="info",
                        context={"user": "u1"},
                        payload=payload,
                        created_at=clock.Timestamp(0),
                    )
                ],
            )
        )

    def refused(self) -> list[notification.RefusedNotification]:
        return self.database.query(
            lambda conn: refused_notifications.list_(conn, 10)
        )

    def test_what_is_too_large_leaves_with_less_in_its_order(self) -> None:
        self.publisher.max_batch = 500
        self.fill(1)
        self.put(2, template="t" * 900, parameters={"a": "b"}, name="web")
        self.fill(3)

        self.relay().step()

        self.assertEqual([1, 2, 3], self.publisher.got)
        self.assertEqual(
            {"template": None, "parameters": {"a": "b"}, "name": "web"},
            self.publisher.sent[1].payload,
        )
        self.assertEqual([], self.waiting())
        self.assertEqual([], self.refused())
        self.assertIn("notification 2 of stack s1", self.log.output)

    def test_what_is_refused_still_lets_the_others_leave(self) -> None:
        self.publisher.max_batch = 100
        self.fill(1)
        self.put(2, **{f"key{n}": "x" * 50 for n in range(9)})
        self.fill(3)

        self.relay().step()

        self.assertEqual([1, 3], self.publisher.got)
        self.assertEqual([], self.waiting())
        (refused,) = self.refused()
        self.assertEqual((2, "x" * 50), _part(refused))
        self.assertIn("it is too large", refused.reason)
        self.assertIn("notification 2 of stack s1", self.log.output)
        self.assertIn("is set aside", self.log.output)

    def test_what_becomes_of_each_is_counted(self) -> None:
        counted = self.useFixture(scraped.Counting())
        self.publisher.max_batch = 500
        self.fill(1)
        self.put(2, template="t" * 900)
        self.put(3, **{f"key{n}": "x" * 90 for n in range(9)})
        self.fill(4)

        self.relay().step()

        self.assertEqual([1, 2, 4], self.publisher.got)
        self.assertEqual(
            {("sent",): 2.0, ("cut",): 1.0, ("set_aside",): 1.0},
            counted.all_of("orch_notifications_total", "outcome"),
        )

    def test_what_is_sent_again_leaves_once_it_is_taken(self) -> None:
        self.publisher.max_batch = 100
        self.put(1, **{f"key{n}": "x" * 50 for n in range(9)})
        stack = self.relay()
        stack.step()

        self.publisher.max_batch = None
        self.database.run(
            lambda conn: refused_notifications.send_again(conn, 10)
        )
        stack.step()

        self.assertEqual([1], self.publisher.got)
        self.assertEqual(9, len(self.publisher.sent[0].payload))
        self.assertEqual([], self.refused())

    def test_what_gets_the_number_of_one_set_aside_leaves(self) -> None:
        self.publisher.max_batch = 100
        self.fill(1)
        self.put(2, **{f"key{n}": "x" * 50 for n in range(9)})
        with self.database.read() as conn:
            (_, last) = outbox.list_waiting(conn, 2)
        stack = self.relay()
        stack.step()
        # Its number is free from now on: SQLite gives it to the next.
        self.fill(3, 4)

        with self.database.read() as conn:
            (_, new) = outbox.list_waiting(conn, 2)
        self.assertEqual((4, last.number), (new.sequence, new.number))
        stack.step()
        self.assertEqual([1, 3, 4], self.publisher.got)

    def test_what_is_sent_again_is_completed_no_more(self) -> None:
        def complete(waiting: outbox_relay.Waiting) -> outbox_relay.Waiting:
            return [
                dataclasses.replace(
                    each, payload={**each.payload, "path": paths.pop(0)}
                )
                for each in waiting
            ]

        paths = ["web", "of the second", "lost"]
        self.publisher.max_batch = 100
        self.put(1, **{f"key{n}": "x" * 50 for n in range(9)})
        stack = self.relay(complete=complete)
        stack.step()

        self.publisher.max_batch = None
        self.fill(2)
        self.database.run(
            lambda conn: refused_notifications.send_again(conn, 10)
        )
        self.fill(3)
        stack.step()

        self.assertEqual([1, 2, 3], self.publisher.got)
        self.assertEqual(
            ["web", "of the second", "lost"],
            [each.payload["path"] for each in self.publisher.sent],
        )
        self.assertEqual(10, len(self.publisher.sent[0].payload))

    def test_a_queue_that_is_full_for_a_moment_costs_nothing(self) -> None:
        self.publisher.max_batch, self.publisher.is_of_message = 500, False
        self.put(1, template="t" * 900)
        self.put(2, template="t" * 900)
        stack = self.relay()

        stack.step()
        self.assertEqual([1, 2], self.waiting(_TOPIC))
        self.publisher.max_batch = None
        stack.step()
        self.assertEqual([1, 2], self.waiting(_TOPIC))
        self.pass_pause()
        stack.step()

        self.assertEqual([1, 2], self.publisher.got)
        for each in self.publisher.sent:
            self.assertEqual("t" * 900, each.payload["template"])

    def test_a_queue_too_small_for_it_gets_less_later(self) -> None:
        self.publisher.max_batch, self.publisher.is_of_message = 500, False
        self.put(1, template="t" * 900)
        self.put(2, template="t" * 900)
        stack = self.relay()

        for _ in range(4):
            stack.step()
            self.assertEqual([], self.publisher.got)
            self.pass_pause()
        stack.step()

        self.assertEqual(
            [{"template": None}] * 2,
            [dict(each.payload) for each in self.publisher.sent],
        )
        self.assertEqual([], self.waiting(_TOPIC))

    def test_a_full_queue_sets_nothing_aside(self) -> None:
        self.publisher.max_batch, self.publisher.is_of_message = 1, False
        self.put(1, template="t" * 900)
        self.fill(2)
        stack = self.relay()

        for _ in range(6):
            stack.step()
            self.pass_pause()
            self.assertEqual([1, 2], self.waiting(_TOPIC))
            self.assertEqual([], self.refused())

        self.publisher.max_batch = None
        stack.step()
        self.assertEqual([1, 2], self.publisher.got)
        self.assertEqual("t" * 900, self.publisher.sent[0].payload["template"])

    def test_without_its_duty_it_tries_no_further(self) -> None:
        self.publisher.max_batch = 500
        self.put(1, template="t" * 900)
        stack = self.relay()
        hold = stack._leader_lease.hold
        answers = iter([True, False])
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.db.leader_lease.LeaderLease.hold",
                lambda one: hold() and next(answers),
            )
        )

        self.assertRaises(publishing.NotificationRefused, stack.step)
        self.assertEqual([1], self.waiting())


class TopicsTest(RelayTest):
    """Of two topics one is full, or gets less than the other."""

    def setUp(self) -> None:
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger())

    def topics(
        self, **selections: topics.Selection
    ) -> tuple[topics.Topic, ...]:
        return tuple(
            topics.Topic(name, (selections[name],))
            if name in selections
            else topics.Topic(name)
            for name in ("a", "b")
        )

    def test_one_that_is_full_stops_no_other(self) -> None:
        self.publisher.full = {"a"}
        stack = self.relay(topics=self.topics())
        self.fill(1, 2)
        stack.step()
        self.fill(3)
        stack.step()

        self.assertEqual({"b": [1, 2, 3]}, self.publisher.by_topic)
        self.assertEqual([], self.waiting())
        self.assertEqual([1, 2, 3], self.waiting("a"))
        self.assertEqual(1, self.log.output.count("topic a takes no more"))

    def test_it_gets_all_in_their_order_once_it_has_room(self) -> None:
        self.publisher.full = {"a"}
        stack = self.relay(topics=self.topics())
        self.fill(1, 2)
        stack.step()
        self.publisher.full = set()
        self.fill(3)
        stack.step()
        self.assertNotIn("a", self.publisher.by_topic)
        self.pass_pause()
        self.fill(4)
        stack.step()

        self.assertEqual(
            {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}, self.publisher.by_topic
        )
        self.assertEqual([], self.waiting("a"))
        self.assertEqual(4, len(set(self.publisher.message_ids)))

    def test_another_worker_goes_on_where_it_was(self) -> None:
        self.publisher.full = {"a"}
        self.fill(1)
        first = self.relay(topics=self.topics())
        first.step()
        self.assertTrue(first.stop())
        self.publisher.full = set()
        self.fill(2)

        self.relay("w2", topics=self.topics()).step()

        self.assertEqual({"a": [1, 2], "b": [1, 2]}, self.publisher.by_topic)

    def test_more_than_a_batch_that_waited_keeps_the_order(self) -> None:
        self.publisher.full = {"a"}
        numbers = list(range(outbox_relay._BATCH + 2))
        self.fill(*numbers)
        stack = self.relay(topics=self.topics())
        while self.waiting():
            stack.step()
        self.publisher.full = set()
        self.pass_pause()
        stack.step()
        self.fill(1000)
        stack.step()
        stack.step()

        self.assertEqual([*numbers, 1000], self.publisher.by_topic["a"])

    def test_what_waited_is_completed_once(self) -> None:
        def complete(waiting: outbox_relay.Waiting) -> outbox_relay.Waiting:
            return [
                dataclasses.replace(each, payload={"path": paths.pop(0)})
                for each in waiting
            ]

        paths = ["web"]
        self.publisher.full = {"a"}
        self.fill(1)
        stack = self.relay(topics=self.topics(), complete=complete)
        stack.step()
        self.publisher.full = set()
        self.pass_pause()
        stack.step()

        self.assertEqual(
            [{"path": "web"}] * 2,
            [dict(each.payload) for each in self.publisher.sent],
        )

    def test_a_topic_gets_what_is_selected_for_it(self) -> None:
        self.fill(1)
        selection = topics.Selection(event_type=("*.end",))

        self.relay(topics=self.topics(a=selection)).step()

        self.assertEqual({"b": [1]}, self.publisher.by_topic)
        self.assertEqual([], self.waiting())

    def test_what_no_topic_gets_is_neither_completed_nor_kept(self) -> None:
        def complete(waiting: outbox_relay.Waiting) -> outbox_relay.Waiting:
            self.assertEqual([], list(waiting))
            return waiting

        self.fill(1)
        selection = topics.Selection(project_id=("p1",))

        self.relay(
            topics=self.topics(a=selection, b=selection), complete=complete
        ).step()

        self.assertEqual([], self.publisher.got)
        self.assertEqual([], self.waiting())

    def test_what_another_worker_has_stored_is_not_stored_again(self) -> None:
        self.fill(1)
        with self.database.write() as conn:
            (value,) = outbox.list_waiting(conn, 1)
            published = outbox_relay._Published(
                value.number, value, ["a"], {"b": "it is too large"}
            )
            for _ in range(2):
                outbox_relay._store(conn, [published])
                self.assertEqual(1, len(outbox.list_waiting(conn, 2, "a")))
                self.assertEqual(1, refused_notifications.count(conn))
                # Its number is free for the copy, in SQLite.
                conn.execute(sa.text("UPDATE outbox SET number = 1000"))

    def test_one_refused_for_a_topic_is_set_aside_for_it(self) -> None:
        refuse = publishing.NotificationRefused(
            publish_errors.PublishError("not here", True)
        )
        self.publisher.failing = [refuse]
        self.fill(1)
        stack = self.relay(topics=self.topics())
        stack.step()
        self.assertEqual({"b": [1]}, self.publisher.by_topic)

        self.database.run(
            lambda conn: refused_notifications.send_again(conn, 10)
        )
        stack.step()

        self.assertEqual({"a": [1], "b": [1]}, self.publisher.by_topic)


def _part(refused: notification.RefusedNotification) -> tuple[int, object]:
    return refused.sequence, refused.payload["key0"]


class ThreadTest(RelayTest):
    def setUp(self) -> None:
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger())
        self.clock = clock.SystemClock()  # type: ignore[assignment]

    def start(self, **given: typing.Any) -> outbox_relay.Relay:
        stack = self.relay(**given)
        stack.start()
        self.addCleanup(stack.stop)
        return stack

    def until_empty(self) -> None:
        end = time.monotonic() + 20
        while self.waiting():
            self.assertLess(time.monotonic(), end, "still waiting")
            time.sleep(0.01)

    def test_a_wake_up_publishes_at_once(self) -> None:
        stack = self.start(look_s=3600.0)
        end = time.monotonic() + 10
        while not stack._leader_lease.was_held and time.monotonic() < end:
            time.sleep(0.001)
        self.fill(1)
        stack.wake()
        self.until_empty()

        self.assertEqual([1], self.publisher.got)

    def test_what_others_put_there_leaves_without_a_wake_up(self) -> None:
        self.start(look_s=0.01)
        self.fill(1, 2)
        self.until_empty()

        self.assertEqual([1, 2], self.publisher.got)

    def test_after_an_outage_nothing_is_lost(self) -> None:
        self.fill(1, 2)
        self.publisher.failing = [
            errors.Unavailable("away"),
            ValueError("odd"),
        ]
        self.useFixture(
            fixtures.MonkeyPatch("orch.clock.growing_pause_s", _no_pause)
        )
        self.start()
        self.until_empty()

        self.assertEqual([1, 2], self.publisher.got)
        self.assertEqual(
            1, self.log.output.count("notifications wait in the outbox")
        )

    def test_stopping_lets_another_take_over_at_once(self) -> None:
        stack = self.start()
        stack.wake()
        self.fill(1)
        self.until_empty()

        self.assertTrue(stack.stop())
        with self.database.write() as conn:
            other = ids.WorkerId("w2")
            held = named_leases.acquire(conn, outbox_relay.LEASE, other, 5)
        self.assertEqual(other, held and held.owner)

    def test_a_relay_that_never_started_can_be_stopped(self) -> None:
        self.assertTrue(self.relay().stop())

    def test_an_idle_relay_hardly_works(self) -> None:
        self.start()
        time.sleep(0.3)
        begun = time.thread_time(), time.process_time()
        threading.Event().wait(1.5)

        self.assertLess(time.process_time() - begun[1], 0.05)
