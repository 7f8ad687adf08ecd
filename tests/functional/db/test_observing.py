"""Looks at trees on each database: what is written, and what is not."""

import collections.abc
import dataclasses

import testscenarios
from oslo_config import cfg

from orch import clock
from orch import ids
from orch.db import functions
from orch.db.repositories import events
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.db.repositories import watches
from orch.engine.observer import scan
from orch.engine.secrets import tree_secrets
from orch.flow.state import drift_records
from orch.model import notification
from orch.model import observation
from orch.model import stack
from orch.model import states
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

_ME = ids.WorkerId("worker-1")
_State = observation.State


class _LiveResource(resource.Resource):
    """Is as ``live`` says; ``meanwhile`` is called when it is read."""

    type_name = "T::Thing"
    has_reality = True

    def __init__(self) -> None:
        super().__init__(cfg.ConfigOpts())
        self.live: reality.Reality | Exception = {"p": "other"}
        self.calls = 0
        self.meanwhile: collections.abc.Callable[[], None] = lambda: None

    def get_reality(self, context: call_context.Context) -> reality.Reality:
        self.calls += 1
        self.meanwhile()
        if isinstance(self.live, Exception):
            raise self.live
        return self.live


class _Types:
    def __init__(self, thing: _LiveResource) -> None:
        self._plugin = thing

    def find(self, type_name: str) -> resource.Resource | None:
        return self._plugin if type_name == "T::Thing" else None

    def get(self, type_name: str) -> resource.Resource:
        return self._plugin


class ObservingTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = _LiveResource()
        self.notified = 0
        self.broken: ids.StackId | None = None
        self.stack = self.make_root()

    def make_root(self) -> stack.Stack:
        stack = base.make_stack(status=states.Status.COMPLETE)
        asked = base.make_operation(
            stack_id=stack.id, state=states.OperationState.COMPLETE
        )
        stack = dataclasses.replace(stack, operation_id=asked.id)
        row = base.make_resource(
            stack_id=stack.id,
            name="a",
            type_name="T::Thing",
            physical_id="thing-1",
            action=states.Action.CREATE,
            properties={"p": "wanted"},
        )
        with self.database.write() as conn:
            stacks.insert(conn, stack)
            operations.insert(conn, asked)
            resources.save_many(conn, [row])
        return stack

    def claim(self, stack: stack.Stack | None = None) -> observation.Watch:
        root_id = (stack or self.stack).id
        with self.database.write() as conn:
            watches.request_observation(conn, root_id, "demo")
            (found,) = watches.claim(conn, _ME, 60.0, 1, project_id="demo")
        return found

    def observe(
        self, *claimed: observation.Watch
    ) -> dict[ids.StackId, scan.Summary]:
        def notify() -> None:
            self.notified += 1

        types = _Types(self.plugin)
        return scan.Scan(
            self.database,
            types,
            drift_records.DriftRecords(
                tree_secrets.redacts_drift(self.find_template),
                types,
                1000,
            ),
            clock.SystemClock(),
            notify,
        ).observe(claimed)

    def find_template(self, conn: object, stack: stack.Stack) -> None:
        if stack.id == self.broken:
            raise ZeroDivisionError("no")

    def observed(self) -> list[observation.Observation]:
        with self.database.read() as conn:
            return observations.list_tree(conn, self.stack.id)

    def events(self) -> int:
        with self.database.read() as conn:
            found = events.find_newest(conn, self.stack.id)
            return 0 if found is None else found.sequence

    def notifications(self) -> list[str]:
        return [each.event_type for each in self.outbox()]

    def outbox(self) -> list[notification.Notification]:
        with self.database.read() as conn:
            return list(outbox.list_waiting(conn, 10))

    def baseline(self) -> object:
        with self.database.read() as conn:
            (row,) = resources.list_(conn, self.stack.id)
        return row.baseline

    def test_what_was_seen_is_stored_and_told(self) -> None:
        watch = self.claim()

        summary = self.observe(watch)[self.stack.id]

        (observed,) = self.observed()
        self.assertEqual(_State.DRIFTED, observed.state)
        self.assertEqual({"p": "other"}, observed.live)
        self.assertEqual(observed.observed_at, summary.observed_at)
        self.assertEqual(
            (1, True, False, True, {}),
            (
                summary.drifted,
                summary.is_changed,
                summary.is_busy,
                summary.is_written,
                summary.repairs,
            ),
        )
        self.assertEqual(1, self.events())
        self.assertEqual(
            ["orchestration.stack.drift.detected"], self.notifications()
        )
        self.assertEqual(1, self.notified)

    def test_what_is_as_before_is_not_told(self) -> None:
        self.observe(self.claim())
        with self.database.write() as conn:
            (watch,) = [watches.find(conn, self.stack.id)]
        assert watch is not None
        before = self.observed()

        summary = self.observe(watch)[self.stack.id]

        (after,) = self.observed()
        self.assertFalse(summary.is_changed)
        self.assertEqual(1, self.events())
        self.assertEqual(before[0].drifted_at, after.drifted_at)
        self.assertGreater(after.observed_at, before[0].observed_at)

    def test_what_else_is_known_is_told_without_an_event(self) -> None:
        self.plugin.live = {"p": "wanted"}
        summary = self.observe(self.claim())[self.stack.id]

        self.assertFalse(summary.is_changed)
        self.assertEqual(1, self.notified)
        self.assertEqual(0, self.events())
        (sent,) = self.outbox()
        self.assertEqual("orchestration.stack.drift.observed", sent.event_type)
        self.assertEqual(self.events(), sent.sequence)
        drift = sent.payload["drift"]
        assert isinstance(drift, dict)
        self.assertEqual(
            ("in_sync", 1, ["a"]),
            (
                drift["state"],
                drift["count"],
                [each["resource_name"] for each in drift["resources"]],
            ),
        )

        self.observe(self.claim_again())

        self.assertEqual(1, self.notified)
        self.assertEqual(1, len(self.outbox()))

    def test_what_is_not_known_any_more_or_again_is_told(self) -> None:
        self.plugin.live = {"p": "wanted"}
        self.observe(self.claim())
        self.plugin.live = ValueError("odd")
        self.observe(self.claim_again())
        self.observe(self.claim_again())
        self.plugin.live = {"p": "wanted"}
        self.observe(self.claim_again())

        self.assertEqual(
            ["orchestration.stack.drift.observed"] * 3, self.notifications()
        )

    def test_what_was_changed_since_the_last_look_is_told(self) -> None:
        # What was seen before a change counts no longer.
        self.plugin.live = {"p": "wanted"}
        self.observe(self.claim())
        with self.database.write() as conn:
            (row,) = resources.list_(conn, self.stack.id)
            resources.save_many(
                conn,
                [
                    dataclasses.replace(
                        row, updated_at=functions.read_clock(conn)
                    )
                ],
            )

        self.observe(self.claim_again())

        self.assertEqual(
            ["orchestration.stack.drift.observed"] * 2, self.notifications()
        )

    def test_nothing_is_written_under_a_lost_claim(self) -> None:
        watch = self.claim()
        lost = dataclasses.replace(watch, fence=watch.fence - 1)

        summary = self.observe(lost)[self.stack.id]

        self.assertFalse(summary.is_written)
        self.assertEqual([], self.observed())
        self.assertEqual(0, self.events())
        self.assertEqual([], self.notifications())
        self.assertEqual(0, self.notified)

    def test_a_stack_with_an_operation_is_left_out(self) -> None:
        claimed = self.claim()
        busy = base.make_operation(stack_id=self.stack.id)
        with self.database.write() as conn:
            operations.insert(conn, busy)

        summary = self.observe(claimed)[self.stack.id]

        self.assertTrue(summary.is_busy)
        self.assertEqual(0, self.plugin.calls)
        self.assertEqual([], self.observed())

    def test_what_changed_while_it_was_read_is_not_written(self) -> None:
        for changed in (
            {"operation_id": ids.OperationId(ids.new())},
            {"status": states.Status.IN_PROGRESS},
        ):
            self.plugin.meanwhile = lambda changed=changed: self.change(
                changed
            )

            summary = self.observe(self.claim())[self.stack.id]

            self.assertTrue(summary.is_busy)
            self.assertEqual([], self.observed())
            self.assertEqual(0, self.events())
            self.change({"status": states.Status.COMPLETE})
            with self.database.write() as conn:
                watches.delete_watch(conn, self.stack.id)

    def test_what_was_accepted_while_it_was_read_is_not_written(
        self,
    ) -> None:
        self.observe(self.claim())
        (drifted,) = self.observed()
        accepted = dataclasses.replace(
            drifted, state=_State.IN_SYNC, differences=(), drifted_at=None
        )

        def accept() -> None:
            with self.database.write() as conn:
                observations.save_many(conn, [accepted])

        self.plugin.meanwhile = accept

        summary = self.observe(self.claim_again())[self.stack.id]

        self.assertTrue(summary.is_busy)
        self.assertEqual([accepted], self.observed())

    def test_what_has_moved_here_while_it_was_read_stays_known(self) -> None:
        moved = observation.Observation(
            root_id=self.stack.id,
            stack_id=self.stack.id,
            resource_id=ids.ResourceId(ids.new()),
            state=_State.IN_SYNC,
            observed_at=base.NOW,
        )

        def move() -> None:
            self.change({"operation_id": ids.OperationId(ids.new())})
            with self.database.write() as conn:
                observations.save_many(conn, [moved])

        self.plugin.meanwhile = move

        self.observe(self.claim())

        self.assertEqual([moved], self.observed())

    def change(self, values: dict[str, object]) -> None:
        with self.database.write() as conn:
            stacks.update(conn, self.stack.id, **values)

    def test_a_tree_that_is_gone_is_forgotten(self) -> None:
        self.observe(self.claim())
        self.change({"deleted_at": base.NOW})
        watch = dataclasses.replace(self.claim_again(), fence=2)

        found = self.observe(watch)

        self.assertEqual({}, found)
        self.assertEqual([], self.observed())
        with self.database.read() as conn:
            self.assertIsNone(watches.find(conn, self.stack.id))

    def claim_again(self) -> observation.Watch:
        with self.database.read() as conn:
            found = watches.find(conn, self.stack.id)
        assert found is not None
        return found

    def test_policies_say_what_is_accepted_and_repaired(self) -> None:
        watch = self.claim()

        repaired = self.observe(
            dataclasses.replace(watch, policy={"stack": "repair"})
        )[self.stack.id]
        self.assertEqual([("p",)], list(repaired.repairs.values()))
        self.assertIsNone(self.baseline())

        accepted = self.observe(
            dataclasses.replace(watch, policy={"stack": "accept"})
        )[self.stack.id]
        self.assertEqual({}, accepted.repairs)
        self.assertEqual({"p": "other"}, self.baseline())
        self.assertEqual(_State.IN_SYNC, self.observed()[0].state)

        self.plugin.live = reality.Vanished("gone")
        gone = self.observe(
            dataclasses.replace(watch, policy={"stack": "repair"})
        )[self.stack.id]
        self.assertEqual([None], list(gone.repairs.values()))

    def test_what_cannot_be_read_does_not_end_its_drift(self) -> None:
        watch = self.claim()
        self.observe(watch)
        (before,) = self.observed()
        self.plugin.live = ValueError("odd")
        self.observe(watch)
        (unknown,) = self.observed()
        self.plugin.live = {"p": "other"}
        self.observe(watch)

        self.assertEqual(_State.UNKNOWN, unknown.state)
        self.assertEqual(before.drifted_at, unknown.drifted_at)
        self.assertEqual(1, self.events())

    def test_many_trees_are_looked_at_together(self) -> None:
        other = self.make_root()

        found = self.observe(self.claim(), self.claim(other))

        self.assertEqual({self.stack.id, other.id}, set(found))
        self.assertEqual(2, self.plugin.calls)

    def test_one_that_cannot_be_stored_keeps_no_other_from_it(self) -> None:
        other = self.make_root()
        self.broken = other.id

        found = self.observe(self.claim(other), self.claim())

        self.assertEqual({self.stack.id}, set(found))
        self.assertEqual(1, len(self.observed()))
