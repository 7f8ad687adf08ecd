"""Claiming, losing and taking over operations, with real rows."""

import dataclasses
import threading

from orch import errors
from orch import ids
from orch.api import settings
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import breakpoints as stored_breakpoints
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.engine.conductor import conductor
from orch.engine.conductor import preparation
from orch.engine.execution import planning
from orch.engine.lifecycle import hook_loading
from orch.engine.lifecycle import situation
from orch.flow.runner import retry_policy
from orch.model import breakpoints
from orch.model import operation
from orch.model import states
from orch.plugin import call_context
from orch.plugin import lifecycle_order
from orch.policies import enforcer
from tests import base
from tests.support import flows

COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED
BLOCKED = states.OperationState.BLOCKED


class ConductorBase(base.TestCase):
    """A worker over real rows, with plug-ins that follow a script."""

    def setUp(self) -> None:
        super().setUp()
        self.flows = self.useFixture(flows.Flows())
        self.calls = self.flows.kind.calls
        self.script = self.flows.kind.script
        self.parsed_template = flows.Template(a="")
        self.gate = threading.Event()
        self.errors: list[Exception] = []

    def load(self, connection, stack) -> flows.Template:
        if self.errors:
            raise self.errors.pop()
        return self.parsed_template

    def start(self, **given: object) -> conductor.Conductor:
        stack = conductor.Conductor(
            database=self.flows.database,
            preparer=preparation.Preparer(
                self.flows.database,
                self.load,
                self.flows.clock,
                enforcer.Enforcer(settings.no_options(), self.flows.clock),
                serve=lambda loaded, acting: self.flows.types,
                redaction_of=lambda stack: lambda text, rows: text,
                loader_of=lambda: hook_loading.HookLoader(
                    self.flows.database,
                    situation.HookSettings(
                        lifecycle_order.NO_PLUGINS,
                        self.fail,
                        self.flows.clock,
                        60.0,
                    ),
                ),
                surveyor=None,
                audience_of=lambda stack: None,
                records=None,
            ),
            settings=conductor.Settings(
                **({"scan_interval_s": 0.1, "lease_ttl_s": 60.0} | given)
            ),
            clock_=self.flows.clock,
            worker_id=ids.WorkerId("w1"),
            notify=lambda: None,
            on_beat=lambda: None,
        )
        stack.start()
        self.addCleanup(stack.stop, 5.0)
        self.addCleanup(self.gate.set)
        return stack

    def state_of(self, operation_id: ids.OperationId) -> str:
        return self.flows.read_operation(operation_id).state

    def expire(self, operation_id: ids.OperationId) -> None:
        held = self.flows.read_operation(operation_id)

        def is_taken_again() -> bool:
            # Again and again: a tick of whoever runs it renews the lease.
            self.flows.database.run(
                lambda connection: leases.release(
                    connection, operation_id, held.fence
                )
            )
            now = self.flows.read_operation(operation_id)
            return now.fence > held.fence

        flows.wait_for(is_taken_again, "it is taken again")

    def made(self) -> list[str]:
        return [name for act, name in self.calls if act == "create"]


