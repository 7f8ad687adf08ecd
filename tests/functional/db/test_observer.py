"""The observer on each database: what it looks at, when, and who does."""

import collections
import collections.abc
import dataclasses
import threading
import typing

import sqlalchemy as sa
import testscenarios
from sqlalchemy import event

from orch import clock
from orch import ids
from orch.db import functions
from orch.db.models import observations as tables
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.db.repositories import watches
from orch.engine.observer import notification_listener
from orch.engine.observer import observer
from orch.engine.observer import reality_reader
from orch.engine.observer import scan
from orch.engine.observer import schedule
from orch.model import observation
from orch.model import stack
from orch.model import states
from tests.functional.db import base
from tests.support import scraped
from tests.support import waiting

load_tests = testscenarios.load_tests_apply_scenarios

ONE = ids.WorkerId("worker-1")
SETTINGS = schedule.Schedule(
    period_s=3600.0,
    max_s=3600.0,
    scan_interval_s=0.05,
    calls_per_second=1000.0,
    call_burst=1000,
    threads=1,
    batch_size=3,
    ahead_s=180.0,
)
Claimed = collections.abc.Sequence[observation.Watch]


class FakeReader:
    """Writes down what it is to look at."""

    def __init__(self, test: "ObserverCase") -> None:
        self._test = test
        self.observed: list[ids.StackId] = []
        self.turns: list[str] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.error: Exception | None = None
        self.busy: set[ids.StackId] = set()
        self.lost: set[ids.StackId] = set()
        self.missed: set[ids.StackId] = set()

    def observe(
        self, claimed: Claimed, pace: reality_reader.Pace | None = None
    ) -> dict[ids.StackId, scan.Summary]:
        now = self._test.now()
        self.turns.append(claimed[0].project_id)
        self.observed += [each.root_id for each in claimed]
        self.may_go_on.wait(30)
        if self.error is not None:
            raise self.error
        return {
            each.root_id: scan.Summary(
                root_id=each.root_id,
                observed_at=now,
                is_busy=each.root_id in self.busy,
                is_written=each.root_id not in self.lost,
            )
            for each in claimed
            if each.root_id not in self.missed
        }


class ObserverCase(base.OperationTestCase):
    limit_s = 90

    def setUp(self) -> None:
        super().setUp()
        self.reader = FakeReader(self)

    def now(self) -> clock.Timestamp:
        with self.database.read() as conn:
            return functions.read_clock(conn)

    def add(self, count: int = 1, **given: object) -> list[ids.StackId]:
        """Store stacks, complete ones."""
        found = [
            base.make_stack(**{"status": states.Status.COMPLETE, **given})
            for _ in range(count)
        ]
        with self.database.write() as conn:
            for each in found:
                stacks.insert(conn, each)
        return [each.id for each in found]

    def enrolled(
        self, count: int = 1, due_in_s: float = -1.0, project: str = "demo"
    ) -> list[ids.StackId]:
        """Store stacks that are due."""
        found = self.add(count, project_id=project)
        with self.database.write() as conn:
            due_at = clock.Timestamp(functions.read_clock(conn) + due_in_s)
            watches.enroll_watches(
                conn, [(each, project, due_at) for each in found]
            )
        return found

    def observer(
        self,
        worker: str = ONE,
        *,
        claim_ttl_s: float = 60.0,
        **settings: object,
    ) -> observer.Observer:
        """Return an observer that is not started."""
        scheduled = schedule.Scheduled(
            self.database,
            lambda project_id, summaries: None,
            dataclasses.replace(SETTINGS, **settings),
            clock.SystemClock(),
        )
        found = observer.Observer(
            self.database,
            self.reader,
            [scheduled],
            ids.WorkerId(worker),
            clock.SystemClock(),
            claim_ttl_s=claim_ttl_s,
            draw=lambda: 0.0,
        )
        self.addCleanup(found.stop)
        self.addCleanup(self.reader.may_go_on.set)
        return found

    def statements(self) -> list[str]:
        """Return a list that grows by what the database is asked."""
        found: list[str] = []

        def add(
            conn: object, cursor: object, said: str, *more: object
        ) -> None:
            if said != "BEGIN":
                found.append(said)

        engine = self.database.engine
        event.listen(engine, "before_cursor_execute", add)
        self.addCleanup(event.remove, engine, "before_cursor_execute", add)
        return found

    def watch(self, root_id: ids.StackId) -> observation.Watch:
        with self.database.read() as conn:
            found = watches.find(conn, root_id)
        assert found is not None
        return found

    def wait_for(self, count: int) -> None:
        waiting.wait_for(lambda: len(self.reader.observed) >= count, "looks")

    def wait_for_end(self, root_id: ids.StackId) -> observation.Watch:
        def is_free() -> bool:
            return self.watch(root_id).claimed_by is None

        waiting.wait_for(is_free, "the end of a look")
        return self.watch(root_id)


