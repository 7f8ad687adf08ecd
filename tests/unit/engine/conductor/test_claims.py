"""What a worker takes, while it stops, is full, or was overtaken."""

import dataclasses
import typing

from orch import ids
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine.conductor import conductor
from orch.engine.execution import planning
from orch.flow.runner import messages
from orch.flow.runner import runner
from orch.flow.state import fence
from orch.model import operation
from orch.model import states
from orch.plugin import call_context
from tests.support import flows
from tests.unit.engine.conductor import test_conductor

OTHER = ids.WorkerId("w2")


class TakingTest(test_conductor.ConductorBase):
    def accept_taken(
        self, worker: conductor.Conductor
    ) -> tuple[operation.Operation, float]:
        """Store an operation that this worker is to run at once."""
        taken, _ = worker.offer()
        since = self.flows.clock.monotonic()
        operation = operations.begun(
            self.flows.make_operation(), self.flows.clock.now(), 60.0, taken
        )
        with self.flows.database.write() as connection:
            operations.insert_many(connection, [operation])
        return operation, since

    def take(
        self,
        worker: conductor.Conductor,
        operation: operation.Operation,
        since: float,
    ) -> None:
        loaded = planning.Loaded(
            self.flows.stack, (), None, self.parsed_template
        )
        worker.take(operation, loaded, since)

    def test_what_comes_to_a_worker_that_stops_others_take_at_once(
        self,
    ) -> None:
        worker = self.start(scan_interval_s=60.0)
        operation, since = self.accept_taken(worker)
        worker.stop(0.0)

        self.take(worker, operation, since)

        claimed = self.flows.database.run(
            lambda connection: leases.claim(
                connection, OTHER, 60.0, 1, operation.id
            )
        )
        self.assertEqual([operation.id], [each.id for each in claimed])
        self.assertEqual([], self.made())

    def test_what_was_overtaken_does_not_disturb_the_newer_one(self) -> None:
        self.script["is_created", "a"] = [
            lambda context: (self.gate.wait(20), None)[1]
        ]
        worker = self.start(scan_interval_s=60.0)
        operation, since = self.accept_taken(worker)
        self.flows.database.run(
            lambda connection: leases.release(
                connection, operation.id, operation.fence
            )
        )
        worker.wake(operation.id)
        flows.wait_for(self.made, "it is taken over, and runs")

        self.take(worker, operation, since)
        self.gate.set()

        flows.wait_for(
            lambda: (
                self.state_of(operation.id) == states.OperationState.COMPLETE
            ),
            "it is complete",
        )
        self.assertEqual(2, self.flows.read_operation(operation.id).fence)
        self.assertEqual(["a"], self.made())

    def accept_child_stacks(self) -> ids.OperationId:
        """Store an operation of a stack in the stack, which waits."""
        around = self.flows.stack
        inner = dataclasses.replace(
            around,
            id=ids.StackId(ids.new()),
            parent_id=around.id,
            parent_resource="a",
            depth=1,
        )
        operation = dataclasses.replace(
            self.flows.make_operation(), stack_id=inner.id, depth=1
        )
        with self.flows.database.write() as connection:
            stacks.insert(connection, inner)
            operations.insert(connection, operation)
        return operation.id

    def test_inner_stacks_find_room_where_one_operation_has_room(
        self,
    ) -> None:
        waits: list[object] = [
            call_context.Pending(after_s=300) for _ in range(4)
        ]
        self.script["is_created", "a"] = waits
        worker = self.start(scan_interval_s=60.0, max_operations=2)
        outer = self.flows.accept()
        worker.wake(outer.id)
        flows.wait_for(lambda: len(self.made()) == 1, "the outer one runs")
        inner = [self.accept_child_stacks() for _ in range(3)]

        worker.wake(None)

        flows.wait_for(lambda: len(self.made()) == 4, "the inner ones run")
        self.assertEqual(
            {states.OperationState.RUNNING},
            {self.state_of(each) for each in inner},
        )


class Host:
    """Counts what a runner asks of its worker."""

    def __init__(self) -> None:
        self.observed: list[str] = []

    def prepare(self, flush, survey) -> None:
        self.observed.append("prepare")

    def give_back(self, held) -> None:
        self.observed.append("give back")

    def forget(self, held) -> None:
        self.observed.append("forget")


class StopBeforeItsTurnTest(test_conductor.ConductorBase):
    def test_what_is_told_to_stop_before_its_turn_is_given_back(self) -> None:
        host = Host()
        clock = self.flows.clock
        stack = runner.Runner(
            fence.Fence(
                ids.OperationId("o"), 1, clock.monotonic() + 60.0, clock
            ),
            typing.cast(typing.Any, host),
            typing.cast(typing.Any, host.prepare),
            self.flows.loop,
            self.flows.pool,
            clock,
        )

        stack.receive(messages.Stop())
        stack.receive(messages.Begin())

        self.assertEqual(["give back", "forget"], host.observed)