class ConductorTests(ConductorBase):
    def test_what_the_worker_takes_over_from_itself_comes_to_its_end(
        self,
    ) -> None:
        self.script["is_created", "a"] = [
            call_context.Pending(after_s=0.3) for _ in range(3)
        ]
        self.start()
        operation = self.flows.accept()
        flows.wait_for(self.made, "the creation begins")

        self.expire(operation.id)

        flows.wait_for(
            lambda: self.state_of(operation.id) == COMPLETE, "it is complete"
        )
        self.assertEqual(["a"], self.made())

    def test_nothing_is_looked_for_while_an_old_call_may_make_it(
        self,
    ) -> None:
        self.script["create", "a"] = [
            lambda context: self.gate.wait(20) and "thing-a"
        ]
        self.script["find", "a"] = [lambda context: "thing-a"]
        self.start()
        operation = self.flows.accept()
        flows.wait_for(self.made, "the call is under way")

        for _ in range(2):
            self.expire(operation.id)
        acts_before = list(self.calls)
        self.gate.set()
        flows.wait_for(
            lambda: self.state_of(operation.id) == COMPLETE, "it is complete"
        )

        self.assertEqual([("create", "a")], acts_before)
        self.assertEqual(
            ["create", "find"],
            [act for act, _ in self.calls if act in ("create", "find")],
        )

    def hang(self) -> None:
        """Let the creation of a hang until the gate is open, and fail."""
        self.script["create", "a"] = [
            lambda context: self.gate.wait(20) and "thing-a"
        ]
        self.script["find", "a"] = ["thing-a"]
        policy = retry_policy.RetryPolicy(
            tries=2,
            first_pause_s=0.05,
            first_block_s=0.1,
            max_block_s=0.1,
        )
        self.worker = self.start(
            call_limit_s=0.05, lease_ttl_s=0.6, retries=policy
        )
        operation = self.flows.accept()
        flows.wait_for(
            lambda: self.state_of(operation.id) == FAILED,
            "the call is given up",
        )

    def acts(self) -> list[str]:
        told = ("create", "find", "delete")
        return [act for act, _ in self.calls if act in told]

    def test_what_was_accepted_here_is_run_without_being_read(self) -> None:
        worker = self.start(scan_interval_s=60.0)
        taken, most = worker.offer()
        since = self.flows.clock.monotonic()
        operation = operations.begun(
            self.flows.make_operation(), self.flows.clock.now(), 60.0, taken
        )
        with self.flows.database.write() as connection:
            operations.insert_many(connection, [operation])
        # Whoever reads what is there already comes to grief.
        self.errors = [errors.Permanent("it was read")]

        loaded = planning.Loaded(
            self.flows.stack, (), None, self.parsed_template
        )
        worker.take(operation, loaded, since)

        flows.wait_for(
            lambda: self.state_of(operation.id) == COMPLETE, "it is complete"
        )
        self.assertEqual(1, self.flows.read_operation(operation.id).fence)
        self.assertLess(0, most)

    def test_a_worker_offers_the_room_that_it_has(self) -> None:
        self.script["is_created", "a"] = [call_context.Pending(after_s=300)]
        worker = self.start(call_threads=1)
        room_before = worker.offer()[1]
        self.flows.accept()
        flows.wait_for(self.made, "the creation waits")
        room_while = worker.offer()[1]

        worker.stop(0.0)

        self.assertEqual((2, 1), (room_before, room_while))
        self.assertEqual(0, worker.offer()[1])

    def test_what_follows_a_hung_call_waits_for_its_end(self) -> None:
        self.hang()
        newer = self.flows.accept(states.Action.DELETE)
        flows.wait_for(
            lambda: self.state_of(newer.id) == BLOCKED, "it is blocked"
        )
        reason = self.flows.read_operation(newer.id).reason
        acts_before = self.acts()

        self.gate.set()
        flows.wait_for(
            lambda: self.state_of(newer.id) == COMPLETE, "it is complete"
        )

        self.assertIn("an earlier call of its plug-in", reason)
        self.assertIn("worker w1", reason)
        self.assertEqual(["create"], acts_before)
        self.assertEqual(["create", "find", "delete"], self.acts())

    def test_what_follows_a_hung_call_waits_for_the_worker_s_death(
        self,
    ) -> None:
        self.hang()
        newer = self.flows.accept(states.Action.DELETE)
        flows.wait_for(
            lambda: self.state_of(newer.id) == BLOCKED, "it is blocked"
        )
        self.worker.stop(0.0)

        self.start(lease_ttl_s=0.6)
        flows.wait_for(
            lambda: self.state_of(newer.id) == COMPLETE, "it is complete"
        )

        self.assertFalse(self.gate.is_set())

    def test_a_database_that_is_away_for_a_moment_fails_no_operation(
        self,
    ) -> None:
        self.errors = [db_errors.DatabaseDown("away")]
        self.start(lease_ttl_s=0.5)

        operation = self.flows.accept()

        flows.wait_for(
            lambda: self.state_of(operation.id) == COMPLETE, "it is complete"
        )
        self.assertEqual(2, self.flows.read_operation(operation.id).fence)

    def test_a_newer_request_does_not_wait_for_what_waits_long(self) -> None:
        self.script["is_created", "a"] = [call_context.Pending(after_s=300)]
        worker = self.start(scan_interval_s=60.0, lease_ttl_s=1.5)
        operation = self.flows.accept()
        worker.wake(operation.id)
        flows.wait_for(self.made, "the creation waits")

        newer = self.flows.accept(states.Action.DELETE)
        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, newer.id
            )
        )

        flows.wait_for(
            lambda: self.state_of(newer.id) == COMPLETE, "the newer one ends"
        )
        self.assertEqual(
            states.OperationState.SUPERSEDED, self.state_of(operation.id)
        )
        self.assertEqual([], self.flows.rows())

    def hold(self, worker: conductor.Conductor) -> operation.Operation:
        """Begin a creation that is held, and something that takes long."""
        self.parsed_template.breakpoints["a"] = ("pre-create",)
        self.parsed_template.resources["b"] = flows.declare("b")
        self.script["is_created", "b"] = [
            call_context.Pending(after_s=0.05),
            lambda context: (self.gate.wait(20), None)[1],
        ]
        operation = self.flows.accept()
        worker.wake(operation.id)
        flows.wait_for(
            lambda: any(row.hooks for row in self.flows.rows()), "a is held"
        )
        flows.wait_for(lambda: self.made() == ["b"], "b is under way")
        return operation

    def release(self, operation: operation.Operation) -> None:
        """Clear the breakpoint, as a signal does."""
        row = self.flows.row("a")
        released = dataclasses.replace(
            row,
            hooks=breakpoints.with_state(
                row, operation.id, "pre-create", breakpoints.RELEASED
            ),
        )

        def work(connection: db_engine.Connection) -> None:
            stored_breakpoints.save_many(connection, [released])
            leases.unpark(connection, operation.id)

        self.flows.database.run(work)

    def test_who_is_woken_looks_what_was_cleared(self) -> None:
        worker = self.start(scan_interval_s=60.0)
        operation = self.hold(worker)

        self.release(operation)
        worker.wake(operation.id)

        flows.wait_for(lambda: "a" in self.made(), "a is made")
        self.gate.set()
        flows.wait_for(
            lambda: self.state_of(operation.id) == COMPLETE, "it is complete"
        )

    def test_what_was_cleared_is_seen_without_being_woken(self) -> None:
        worker = self.start(scan_interval_s=60.0, lease_ttl_s=0.9)
        operation = self.hold(worker)

        self.release(operation)

        flows.wait_for(lambda: "a" in self.made(), "a is made")
        self.gate.set()
        flows.wait_for(
            lambda: self.state_of(operation.id) == COMPLETE, "it is complete"
        )

    def test_a_blocked_operation_is_taken_up_by_the_scan(self) -> None:
        self.script["create", "a"] = [errors.QuotaExceeded("full")]
        policy = retry_policy.RetryPolicy(first_block_s=0.2, max_block_s=0.2)
        self.start(retries=policy)
        operation = self.flows.accept()

        flows.wait_for(
            lambda: self.state_of(operation.id) == COMPLETE, "it is complete"
        )

        self.assertEqual(["a", "a"], self.made())
        self.assertEqual(2, self.flows.read_operation(operation.id).fence)

    def test_an_error_of_ours_leaves_nothing_in_progress(self) -> None:
        self.script["is_created", "a"] = [call_context.Pending(after_s=30)]
        self.start()
        operation = self.flows.accept()
        flows.wait_for(
            lambda: (
                [row.physical_id for row in self.flows.rows()] == ["thing-a"]
            ),
            "a is under way",
        )
        self.errors = [RuntimeError("a mistake")]

        self.expire(operation.id)
        flows.wait_for(
            lambda: self.state_of(operation.id) == FAILED,
            "the operation fails",
        )

        row = self.flows.row("a")
        self.assertEqual(states.Status.FAILED, row.status)
        self.assertEqual(
            "Interrupted: resources.a: The engine failed; its log says why.",
            row.status_reason,
        )
        self.assertEqual("thing-a", row.physical_id)
        self.assertEqual("a CREATE_FAILED", self.flows.event_log()[-1])