class LookTest(ObserverCase):
    def test_looks_are_counted_by_what_came_of_them(self) -> None:
        counted = self.useFixture(scraped.Counting())
        self.enrolled(due_in_s=-30.0)
        (busy, lost, missed) = self.enrolled(3, due_in_s=-3.0)
        self.reader.busy.add(busy)
        self.reader.lost.add(lost)
        self.reader.missed.add(missed)

        self.observer(batch_size=10).start()

        name = "orch_observer_surveys_total"
        waiting.wait_for(
            lambda: counted.all_of(name, "outcome"), "looks are counted"
        )
        self.assertEqual(
            {
                ("seen",): 1.0,
                ("busy",): 1.0,
                ("lost",): 1.0,
                ("missed",): 1.0,
            },
            counted.all_of(name, "outcome"),
        )
        late = counted.all_of("orch_observer_lateness_seconds_bucket", "le")
        self.assertEqual(
            [0.0, 1.0, 2.0],
            [late[each,] for each in ("1.0", "15.0", "60.0")],
        )

    def test_d6_a_new_stack_is_looked_at_without_being_asked(self) -> None:
        (root_id,) = self.add()

        self.observer(period_s=1.0).start()

        self.wait_for(1)
        self.assertEqual([root_id], self.reader.observed[:1])

    def test_d6_what_is_gone_or_in_a_stack_is_not_looked_at_by_itself(
        self,
    ) -> None:
        self.add(deleted_at=base.NOW)
        (root_id,) = self.add()
        self.add(parent_id=root_id, root_id=root_id, depth=1)

        self.observer(period_s=1.0).start()

        self.wait_for(2)
        self.assertEqual({root_id}, set(self.reader.observed))

    def test_d6_a_stack_is_looked_at_again_after_a_period(self) -> None:
        (root_id,) = self.enrolled()
        self.observer(scan_interval_s=0.05).start()
        self.wait_for(1)

        found = self.wait_for_end(root_id)

        assert found.observed_at is not None
        self.assertLessEqual(found.observed_at, self.now())
        pause_s = (found.due_at or 0) - found.observed_at
        self.assertTrue(2690 < pause_s < 6310, pause_s)
        self.assertEqual([root_id], self.reader.observed)

    def test_d6_what_was_asked_for_alone_is_looked_at_by_itself_too(
        self,
    ) -> None:
        (root_id,) = self.add()
        with self.database.write() as conn:
            watches.request_observation(conn, root_id, "demo")
            (claimed,) = watches.claim(conn, ONE, 60.0, 1, project_id="demo")
            watches.release_claim(
                conn, claimed, observed_at=self.now(), due_at=None
            )
        self.assertIsNone(self.watch(root_id).due_at)

        self.observer(period_s=1.0).start()

        self.wait_for(1)

    def test_d6_a_stack_with_an_operation_under_way_is_left_alone(
        self,
    ) -> None:
        busy, free = self.enrolled(2)
        self.store(stack_id=busy)

        self.observer().start()

        self.wait_for(1)
        self.wait_for_end(free)
        self.assertEqual([free], self.reader.observed)

    def test_d6_a_tree_that_is_busy_below_is_looked_at_again_soon(
        self,
    ) -> None:
        (root_id,) = self.enrolled()
        self.reader.busy.add(root_id)
        self.observer().start()
        self.wait_for(1)

        found = self.wait_for_end(root_id)

        self.assertLess((found.due_at or 0) - self.now(), 60)

    def test_d6_what_cannot_be_looked_at_is_given_back(self) -> None:
        (root_id,) = self.enrolled()
        self.reader.error = ZeroDivisionError("no")
        self.observer().start()
        self.wait_for(1)

        found = self.wait_for_end(root_id)

        self.assertIsNone(found.observed_at)
        self.assertLess((found.due_at or 0) - self.now(), 60)

    def test_dg5_at_rest_a_scan_is_one_statement(self) -> None:
        self.enrolled(5, due_in_s=1000.0)
        stack = self.observer()
        stack.step()

        told = self.statements()
        for _ in range(10):
            stack.step()

        self.assertEqual(10, len(told), told)
        self.assertEqual([], self.reader.observed)

    def test_dg5_a_scan_goes_by_an_index(self) -> None:
        if self.database.dialect != "postgresql":
            self.skipTest("the others read their clock once a statement")
        self.enrolled(5, due_in_s=1000.0)
        plans: list[str] = []
        with self.database.write() as conn:
            conn.execute(sa.text("SET LOCAL enable_seqscan = off"))

            def explain(
                conn: sa.Connection,
                cursor: typing.Any,
                said: str,
                given: object,
                *more: object,
            ) -> None:
                cursor.execute(f"EXPLAIN {said}", given)
                plans.extend(row[0] for row in cursor.fetchall())

            event.listen(conn, "before_cursor_execute", explain)
            watches.list_due_projects(conn, 10)

        self.assertIn("Index Cond: (due_at <=", "\n".join(plans))


