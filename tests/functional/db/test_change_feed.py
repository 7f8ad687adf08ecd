"""The change feed on each database misses no change, in whatever order."""

import concurrent.futures
import threading
import typing

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db import changes
from orch.db import functions
from orch.db.models import change_feed as tables
from orch.db.repositories import change_feed
from orch.db.repositories import events
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import purge
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.model import event
from orch.model import stack
from orch.model import states
from tests.functional import databases
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

_LIMIT_S = 30


class _Case(base.TestCase):
    def make(self, **given: object) -> stack.Stack:
        value = base.make_stack(**given)
        with self.database.write() as conn:
            stacks.insert(conn, value)
        return value

    def follow(
        self, position: int = 0, limit: int = 100
    ) -> tuple[int, list[ids.StackId]]:
        """Return the newest position, and the stacks that changed before."""
        self.database.run(change_feed.advance)
        with self.database.read() as conn:
            found = change_feed.list_after(conn, position, limit)
        newest = found[-1].position if found else position
        return newest, [each.stack_id for each in found]

    def note(self, *stack_ids: str) -> None:
        with self.database.write() as conn:
            changes.note(conn, [ids.StackId(each) for each in stack_ids])


class FeedTest(_Case):
    def test_it_begins_with_the_first_change(self) -> None:
        with self.database.read() as conn:
            self.assertIsNone(change_feed.find(conn))

        value = self.make()
        position, found = self.follow()

        self.assertEqual([value.id], found)
        with self.database.read() as conn:
            feed = change_feed.find(conn)
        assert feed is not None
        self.assertEqual(
            (position, 0, False),
            (feed.position, feed.complete_from, feed.has_records),
        )

    def test_a_stack_comes_once_at_its_newest_change(self) -> None:
        self.note("one")
        self.note("two")
        position, found = self.follow()
        self.assertEqual(["one", "two"], sorted(found))

        self.note("one")
        self.note("one")

        _, again = self.follow(position)
        self.assertEqual(["one"], again)
        _, both = self.follow()
        self.assertEqual(["two", "one"], both)

    def test_what_was_rolled_back_has_not_changed(self) -> None:
        self.note("one")
        try:
            with self.database.write() as conn:
                changes.note(conn, [ids.StackId("gone")])
                raise KeyError
        except KeyError:
            self.note("two")

        self.assertEqual(["one", "two"], sorted(self.follow()[1]))

    def test_each_write_of_rows_that_a_search_shows_is_noted(self) -> None:
        value = self.make()
        position, _ = self.follow()
        for write in (
            lambda conn: stacks.update(conn, value.id, status_reason="x"),
            lambda conn: resources.save_many(
                conn, [base.make_resource(stack_id=value.id)]
            ),
            lambda conn: resources.delete_many(
                conn, value.id, [ids.ResourceId("any")]
            ),
            lambda conn: events.insert_many(
                conn,
                [
                    event.Event(
                        stack_id=value.id,
                        operation_id=ids.OperationId(ids.new()),
                        sequence=1,
                        resource_name="a",
                        resource_type="t",
                        resource_id=None,
                        physical_id=None,
                        action=states.Action.CREATE,
                        status=states.Status.COMPLETE,
                        reason="",
                        created_at=base.NOW,
                    )
                ],
            ),
        ):
            self.database.run(write)
            position, found = self.follow(position)
            self.assertEqual([value.id], found)

    def test_a_claim_is_a_change_of_its_stack(self) -> None:
        value = base.make_operation()
        with self.database.write() as conn:
            operations.insert(conn, value)
        position, _ = self.follow()
        for name in (None, value.id):
            with self.database.write() as conn:
                taken = leases.claim(
                    conn, ids.WorkerId("w"), 0.0, 10, operation_id=name
                )
            self.assertEqual([value.id], [each.id for each in taken])

            position, found = self.follow(position)
            self.assertEqual([value.stack_id], found)

    def test_a_change_of_a_tree_is_one_of_its_live_stacks(self) -> None:
        root = self.make()
        inner = self.make(parent_id=root.id, root_id=root.id, depth=1)
        self.make(
            parent_id=root.id, root_id=root.id, depth=1, deleted_at=base.NOW
        )
        position, _ = self.follow()

        with self.database.write() as conn:
            changes.note_tree(conn, root.id)

        _, found = self.follow(position)
        self.assertEqual(sorted([root.id, inner.id]), sorted(found))

    def test_it_is_known_which_stacks_are_in_progress(self) -> None:
        busy = self.make()
        idle = self.make(status=states.Status.COMPLETE)
        gone = self.make(deleted_at=base.NOW)
        self.follow()

        with self.database.read() as conn:
            found = change_feed.list_after(conn, 0, 10)

        self.assertEqual(
            {busy.id: True, idle.id: False, gone.id: False},
            {each.stack_id: each.is_in_progress for each in found},
        )

    def test_many_records_get_positions_a_part_at_a_time(self) -> None:
        self.note(*(f"stack-{number}" for number in range(1500)))
        self.assertTrue(self.database.run(change_feed.advance))
        with self.database.read() as conn:
            feed = change_feed.find(conn)
        assert feed is not None
        self.assertEqual((1000, True), (feed.position, feed.has_records))

        self.assertFalse(self.database.run(change_feed.advance))
        position, some = self.follow(0, 700)
        _, rest = self.follow(position, 2000)

        self.assertEqual(1500, len({*some, *rest}))

    def test_a_reader_behind_a_purge_learns_that_it_missed_some(self) -> None:
        kept = self.make(status=states.Status.COMPLETE)
        self.follow()
        # Its change has no position yet.
        gone = self.make(deleted_at=base.NOW)
        with self.database.write() as conn:
            now = functions.read_clock(conn)
            purge.purge_deleted(conn, now - base.NOW - 10, 10)

        _, found = self.follow()
        self.assertEqual([kept.id], found)
        with self.database.read() as conn:
            feed = change_feed.find(conn)
        assert feed is not None
        self.assertLess(0, feed.complete_from)
        self.assertLessEqual(feed.complete_from, feed.position)
        self.assertNotIn(gone.id, found)


