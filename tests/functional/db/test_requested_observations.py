"""Looks that somebody asked for, on each database: when they are over."""

import collections.abc
import threading
import typing

import fixtures
import sqlalchemy as sa
import testscenarios

from orch import clock
from orch import ids
from orch.db import errors as db_errors
from orch.db import functions
from orch.db.models import observations as tables
from orch.db.repositories import stacks
from orch.db.repositories import watches
from orch.engine.observer import observer
from orch.engine.observer import scan
from orch.engine.observer import schedule
from orch.model import observation
from orch.model import states
from tests.functional.db import base
from tests.support import waiting

load_tests = testscenarios.load_tests_apply_scenarios


class FakeReader:
    """Says of each tree that it is busy, or not."""

    def __init__(self, test: "RequestedObservationsTest") -> None:
        self._test = test
        self.is_busy = False
        self.count = 0
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def observe(
        self,
        claimed: collections.abc.Sequence[observation.Watch],
        pace: object = None,
    ) -> dict[ids.StackId, scan.Summary]:
        now = self._test.now()
        self.count += 1
        self.may_go_on.wait(60)
        return {
            each.root_id: scan.Summary(
                root_id=each.root_id, observed_at=now, is_busy=self.is_busy
            )
            for each in claimed
        }


class RequestedObservationsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.reader = FakeReader(self)
        self.stack = base.make_stack(status=states.Status.COMPLETE)
        with self.database.write() as conn:
            stacks.insert(conn, self.stack)
            watches.request_observation(conn, self.stack.id, "demo")

    def now(self) -> clock.Timestamp:
        with self.database.read() as conn:
            return functions.read_clock(conn)

    def make(self) -> observer.Observer:
        """Return what is not started."""
        made = observer.Observer(
            self.database,
            self.reader,
            [schedule.make_requests(60.0)],
            ids.WorkerId("worker-1"),
            clock.SystemClock(),
            claim_ttl_s=60.0,
        )
        self.addCleanup(made.stop)
        self.addCleanup(self.reader.may_go_on.set)
        return made

    def look(self) -> observation.Watch:
        """Return the watch after a look at what was asked for."""
        stack = self.make()
        fence = self.watch().fence
        stack.step()
        waiting.wait_for(
            lambda: (
                self.watch().fence > fence and self.watch().claimed_by is None
            ),
            "the end of a look",
        )
        return self.watch()

    def watch(self) -> observation.Watch:
        with self.database.read() as conn:
            found = watches.find(conn, self.stack.id)
        assert found is not None
        return found

    def test_a_look_is_over_once_it_was_stored(self) -> None:
        found = self.look()

        self.assertGreater(found.requested_at or 0, 0)
        self.assertGreaterEqual(
            found.observed_at or 0, found.requested_at or 0
        )
        self.assertIsNone(found.due_at)
        self.assertFalse(watches.in_progress(found, self.now()))

    def test_a_tree_that_was_busy_is_looked_at_again(self) -> None:
        self.reader.is_busy = True

        found = self.look()

        self.assertIsNone(found.observed_at)
        self.assertTrue(0 < (found.due_at or 0) - self.now() < 60)
        self.assertTrue(watches.in_progress(found, self.now()))

    def test_a_tree_whose_claim_ran_out_has_one_turn_still(self) -> None:
        self.reader.may_go_on.clear()
        stack = self.make()
        stack.step()
        waiting.wait_for(lambda: self.reader.count, "a look")
        first = self.watch()
        # As after an outage in which nothing could be renewed.
        with self.database.write() as conn:
            conn.execute(sa.update(tables.WATCHES).values(claimed_until=1))

        stack.step()

        waiting.wait_for(
            lambda: (
                self.watch().fence > first.fence
                and self.watch().claimed_by is None
            ),
            "the release of the second claim",
        )
        found = self.watch()
        self.assertTrue(0 < (found.due_at or 0) - self.now() < 60)
        waiting.wait_for(lambda: len(stack._turns.keys) == 1, "one turn")
        self.reader.may_go_on.set()
        self.assertTrue(stack._turns.finish(60))
        self.assertEqual(1, self.reader.count)
        self.assertEqual(frozenset(), stack._turns.keys)

    def test_trees_of_one_project_leave_turns_to_others(self) -> None:
        """Of four turns a project has two; the rest of it comes later."""
        self.reader.may_go_on.clear()
        stack = self.make()
        others = [base.make_stack(status=states.Status.COMPLETE) for _ in "ab"]
        for each in (None, *others):
            if each is not None:
                with self.database.write() as conn:
                    stacks.insert(conn, each)
                    watches.request_observation(conn, each.id, "demo")
            count = min(self.reader.count + 1, 2)
            stack.step()
            waiting.wait_for(
                lambda count=count: self.reader.count == count, "the turns"
            )

        self.assertEqual(2, len(stack._turns.keys))
        with self.database.read() as conn:
            last = watches.find(conn, others[-1].id)
        assert last is not None
        self.assertEqual(0, last.fence)
        self.reader.may_go_on.set()
        waiting.wait_for(lambda: not stack._turns.keys, "their ends")
        stack.step()
        waiting.wait_for(lambda: self.reader.count == 3, "the rest")

    def test_a_claim_that_was_not_renewed_is_renewed_next(self) -> None:
        self.reader.may_go_on.clear()
        stack = self.make()
        stack.step()
        waiting.wait_for(lambda: self.reader.count, "a look")
        renew = watches.renew_claims
        answers: list[typing.Any] = []

        def fail_once(*given: typing.Any) -> object:
            answers.append(None)
            if len(answers) == 1:
                raise db_errors.DatabaseDown("no answer")
            answers[-1] = renew(*given)
            return answers[-1]

        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.db.repositories.watches.renew_claims", fail_once
            )
        )

        self.assertRaises(db_errors.DatabaseDown, stack.step)
        stack.step()
        stack.step()

        self.assertEqual([None, {self.stack.id}], answers)
