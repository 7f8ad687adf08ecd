"""Notifications that the bus refuses, on each database."""

import dataclasses

import testscenarios

from orch import ids
from orch.db.repositories import outbox
from orch.db.repositories import refused_notifications as refused
from orch.model import notification
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


def _make(sequence: int) -> notification.Notification:
    return notification.Notification(
        stack_id=ids.StackId(ids.new()),
        sequence=sequence,
        event_type="orchestration.stack.create.start",
        priority="error",
        context={"user": "é"},
        payload={"stack_name": "web", "text": "x" * 100_000},
        created_at=base.NOW,
    )


class RefusedNotificationsTest(base.TestCase):
    def fill(self, count: int) -> list[notification.Notification]:
        with self.database.write() as conn:
            outbox.insert_many(conn, [_make(n) for n in range(count)])
            return outbox.list_waiting(conn, count)

    def set_aside(self, value: notification.Notification, why: str) -> None:
        with self.database.write() as conn:
            self.assertEqual(1, outbox.delete(conn, [value.number]))
            refused.insert(conn, value, why)

    def test_they_are_set_aside_and_sent_again_as_they_were(self) -> None:
        first, second, third = self.fill(3)

        for each in (first, third):
            self.set_aside(each, "é" * 300)

        with self.database.write() as conn:
            self.assertEqual([second], outbox.list_waiting(conn, 10))
            self.assertEqual(2, refused.count(conn))
            shown = refused.list_(conn, 10)
            self.assertEqual([0, 2], [each.sequence for each in shown])
            self.assertEqual({"é" * 300}, {each.reason for each in shown})
            self.assertLess(base.NOW, shown[0].refused_at)
            self.assertEqual(shown[:1], refused.list_(conn, 1))

            self.assertEqual(1, refused.send_again(conn, 1))
            self.assertEqual(1, refused.send_again(conn, 10))
            self.assertEqual(0, refused.send_again(conn, 10))

            found = outbox.list_waiting(conn, 10)
        self.assertEqual([1, 0, 2], [each.sequence for each in found])
        self.assertEqual(
            [dataclasses.replace(each, number=0) for each in (first, third)],
            [dataclasses.replace(each, number=0) for each in found[1:]],
        )

    def test_those_that_are_old_enough_are_forgotten(self) -> None:
        for each in self.fill(3):
            self.set_aside(each, "no")

        with self.database.write() as conn:
            self.assertEqual(0, refused.forget(conn, 3600.0, 10))
            self.assertEqual(2, refused.forget(conn, 0.0, 2))
            self.assertEqual(1, refused.forget(conn, 0.0, 2))
            self.assertEqual(0, refused.forget(conn, 0.0, 2))

    def test_one_is_sent_again_to_the_topic_that_it_was_for(self) -> None:
        (only,) = self.fill(1)
        self.set_aside(dataclasses.replace(only, topic="billing"), "no")

        with self.database.write() as conn:
            refused.send_again(conn, 1)
            self.assertEqual([], outbox.list_waiting(conn, 10))
            (found,) = outbox.list_waiting(conn, 10, "billing")
        self.assertEqual(only.message_id, found.message_id)
