"""Whom to tell of what, on each database."""

import collections.abc
import typing

import sqlalchemy as sa
import testscenarios

from orch import clock
from orch import ids
from orch.db import functions
from orch.db.models import stacks as stack_tables
from orch.db.repositories import contents
from orch.db.repositories import event_sinks
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import purge
from orch.db.repositories import stacks
from orch.model import event
from orch.model import event_sink
from orch.model import stack
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

SINK = {"type": "webhook", "target": "https://there.example/"}

Work = collections.abc.Callable[[sa.Connection], typing.Any]


class SinksTestCase(base.TestCase):
    """Stacks with one sink, and what happens to them."""

    def setUp(self) -> None:
        super().setUp()
        self.now = self.read(functions.read_clock)
        self.hash = self.write(self.store_sinks)

    def read(self, work: Work) -> typing.Any:
        with self.database.read() as conn:
            return work(conn)

    def write(self, work: Work) -> typing.Any:
        with self.database.write() as conn:
            return work(conn)

    def store_sinks(self, conn) -> str:
        found = contents.save_texts(conn, ['{"sinks": 1}'])[0]
        event_sinks.save_sinks(conn, found, [SINK, dict(SINK)])
        return found

    def make(self, environment_hash: str | None = None, **more) -> stack.Stack:
        """Store a stack, with the operation that began it and two events."""
        stack = base.make_stack(
            environment_hash=environment_hash or self.hash,
            created_at=self.now,
            **more,
        )
        asked = base.make_operation(
            stack_id=stack.id,
            environment_hash=stack.environment_hash,
            created_at=self.now,
        )

        def work(conn) -> None:
            stacks.insert(conn, stack)
            operations.insert(conn, asked)
            self.store_events(conn, stack, 1, 2)

        self.write(work)
        return stack

    def store_events(self, conn, stack: stack.Stack, *numbers: int) -> None:
        events.insert_many(
            conn,
            [
                event.Event(
                    stack_id=stack.id,
                    sequence=each,
                    operation_id=None,
                    resource_name="web",
                    resource_type="T",
                    resource_id=None,
                    physical_id=None,
                    action=states.Action.CREATE,
                    status=states.Status.COMPLETE,
                    reason="",
                    created_at=clock.Timestamp(self.now + each),
                )
                for each in numbers
            ],
        )

    def due(self) -> list[event_sink.EventSink]:
        return self.read(lambda conn: event_sinks.list_due(conn, 10, 10))

    def begun(self) -> event_sink.EventSink:
        (found,) = self.due()
        return self.write(lambda conn: event_sinks.start_sink(conn, found))

    def untold(self, found: event_sink.EventSink) -> dict[str, list[int]]:
        listed = self.read(
            lambda conn: event_sinks.list_undelivered(conn, found, 10, 10)
        )
        return {
            each.stack_id: [one.sequence for one in each.events]
            for each in listed
        }