class ShareTest(ObserverCase):
    def test_d6_three_workers_look_at_each_stack_once_in_a_period(
        self,
    ) -> None:
        wanted = self.enrolled(40)

        for number in range(3):
            self.observer(f"worker-{number}", threads=2).start()

        self.wait_for(len(wanted))
        for each in wanted:
            self.wait_for_end(each)
        self.assertEqual(
            dict.fromkeys(wanted, 1), collections.Counter(self.reader.observed)
        )

    def test_d6_what_a_dead_worker_had_is_looked_at_by_another(self) -> None:
        (root_id,) = self.enrolled()
        with self.database.write() as conn:
            (lost,) = watches.claim(
                conn, ids.WorkerId("dead"), 0.5, 1, project_id="demo"
            )

        self.observer().start()

        self.wait_for(1)
        self.wait_for_end(root_id)
        with self.database.write() as conn:
            late = watches.release_claim(
                conn, lost, observed_at=self.now(), due_at=self.now()
            )
        self.assertFalse(late)
        self.assertEqual([root_id], self.reader.observed)

    def test_d6_who_looks_for_long_keeps_what_it_looks_at(self) -> None:
        (root_id,) = self.enrolled()
        self.reader.may_go_on.clear()
        self.observer(claim_ttl_s=1.0).start()
        self.wait_for(1)
        first = self.watch(root_id).claimed_until or 0.0
        other = self.observer("worker-2", claim_ttl_s=1.0)

        waiting.wait_for(lambda: self.now() > first + 0.5, "the first claim")
        other.step()

        self.assertEqual(ONE, self.watch(root_id).claimed_by)
        self.assertEqual([root_id], self.reader.observed)

    def test_dg5_projects_have_their_turns_one_after_the_other(self) -> None:
        self.enrolled(12, due_in_s=-100.0, project="large")
        self.enrolled(2, due_in_s=-10.0, project="small")

        self.observer(threads=1, batch_size=3).start()

        self.wait_for(14)
        self.assertIn("small", self.reader.turns[:2])

    def test_dg5_a_turn_is_of_many_stacks_of_one_project(self) -> None:
        self.enrolled(7)
        self.enrolled(7, project="other")

        self.observer(batch_size=7).start()

        self.wait_for(14)
        self.assertEqual(["demo", "other"], sorted(self.reader.turns))

    def test_dg5_stacks_of_a_project_are_due_in_the_same_moments(
        self,
    ) -> None:
        early = self.enrolled(2, due_in_s=-1000.0)
        self.observer(batch_size=10).start()
        self.wait_for(2)
        late = self.enrolled(2)
        self.add(2)

        self.wait_for(4)
        for root_id in (*early, *late):
            self.wait_for_end(root_id)
        self.observer("worker-2").step()

        with self.database.read() as conn:
            found = conn.execute(
                sa.select(tables.WATCHES.c.due_at, tables.WATCHES.c.root_id)
            ).all()
        moments = {round(each.due_at / 3600, 3) % 1 for each in found}
        self.assertEqual((6, 1), (len(found), len(moments)), found)

    def test_dg5_what_is_due_soon_is_looked_at_early_with_others(
        self,
    ) -> None:
        self.enrolled(2)
        early = self.enrolled(2, due_in_s=100.0)
        self.enrolled(2, due_in_s=500.0)

        self.observer(batch_size=6).start()

        self.wait_for(4)
        self.assertEqual(["demo"], self.reader.turns)
        self.assertEqual(4, len(self.reader.observed))
        for each in early:
            due_at = self.wait_for_end(each).due_at or 0.0
            self.assertGreater(due_at, self.now() + 1000)

    def test_dg5_a_slow_project_holds_up_no_other(self) -> None:
        self.enrolled(project="slow")
        self.reader.may_go_on.clear()
        self.observer(threads=2).start()
        self.wait_for(1)

        self.enrolled(project="quick")

        self.wait_for(2)
        self.assertEqual(["slow", "quick"], self.reader.turns)


