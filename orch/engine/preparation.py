"""Loads a claimed operation and plans it; the rows are all it needs."""

import dataclasses

from orch import clock
from orch import errors
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import breakpoints
from orch.engine import kept_plans
from orch.engine import planning
from orch.events import recorder
from orch.flow import fence
from orch.flow import holds
from orch.flow import notes
from orch.flow import store
from orch.flow import submit
from orch.flow import writer
from orch.model import event
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.planner import plan
from orch.plugin import registry


@dataclasses.dataclass(frozen=True, slots=True)
class Prepared:
    """An operation ready to run.

    :ivar hooks_of: where it stops and waits
    """

    plan: plan.Plan
    store: store.Store
    hooks_of: holds.HooksOf


class Preparer:
    """Plans operations; holds nothing between calls."""

    def __init__(
        self,
        database: db_engine.Database,
        types: registry.ResourceTypes,
        load_template: planning.LoadTemplate,
        clock_: clock.Clock,
    ) -> None:
        """Plan with these plug-ins and this way to load templates."""
        self._database = database
        self._types = types
        self._load_template = load_template
        self._clock = clock_

    def prepare(
        self, asked: operation.Operation, held: fence.Fence, ttl_s: float
    ) -> Prepared:
        """Return the plan of an operation, and the store it runs on.

        :raises orch.errors.OrchError: it cannot be planned
        """
        loaded = self._database.query(
            lambda connection: planning.load(
                connection, asked, self._load_template
            )
        )
        kept = store.Store(
            writer_=writer.Writer(self._database, held, ttl_s, loaded.subject),
            held=held,
            clock_=self._clock,
            subject=loaded.subject,
            asked=asked,
            rows=loaded.rows,
            newest_event=loaded.newest.sequence if loaded.newest else 0,
            bound=loaded.declared(asked, self._types),
            types=self._types,
            snapshots=loaded.snapshots,
        )
        if not _is_told(asked, loaded.newest):
            kept.recorder.record_stack(
                submit.started(loaded.subject, asked), self._clock.now()
            )
        wanted = planning.build(loaded, asked, self._types)
        kept_plans.check(self._database, asked, loaded, wanted)
        kept.adopt(wanted)
        hooks_of = breakpoints.of(self._database, loaded, self._load_template)
        return Prepared(wanted, kept, hooks_of)

    def abort(self, held: fence.Fence, ttl_s: float, error: Exception) -> None:
        """End an operation as failed, with the error as its reason.

        :raises orch.db.errors.LeaseLost: another worker has it
        """
        reason = _reason(error)
        now = self._clock.now()

        def work(connection: db_engine.Connection) -> None:
            leases.touch(connection, held.operation_id, held.number, ttl_s)
            asked = operations.get(connection, held.operation_id)
            subject = dataclasses.replace(
                stacks.get(connection, asked.stack_id),
                action=asked.action,
                status=states.Status.FAILED,
                status_reason=reason,
            )
            if asked.superseded_by is None:
                self._tell_abort(connection, subject, asked, now)
                stacks.update(
                    connection,
                    subject.id,
                    action=subject.action,
                    status=subject.status,
                    status_reason=reason,
                )
            operations.update(
                connection,
                asked.id,
                held.number,
                state=states.OperationState.FAILED
                if asked.superseded_by is None
                else states.OperationState.SUPERSEDED,
                reason=reason,
                finished_at=now,
            )

        self._database.run(work)

    @staticmethod
    def _tell_abort(
        connection: db_engine.Connection,
        subject: stack.Stack,
        asked: operation.Operation,
        now: clock.Timestamp,
    ) -> None:
        """Fail what is under way with the stack, and tell of both."""
        told = recorder.Recorder(submit.newest(connection, subject.id), asked)
        failed = [
            notes.interrupted(row, subject.status_reason, now)
            for row in resources.list_(connection, subject.id)
            if row.status is states.Status.IN_PROGRESS
        ]
        for row in failed:
            told.record_resource(
                row, row.action, row.status, row.status_reason, now
            )
        told.record_stack(subject, now)
        facts = told.take()
        resources.save_many(connection, failed)
        events.insert_many(connection, facts.events)
        outbox.insert_many(connection, facts.notifications)


def _is_told(asked: operation.Operation, newest: event.Event | None) -> bool:
    """Answer whether the beginning of the operation stands in the events."""
    return bool(asked.options.get(submit.ANNOUNCED)) or (
        newest is not None and newest.operation_id == asked.id
    )


def _reason(error: Exception) -> str:
    """Return what users may know of the error; the log has all of it.

    The text of an error that is not ours may hold statements and values.
    """
    if isinstance(error, errors.OrchError):
        return f"{type(error).__name__}: {error.message}"
    return "The engine failed; its log says why."
