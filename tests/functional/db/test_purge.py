"""The purge on each database."""

import dataclasses
import json

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db import functions
from orch.db.models import catalog
from orch.db.models import stacks as stack_tables
from orch.db.repositories import contents
from orch.db.repositories import events
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import purge
from orch.db.repositories import resources
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.db.repositories import watches
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from tests.functional.db import base
from tests.functional.db import test_events
from tests.functional.db import test_observations
from tests.functional.db import test_outbox

load_tests = testscenarios.load_tests_apply_scenarios


class _Case(base.TestCase):
    def counts(self) -> dict[str, int]:
        with self.database.read() as conn:
            return {
                table.name: conn.execute(
                    sa.select(sa.func.count()).select_from(table)
                ).scalar_one()
                for table in catalog.TABLES
            }


class StacksTest(_Case):
    def store(self, gone_for_s: float | None = None) -> stack.Stack:
        value = base.make_stack(tags=("a", "b"))
        with self.database.write() as conn:
            stacks.insert(conn, value)
            operations.insert(conn, base.make_operation(stack_id=value.id))
            resources.save_many(conn, [base.make_resource(stack_id=value.id)])
            events.insert_many(conn, [test_events._make(1, stack_id=value.id)])
            watches.request_observation(conn, value.id, value.project_id)
            seen = test_observations.make(value.id, root_id=value.id)
            observations.save_many(conn, [seen])
            if gone_for_s is not None:
                conn.execute(
                    sa.update(stack_tables.STACKS)
                    .where(stack_tables.STACKS.c.id == value.id)
                    .values(deleted_at=functions.now() - gone_for_s)
                )
        return value

    def purge(self, older_than_s: float, limit: int) -> int:
        with self.database.write() as conn:
            return purge.purge_deleted(conn, older_than_s, limit)

    def test_stacks_that_are_gone_long_enough_go_with_all_rows(self) -> None:
        kept = [self.store(), self.store(50)]
        self.store(150)
        self.store(250)

        self.assertEqual(2, self.purge(100, 10))

        counts = self.counts()
        for name in ("stacks", "operations", "resources", "events"):
            self.assertEqual(2, counts[name], name)
        self.assertEqual(4, counts["stack_tags"])
        self.assertEqual(2, counts["watches"])
        self.assertEqual(2, counts["observations"])
        with self.database.read() as conn:
            for each in kept:
                stacks.get(conn, each.id)
                self.assertEqual(1, len(operations.list_(conn, each.id)))

    def test_a_child_that_a_snapshot_may_restore_stays(self) -> None:
        root, gone_root = self.store(), self.store(150)
        children = [self.store(150) for _ in range(3)]
        roots = (root, root, gone_root)
        with self.database.write() as conn:
            for child, top in zip(children, roots, strict=True):
                stacks.update(conn, child.id, root_id=top.id)
            for child in (children[0], children[2]):
                taken_by = base.make_operation(stack_id=child.id)
                snapshots.insert(
                    conn, snapshot.new_snapshot(taken_by, child, None)
                )

        self.assertEqual(3, self.purge(100, 10))

        with self.database.write() as conn:
            self.assertEqual(
                {root.id, children[0].id},
                set(conn.scalars(sa.select(stack_tables.STACKS.c.id))),
            )
            snapshots.delete_tree(conn, root.id)
        self.assertEqual(1, self.purge(100, 10))

    def test_notifications_that_are_held_go_and_others_stay(self) -> None:
        gone, kept = self.store(150), self.store()
        one = test_outbox._make(1)
        with self.database.write() as conn:
            outbox.insert_many(
                conn,
                [
                    dataclasses.replace(one, stack_id=each.id, topic=topic)
                    for each in (gone, kept)
                    for topic in (outbox.HELD, None)
                ],
            )

        self.purge(100, 10)

        with self.database.write() as conn:
            self.assertEqual([], outbox.take_held(conn, gone.id))
            self.assertEqual(1, len(outbox.take_held(conn, kept.id)))
            self.assertEqual(2, len(outbox.list_waiting(conn, 10)))

    def test_a_batch_takes_the_oldest(self) -> None:
        newer, _ = self.store(150), self.store(250)

        self.assertEqual(1, self.purge(100, 1))
        with self.database.read() as conn:
            stacks.get(conn, newer.id)

        self.assertEqual(1, self.purge(100, 1))
        self.assertEqual(0, self.purge(100, 1))