class MarkTest(ObserverCase):
    def setUp(self) -> None:
        super().setUp()
        self.woken = 0
        self.marks = notification_listener.NotificationEndpoint(
            self.database, self.wake
        )

    def wake(self) -> None:
        self.woken += 1

    def store_resource(self, stack: stack.Stack, physical_id: str) -> None:
        with self.database.write() as conn:
            resources.save_many(
                conn,
                [
                    base.make_resource(
                        stack_id=stack.id, physical_id=physical_id
                    )
                ],
            )

    def notify(self, event_type: str, **payload: object) -> None:
        self.marks.info([{"event_type": event_type, "payload": payload}])

    def test_d6_a_notification_makes_the_stack_of_its_thing_due(self) -> None:
        root_id, other = self.enrolled(2, due_in_s=1000.0)
        inner = base.make_stack(parent_id=root_id, root_id=root_id, depth=1)
        with self.database.write() as conn:
            stacks.insert(conn, inner)
        self.store_resource(inner, "port-7")

        self.notify("port.update.end", port={"id": "port-7"})

        self.assertLessEqual(self.watch(root_id).due_at or 0, self.now())
        self.assertGreater(self.watch(other).due_at or 0, self.now() + 900)
        self.assertEqual(1, self.woken)

    def test_d6_what_is_no_change_marks_nothing(self) -> None:
        (root_id,) = self.enrolled(due_in_s=1000.0)
        with self.database.read() as conn:
            stack = stacks.get(conn, root_id)
        self.store_resource(stack, "vm-1")

        self.notify("compute.instance.exists", instance_id="vm-1")
        self.notify("compute.instance.reboot.start", instance_id="vm-1")
        self.notify("compute.instance.update", instance_id="vm-2")

        self.assertGreater(self.watch(root_id).due_at or 0, self.now() + 900)
        self.assertEqual(0, self.woken)

    def test_d6_what_is_marked_while_it_is_read_is_read_again(self) -> None:
        (root_id,) = self.enrolled()
        with self.database.read() as conn:
            stack = stacks.get(conn, root_id)
        self.store_resource(stack, "vm-1")
        self.reader.may_go_on.clear()
        self.observer().start()
        self.wait_for(1)

        self.notify("compute.instance.update", instance_id="vm-1")
        self.reader.may_go_on.set()

        self.wait_for(2)
        self.assertEqual([root_id, root_id], self.reader.observed)

    def test_d6_what_no_id_can_be_spoils_no_other_mark(self) -> None:
        (root_id,) = self.enrolled(due_in_s=1000.0)
        with self.database.read() as conn:
            stack = stacks.get(conn, root_id)
        self.store_resource(stack, "vm-1")

        self.notify("a.b", id="\x00", uuid="\ud800", instance_id="vm-1")

        self.assertEqual(1, self.woken)

    def test_d6_a_database_that_is_away_loses_marks_and_no_more(self) -> None:
        def fail(conn: object, *more: object) -> None:
            raise ZeroDivisionError("away")

        engine = self.database.engine
        event.listen(engine, "before_cursor_execute", fail)
        self.addCleanup(event.remove, engine, "before_cursor_execute", fail)

        self.notify("a.b", id="vm-1")

        self.assertEqual(0, self.woken)

    def test_d6_a_stack_that_is_not_enrolled_yet_is_marked_too(self) -> None:
        (root_id,) = self.add()
        with self.database.read() as conn:
            stack = stacks.get(conn, root_id)
        self.store_resource(stack, "vm-1")

        self.notify("compute.instance.update", instance_id="vm-1")

        self.assertLessEqual(self.watch(root_id).due_at or 0, self.now())
