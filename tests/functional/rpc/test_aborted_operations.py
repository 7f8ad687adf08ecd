"""What an operation has left that ends with an error of the engine."""

import typing

from orch import ids
from orch.db.repositories import leases
from orch.db.repositories import outbox
from orch.engine.conductor import preparation
from orch.events import drifts
from orch.flow.state import fence
from orch.flow.state import store as state_store
from orch.model import notification
from tests.functional.rpc import worker

_TTL_S: typing.Final = 60.0
_WORKER: typing.Final = ids.WorkerId("w")


class NoHooks:
    """Loads no hooks."""

    def load(self, *given: object, **more: object) -> None:
        """Return none."""


class AbortedOperationTests(worker.TestCase):
    def preparer(self) -> preparation.Preparer:
        return preparation.Preparer(
            self.database,
            self.deps.templates.load,
            self.clock,
            self.deps.rules,
            lambda loaded, acting: self.types,
            lambda stack: state_store.redact_nothing,
            NoHooks,  # type: ignore[arg-type]
            None,
            lambda stack: None,
            self.deps.records,
        )

    def claim(self) -> fence.Fence:
        """Return the fence of the first claim of the only operation."""
        (taken,) = self.database.run(
            lambda connection: leases.claim(connection, _WORKER, _TTL_S, 1)
        )
        self.assertEqual(1, taken.fence)
        return fence.Fence(
            taken.id,
            taken.fence,
            self.clock.monotonic() + _TTL_S,
            self.clock,
        )

    def hold(self, stack_id: ids.StackId) -> None:
        """Store a notification as a run does that has found drift."""
        told = {"count": 1, "resources": [{"path": "web"}]}
        held = notification.Notification(
            stack_id=stack_id,
            sequence=2,
            event_type=f"orchestration.stack.drift.{drifts.Kind.DETECTED}",
            priority="info",
            context={},
            payload={"drift": told},
            created_at=self.clock.now(),
            topic=outbox.HELD,
        )
        with self.database.write() as connection:
            outbox.insert_many(connection, [held])

    def test_drift_that_its_run_has_found_is_notified(self) -> None:
        stack_id = self.create({"heat_template_version": "2018-08-31"})
        held = self.claim()
        self.hold(stack_id)

        self.preparer().abort(held, _TTL_S, RuntimeError("broken"))

        with self.database.write() as connection:
            self.assertEqual([], outbox.take_held(connection, stack_id))
            found = [
                each.event_type
                for each in outbox.list_waiting(connection, 10)
                if "drift" in each.event_type
            ]
        self.assertEqual(
            [f"orchestration.stack.drift.{drifts.Kind.DETECTED}"], found
        )
