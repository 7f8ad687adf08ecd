"""Watches on each database: who looks at which tree, and when."""

import concurrent.futures
import threading

import sqlalchemy as sa
import testscenarios

from orch import clock
from orch import ids
from orch.db import functions
from orch.db.models import observations as tables
from orch.db.repositories import operations
from orch.db.repositories import watches
from orch.model import observation
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

ONE = ids.WorkerId("worker-1")
TWO = ids.WorkerId("worker-2")
TTL_S = 60.0


class WatchesTest(base.TestCase):
    def ask(self, project_id: str = "demo") -> ids.StackId:
        root_id = ids.StackId(ids.new())
        with self.database.write() as conn:
            watches.request_observation(conn, root_id, project_id)
        return root_id

    def find(self, root_id: ids.StackId) -> observation.Watch:
        with self.database.read() as conn:
            found = watches.find(conn, root_id)
        assert found is not None
        return found

    def claim(
        self, worker: ids.WorkerId = ONE, limit: int = 10, **wanted: object
    ) -> list[observation.Watch]:
        with self.database.write() as conn:
            return watches.claim(
                conn, worker, TTL_S, limit, project_id="demo", **wanted
            )

    def now(self) -> clock.Timestamp:
        with self.database.read() as conn:
            return functions.read_clock(conn)

    def set(self, root_id: ids.StackId, **values: object) -> None:
        with self.database.write() as conn:
            conn.execute(
                sa.update(tables.WATCHES)
                .where(tables.WATCHES.c.root_id == root_id)
                .values(**values)
            )

    def expire(self, root_id: ids.StackId) -> None:
        self.set(root_id, claimed_until=functions.now() - 0.001)

    def end(
        self, watch: observation.Watch, due_at: clock.Timestamp | None = None
    ) -> bool:
        now = self.now()
        with self.database.write() as conn:
            return watches.release_claim(
                conn, watch, observed_at=now, due_at=due_at
            )

    def test_what_is_asked_for_is_taken_once(self) -> None:
        root_id = self.ask()

        (taken,) = self.claim(is_requested=True)

        self.assertEqual((root_id, ONE, 1), _held(taken))
        self.assertEqual([], self.claim(TWO))
        self.assertEqual([], self.claim(ONE))

    def test_a_claim_runs_out_and_passes_under_a_higher_fence(self) -> None:
        root_id = self.ask()
        (first,) = self.claim()
        self.expire(root_id)

        (second,) = self.claim(TWO)

        self.assertEqual((root_id, TWO, 2), _held(second))
        self.assertFalse(self.end(first))
        with self.database.write() as conn:
            self.assertFalse(watches.lock_claimed(conn, first))
            self.assertTrue(watches.lock_claimed(conn, second))
        self.assertTrue(self.end(second))

    def test_it_is_held_as_long_as_it_is_renewed(self) -> None:
        mine, lost = self.ask(), self.ask()
        self.claim()
        self.expire(lost)

        with self.database.write() as conn:
            held = watches.renew_claims(conn, ONE, 3 * TTL_S, {mine, lost})

        self.assertEqual({mine}, held)
        until = self.find(mine).claimed_until
        assert until is not None
        self.assertGreater(until, self.now() + TTL_S)

    def test_what_was_looked_at_rests_until_it_is_due(self) -> None:
        root_id = self.ask()
        (taken,) = self.claim()
        self.assertTrue(self.end(taken, clock.Timestamp(self.now() + 100.0)))

        found = self.find(root_id)

        self.assertIsNone(found.claimed_by)
        assert found.observed_at is not None and found.due_at is not None
        self.assertTrue(90 < found.due_at - found.observed_at <= 101)
        self.assertEqual([], self.claim())
        self.set(root_id, due_at=functions.now() - 1)
        self.assertEqual([], self.claim(is_requested=True))
        self.assertEqual(1, len(self.claim()))

    def test_what_nobody_observes_rests_until_it_is_asked_for(self) -> None:
        root_id = self.ask()
        (taken,) = self.claim()
        self.end(taken)

        self.assertIsNone(self.find(root_id).due_at)
        with self.database.write() as conn:
            watches.request_observation(conn, root_id, "demo")
        self.assertEqual(1, len(self.claim(is_requested=True)))

    def test_what_is_asked_for_meanwhile_is_looked_at_again(self) -> None:
        root_id = self.ask()
        (taken,) = self.claim()
        began = self.now()
        with self.database.write() as conn:
            watches.request_observation(conn, root_id, "demo")
            watches.release_claim(conn, taken, observed_at=began, due_at=None)

        self.assertEqual(1, len(self.claim(is_requested=True)))

    def test_what_was_marked_meanwhile_is_looked_at_again(self) -> None:
        root_id = self.ask()
        (taken,) = self.claim()
        began = self.now()
        with self.database.write() as conn:
            marked = watches.mark_dirty(
                conn, [root_id, ids.StackId(ids.new())]
            )
            watches.release_claim(
                conn,
                taken,
                observed_at=began,
                due_at=clock.Timestamp(began + 1000.0),
            )

        self.assertEqual(1, marked)
        self.assertEqual(1, len(self.claim()))

    def test_what_could_not_be_read_comes_again(self) -> None:
        root_id = self.ask()
        (taken,) = self.claim()
        with self.database.write() as conn:
            watches.release_claim(
                conn, taken, observed_at=None, due_at=self.now()
            )

        found = self.find(root_id)

        self.assertIsNone(found.observed_at)
        self.assertTrue(watches.in_progress(found, self.now()))
        self.assertEqual(1, len(self.claim(is_requested=True)))

    def test_other_projects_are_left(self) -> None:
        self.ask("other")
        wanted = self.ask()

        (taken,) = self.claim()

        self.assertEqual(wanted, taken.root_id)

    def test_roots_with_an_operation_under_way_are_left(self) -> None:
        busy, idle = self.ask(), self.ask()
        with self.database.write() as conn:
            operations.insert(conn, base.make_operation(stack_id=busy))
            operations.insert(
                conn,
                base.make_operation(
                    stack_id=idle, state=states.OperationState.COMPLETE
                ),
            )

        taken = self.claim()

        self.assertEqual([idle], [each.root_id for each in taken])

    def test_the_policy_stays_with_the_watch(self) -> None:
        root_id = ids.StackId(ids.new())
        policy = {"stack": "repair", "resources": {"a*": {}}}
        with self.database.write() as conn:
            watches.set_policy(conn, root_id, "demo", policy, {"user_id": "u"})
            watches.request_observation(conn, root_id, "demo")

        found = self.find(root_id)
        self.assertEqual(policy, found.policy)
        self.assertEqual({"user_id": "u"}, found.policy_set_by)
        with self.database.write() as conn:
            watches.set_policy(conn, root_id, "demo", {}, {})
        self.assertEqual({}, self.find(root_id).policy)
        with self.database.write() as conn:
            watches.delete_watch(conn, root_id)
            self.assertIsNone(watches.find(conn, root_id))

    def test_of_many_workers_each_watch_has_one(self) -> None:
        asked = {self.ask() for _ in range(30)}
        barrier = threading.Barrier(4)

        def work(number: int) -> list[ids.StackId]:
            database = self.connect()
            found: list[ids.StackId] = []
            barrier.wait(30)
            for _ in range(20):
                taken = database.run(
                    lambda conn: watches.claim(
                        conn,
                        ids.WorkerId(f"w{number}"),
                        TTL_S,
                        3,
                        project_id="demo",
                    )
                )
                found += [each.root_id for each in taken]
            return found

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            taken = [one for part in pool.map(work, range(4)) for one in part]

        self.assertEqual(sorted(asked), sorted(taken))


def _held(watch: observation.Watch) -> tuple[object, ...]:
    return watch.root_id, watch.claimed_by, watch.fence
