"""Writes what an operation noted: one transaction a tick, under the fence."""

import collections.abc
import dataclasses
import time

from oslo_log import log

from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import events
from orch.db.repositories import leases
from orch.db.repositories import operation_plans
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import resources
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.events import recorder
from orch.flow import ending as endings
from orch.flow import fence
from orch.flow import parking
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import stack
from orch.model import step

LOG = log.getLogger(__name__)

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 2.0

Rows = collections.abc.Sequence[model_resource.Resource]


@dataclasses.dataclass(frozen=True, slots=True)
class Planned:
    """What an attempt of an operation is to do."""

    asked: operation.Operation
    steps: tuple[step.Step, ...]


class Writer:
    """The way of one operation's rows into the database."""

    def __init__(
        self,
        database: db_engine.Database,
        held: fence.Fence,
        ttl_s: float,
        subject: stack.Stack,
    ) -> None:
        """Write for the operation whose lease this is.

        :param ttl_s: for how long each write renews the lease
        """
        self._database = database
        self._fence = held
        self._ttl_s = ttl_s
        self._stack = subject

    def write(
        self,
        rows: Rows,
        facts: recorder.Facts,
        conclude: endings.Conclude | None,
        *,
        visit: parking.Visit | None = None,
        planned: Planned | None = None,
        **progress: object,
    ) -> operation.Halt | None:
        """Write all of it, or nothing.

        While the database gives no answer it is asked again: nobody else can
        take the lease meanwhile either.

        :param conclude: the operation ends with this write
        :param visit: what is written and learnt of what is held
        :param planned: what it is to do, when that is to be written
        :param progress: columns of the operation
        :returns: why the operation has to begin nothing more
        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        pause = _FIRST_PAUSE_S
        while True:
            try:
                return self._database.run(
                    lambda connection: self._write(
                        connection,
                        rows,
                        facts,
                        conclude,
                        visit,
                        planned,
                        progress,
                    )
                )
            except db_errors.DatabaseDown as error:
                if self._fence.is_lost:
                    raise db_errors.LeaseLost(
                        "the lease was taken while the database was away"
                    ) from error
                LOG.warning(
                    "operation %s waits: %s", self._fence.operation_id, error
                )
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)

    def _write(
        self,
        connection: db_engine.Connection,
        rows: Rows,
        facts: recorder.Facts,
        conclude: endings.Conclude | None,
        visit: parking.Visit | None,
        planned: Planned | None,
        progress: collections.abc.Mapping[str, object],
    ) -> operation.Halt | None:
        halt = leases.touch(
            connection,
            self._fence.operation_id,
            self._fence.number,
            self._ttl_s,
            **progress,
        )
        if planned is not None:
            operation_plans.save(connection, planned.asked, planned.steps)
        ending = conclude(halt) if conclude else None
        if ending is not None:
            facts = recorder.Facts(
                facts.events + ending.facts.events,
                facts.notifications + ending.facts.notifications,
            )
        if ending is not None and ending.drops_resources:
            resources.delete_all(connection, self._stack.id)
            snapshots.delete_all(connection, self._stack.id)
        elif rows:
            resources.save_many(connection, rows)
        if facts.events:
            events.insert_many(connection, facts.events)
        if facts.notifications:
            outbox.insert_many(connection, facts.notifications)
        if visit is not None:
            visit.write(connection, halt)
        if ending is not None:
            self._end(connection, ending)
        return halt

    def _end(
        self, connection: db_engine.Connection, ending: endings.Ending
    ) -> None:
        if ending.dropped:
            resources.delete_many(connection, self._stack.id, ending.dropped)
        for follower in ending.followers:
            operations.insert(
                connection, follower, timeout_s=self._stack.timeout_s
            )
        if ending.snapshot_columns:
            snapshots.update(
                connection,
                self._fence.operation_id,
                **ending.snapshot_columns,
            )
        if ending.stack_columns:
            stacks.update(connection, self._stack.id, **ending.stack_columns)
        operations.update(
            connection,
            self._fence.operation_id,
            self._fence.number,
            **ending.operation_columns,
        )