class CommitOrderTest(_Case):
    """Two transactions that commit in the other order than they wrote."""

    scenarios: typing.ClassVar = [
        each for each in databases.SCENARIOS if each[0] != "SQLite"
    ]

    def test_what_is_committed_behind_a_reader_is_not_missed(self) -> None:
        self.note("before")
        position, _ = self.follow()
        has_written, may_commit = threading.Event(), threading.Event()

        def write_first() -> None:
            with self.database.write() as conn:
                changes.note(conn, [ids.StackId("first")])
                changes.store(conn)
                has_written.set()
                self.assertTrue(may_commit.wait(_LIMIT_S))

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            held = pool.submit(write_first)
            self.assertTrue(has_written.wait(_LIMIT_S))
            self.note("second")
            position, found = self.follow(position)
            self.assertEqual(["second"], found)
            self.note("third")
            position, found = self.follow(position)
            self.assertEqual(["third"], found)
            with self.database.read() as conn:
                self.assertEqual(
                    0,
                    conn.scalar(
                        sa.select(sa.func.count()).select_from(
                            tables.CHANGE_RECORDS
                        )
                    ),
                )
            may_commit.set()
            held.result(_LIMIT_S)

        _, found = self.follow(position)
        self.assertEqual(["first"], found)

    def test_readers_that_advance_at_once_give_each_change_a_position(
        self,
    ) -> None:
        names = [f"stack-{number}" for number in range(60)]
        seen: set[ids.StackId] = set()
        position = 0

        def write(name: str) -> None:
            self.note(name)
            self.database.run(change_feed.advance)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for ended in [pool.submit(write, name) for name in names]:
                position, found = self.follow(position)
                seen.update(found)
                ended.result(_LIMIT_S)
        seen.update(self.follow(position)[1])

        self.assertEqual(set(names), seen)