class EventSinksTest(SinksTestCase):
    def test_without_a_sink_nothing_is_due(self) -> None:
        other = self.write(lambda conn: contents.save_texts(conn, ["{}"])[0])
        self.make(other)

        self.assertEqual([], self.due())
        self.assertTrue(self.read(event_sinks.has_any))

    def test_a_sink_is_due_until_it_was_told_all(self) -> None:
        stack = self.make()
        found = self.begun()
        self.assertEqual({stack.id: [1, 2]}, self.untold(found))

        self.write(
            lambda conn: event_sinks.record_delivered(
                conn, found, {stack.id: 2}
            )
        )

        self.assertEqual([], self.due())
        self.write(lambda conn: self.store_events(conn, stack, 3))
        (again,) = self.due()
        self.assertEqual(SINK, again.declared)
        self.assertEqual({stack.id: [3]}, self.untold(again))

    def test_one_that_is_not_named_any_more_is_told_nothing(self) -> None:
        stack = self.make()
        found = self.begun()
        other = self.write(lambda conn: contents.save_texts(conn, ["{}"])[0])

        self.write(
            lambda conn: conn.execute(
                sa.update(stack_tables.STACKS)
                .where(stack_tables.STACKS.c.id == stack.id)
                .values(environment_hash=other)
            )
        )

        self.assertEqual({}, self.untold(found))

    def test_what_was_told_stays_told(self) -> None:
        stack = self.make()
        found = self.begun()
        for number in (2, 1):
            self.write(
                lambda conn, told=number: event_sinks.record_delivered(
                    conn, found, {ids.StackId(stack.id): told}
                )
            )

        self.assertEqual({}, self.untold(found))

    def test_a_project_with_many_keeps_no_other_out(self) -> None:
        for _ in range(4):
            self.make(project_id="many")
        few = self.make(project_id="few")

        found = self.read(lambda conn: event_sinks.list_due(conn, 2, 3))
        listed = self.read(lambda conn: event_sinks.list_due(conn, 10, 3))

        self.assertEqual({"many", "few"}, {each.project_id for each in found})
        self.assertIn(few.id, {each.root_id for each in found})
        self.assertEqual(
            ["few", "many", "many", "many"],
            sorted(each.project_id for each in listed),
        )

    def test_inner_stacks_belong_to_the_sinks_of_the_root_alone(self) -> None:
        root = self.make()
        inner = self.make(root_id=root.id, parent_id=root.id, depth=1)

        found = self.begun()

        self.assertEqual(
            {root.id: [1, 2], inner.id: [1, 2]}, self.untold(found)
        )

    def test_what_was_before_the_sink_is_not_told(self) -> None:
        other = self.write(lambda conn: contents.save_texts(conn, ["{}"])[0])
        stack = self.make(other)
        later = base.make_operation(
            stack_id=stack.id,
            environment_hash=self.hash,
            created_at=clock.Timestamp(self.now + 2),
        )

        def update(conn) -> None:
            operations.insert(conn, later)
            stacks.update(conn, stack.id, environment_hash=self.hash)

        self.write(update)
        found = self.begun()

        self.assertEqual({stack.id: [2]}, self.untold(found))

    def test_one_that_is_held_back_is_due_later(self) -> None:
        self.make()
        found = self.begun()

        def hold(conn) -> None:
            until = functions.read_clock(conn) + 60
            event_sinks.update_state(conn, found, next_at=until, attempts=3)

        self.write(hold)
        self.assertEqual([], self.due())
        self.write(
            lambda conn: event_sinks.update_state(
                conn, found, next_at=self.now
            )
        )

        self.assertEqual([3], [each.attempts for each in self.due()])

    def test_one_that_is_over_is_never_due(self) -> None:
        self.make()
        found = self.begun()

        self.write(
            lambda conn: event_sinks.update_state(conn, found, is_over=True)
        )

        self.assertEqual([], self.due())

    def test_a_stack_that_went_before_has_no_sink(self) -> None:
        self.make(deleted_at=clock.Timestamp(self.now - 60))

        self.assertEqual([], self.due())

    def test_the_purge_takes_all_of_it(self) -> None:
        stack = self.make(deleted_at=clock.Timestamp(self.now + 1))
        found = self.begun()
        self.write(
            lambda conn: event_sinks.record_delivered(
                conn, found, {ids.StackId(stack.id): 2}
            )
        )

        def age(conn) -> None:
            stacks.update(
                conn, stack.id, deleted_at=clock.Timestamp(self.now - 60)
            )
            conn.exec_driver_sql("UPDATE contents SET used_at = 0")
            purge.purge_deleted(conn, 1, 10)
            purge.purge_contents(conn, 10)

        self.write(age)

        self.assertFalse(self.read(event_sinks.has_any))
        for table in ("event_sink_states", "event_sink_cursors"):
            self.assertEqual(
                0,
                self.read(
                    lambda conn, name=table: conn.exec_driver_sql(
                        f"SELECT COUNT(*) FROM {name}"
                    ).scalar_one()
                ),
            )