class ContentsTest(_Case):
    def put(self, text: str) -> str:
        with self.database.write() as conn:
            return contents.save_texts(conn, [text])[0]

    def age(self, seconds: float = 2 * contents.FRESH_S + 60) -> None:
        with self.database.write() as conn:
            conn.execute(
                sa.update(stack_tables.CONTENTS).values(
                    used_at=functions.now() - seconds
                )
            )

    def purge(self, limit: int = 100) -> int:
        with self.database.write() as conn:
            return purge.purge_contents(conn, limit)

    def left(self) -> set[str]:
        with self.database.read() as conn:
            return set(conn.scalars(sa.select(stack_tables.CONTENTS.c.hash)))

    def test_what_nobody_needs_goes(self) -> None:
        self.put("a")
        self.put("b")
        self.age()

        self.assertEqual(2, self.purge())
        self.assertEqual(set(), self.left())
        self.assertEqual(0, self.purge())

    def test_what_a_snapshot_needs_stays(self) -> None:
        kept = [self.put("template"), self.put("environment")]
        with self.database.write() as conn:
            snapshots.insert(
                conn,
                snapshot.Snapshot(
                    id=ids.new(),
                    stack_id=ids.StackId(ids.new()),
                    name=None,
                    operation_id=ids.OperationId(ids.new()),
                    status=states.Status.COMPLETE,
                    status_reason="",
                    template_hash=kept[0],
                    environment_hash=kept[1],
                    created_at=base.NOW,
                ),
            )
        self.put("unused")
        self.age()

        self.assertEqual(1, self.purge())
        self.assertEqual(set(kept), self.left())

    def test_no_more_goes_than_asked_for(self) -> None:
        for text in "abc":
            self.put(text)
        self.age()

        self.assertEqual([2, 1, 0], [self.purge(2) for _ in range(3)])

    def test_what_was_put_lately_stays(self) -> None:
        kept = self.put("a")
        self.age(2 * contents.FRESH_S - 60)

        self.assertEqual(0, self.purge())
        self.assertEqual({kept}, self.left())

    def test_what_a_stack_needs_stays_with_what_it_names(self) -> None:
        template, file = self.put("template"), self.put("file")
        environment = self.put(json.dumps({"files": {"f": file}}))
        value = base.make_stack(
            template_hash=template, environment_hash=environment
        )
        with self.database.write() as conn:
            stacks.insert(conn, value)
        self.put("unused")
        self.age()

        self.assertEqual(1, self.purge())
        self.assertEqual({template, file, environment}, self.left())

        with self.database.write() as conn:
            conn.execute(sa.delete(stack_tables.STACKS))
        self.assertEqual(2, self.purge())
        self.assertEqual({file}, self.left())
        self.assertEqual(1, self.purge())
        self.assertEqual(0, self.counts()["content_uses"])

    def test_what_an_operation_may_yet_need_stays(self) -> None:
        kept, gone = self.put("kept"), self.put("gone")
        with self.database.write() as conn:
            for state, found in (
                (states.OperationState.FAILED, kept),
                (states.OperationState.COMPLETE, gone),
            ):
                operations.insert(
                    conn,
                    base.make_operation(
                        state=state, options={"template_hash": found}
                    ),
                )
        self.age()

        self.assertEqual(1, self.purge())
        self.assertEqual({kept}, self.left())
