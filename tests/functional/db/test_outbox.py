"""The outbox on each database."""

import dataclasses

import testscenarios

from orch import ids
from orch.db.repositories import outbox
from orch.model import notification
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


def _make(sequence: int) -> notification.Notification:
    return notification.Notification(
        stack_id=ids.StackId(ids.new()),
        sequence=sequence,
        event_type="orchestration.stack.create.start",
        priority="info",
        context={"user": "é"},
        payload={"stack_name": "web", "tags": ["a"], "none": None},
        created_at=base.NOW,
    )


class OutboxTest(base.TestCase):
    def test_they_leave_in_the_order_in_which_they_came(self) -> None:
        values = [_make(number) for number in range(1500)]
        with self.database.write() as conn:
            outbox.insert_many(conn, values[:700])
            outbox.insert_many(conn, values[700:])
            outbox.insert_many(conn, [])

            found = outbox.list_waiting(conn, 2000)
            self.assertEqual(1500, outbox.count(conn))

        numbers = [each.number for each in found]
        self.assertEqual(sorted(set(numbers)), numbers)
        self.assertEqual(
            values, [dataclasses.replace(each, number=0) for each in found]
        )

    def test_it_is_known_since_when_the_oldest_waits(self) -> None:
        with self.database.write() as conn:
            self.assertIsNone(outbox.oldest_at(conn))
            outbox.insert_many(
                conn,
                [
                    dataclasses.replace(_make(n), created_at=base.NOW + n)
                    for n in range(3)
                ],
            )
            (first, *_) = outbox.list_waiting(conn, 1)
            outbox.delete(conn, [first.number])

            self.assertEqual(base.NOW + 1, outbox.oldest_at(conn))

    def test_no_more_are_taken_than_asked_for_and_they_stay(self) -> None:
        with self.database.write() as conn:
            outbox.insert_many(conn, [_make(n) for n in range(3)])

            first = outbox.list_waiting(conn, 2)
            self.assertEqual(first, outbox.list_waiting(conn, 2))

        self.assertEqual([0, 1], [each.sequence for each in first])

    def test_what_is_deleted_is_gone(self) -> None:
        with self.database.write() as conn:
            outbox.insert_many(conn, [_make(n) for n in range(3)])
            taken = [each.number for each in outbox.list_waiting(conn, 2)]

            self.assertEqual(2, outbox.delete(conn, taken))
            self.assertEqual(0, outbox.delete(conn, taken))
            self.assertEqual(0, outbox.delete(conn, []))
            left = outbox.list_waiting(conn, 2)

        self.assertEqual([2], [each.sequence for each in left])

    def test_what_is_held_does_not_wait_for_the_bus(self) -> None:
        held = dataclasses.replace(_make(1), topic=outbox.HELD)
        with self.database.write() as conn:
            outbox.insert_many(conn, [held])

            waiting = (
                outbox.list_waiting(conn, 10),
                outbox.count(conn),
                outbox.oldest_at(conn),
                outbox.count_by_topic(conn),
            )
            other = outbox.take_held(conn, ids.StackId(ids.new()))
            (taken,) = outbox.take_held(conn, held.stack_id)
            again = outbox.take_held(conn, held.stack_id)

        self.assertEqual(([], 0, None, {}), waiting)
        self.assertEqual(([], []), (other, again))
        self.assertEqual(held.event_type, taken.event_type)

    def test_what_was_rolled_back_never_leaves(self) -> None:
        def store() -> None:
            with self.database.write() as conn:
                outbox.insert_many(conn, [_make(1)])
                raise ZeroDivisionError

        self.assertRaises(ZeroDivisionError, store)

        with self.database.read() as conn:
            self.assertEqual(0, outbox.count(conn))
