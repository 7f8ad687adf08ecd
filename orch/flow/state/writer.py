"""Write an operation's notes: one transaction a tick, under the fence."""

import collections.abc
import dataclasses
import functools
import time
import typing

from oslo_log import log

from orch import errors
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import leases
from orch.db.repositories import leftovers
from orch.db.repositories import operation_plans
from orch.db.repositories import operations
from orch.db.repositories import ownership
from orch.db.repositories import resources
from orch.db.repositories import signals
from orch.db.repositories import snapshots
from orch.db.repositories import software_deployments
from orch.db.repositories import stacks
from orch.db.repositories import watches
from orch.events import deployments
from orch.events import recorder
from orch.flow.state import child_snapshots
from orch.flow.state import claims
from orch.flow.state import conclusion as endings
from orch.flow.state import fence
from orch.flow.state import hooks
from orch.flow.state import parking
from orch.flow.state import readings
from orch.flow.state import restoration
from orch.flow.state import submit
from orch.model import leftover
from orch.model import operation as operation_model
from orch.model import resource as model_resource
from orch.model import stack
from orch.model import states
from orch.model import step
from orch.plugin import registry

LOG = log.getLogger(__name__)

_CANCELLED: typing.Final = "Deployment cancelled."
"""What Heat says of a deployment whose stack waits no longer."""
_FIRST_PAUSE_S = 0.1
_MAX_PAUSE_S = 2.0

Rows = collections.abc.Sequence[model_resource.Resource]
Answer = typing.TypeVar("Answer")
Written = tuple[operation_model.StopReason | None, endings.Conclusion | None]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What one transaction writes of an operation.

    :ivar claims: checks the claims of the rows once more
    :ivar progress: columns of the operation
    :ivar recorder: numbers the events of drift, and of signals that are not
        reported yet
    :ivar conclude: the operation ends with this write
    :ivar side_writes: what is written and read of held changes
    :ivar planned: the steps of its plan, when that is to be written
    :ivar noted: states of steps that no resource shows
    :ivar entry: writes the progress of the hook calls
    :ivar left: resources whose physical resources are left in place
    :ivar adopted: physical resources that the stack has from now on
    :ivar read: what was read of resources whose changes have ended
    :ivar drift: stores that as observations
    :ivar has_tried_all: each change has ended, complete or failed
    """

    rows: Rows
    claims: claims.Claims
    facts: recorder.Facts
    recorder: recorder.Recorder
    operation: operation_model.Operation
    progress: collections.abc.Mapping[str, object]
    conclude: endings.Conclude | None
    side_writes: parking.SideWrites | None
    planned: tuple[step.Step, ...] | None
    noted: collections.abc.Sequence[step.Noted]
    entry: hooks.JournalEntry | None
    left: collections.abc.Sequence[leftover.Departure]
    adopted: collections.abc.Sequence[leftover.Adopted]
    read: collections.abc.Sequence[readings.Reading]
    drift: readings.Readings
    has_tried_all: bool


class Writer:
    """Writes one operation's rows to the database."""

    def __init__(
        self,
        database: db_engine.Database,
        held: fence.Fence,
        ttl_s: float,
        stack: stack.Stack,
    ) -> None:
        """Write for the operation whose lease this is.

        :param ttl_s: for how long each write renews the lease
        """
        self._database = database
        self._fence = held
        self._ttl_s = ttl_s
        self._stack = stack

    def write(self, notes: Notes) -> Written:
        """Write all of it, or nothing.

        While the database gives no answer the write is repeated: no other
        worker can take the lease meanwhile either.

        :returns: why the operation must start nothing more, and how it ended
        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        return self._insist(functools.partial(self._write, notes))

    def write_apart(
        self, work: collections.abc.Callable[[db_engine.Connection], Answer]
    ) -> Answer:
        """Write work of its own under the fence; from any thread.

        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """

        def write(connection: db_engine.Connection) -> Answer:
            leases.touch(
                connection,
                self._fence.operation_id,
                self._fence.number,
                self._ttl_s,
            )
            return work(connection)

        return self._insist(write)

    def confirm_lease(self) -> None:
        """Renew the lease if more than half of its time is over.

        Then its renewal is late: the worker may have stood still, and another
        one may have taken it. It may be called on any thread.

        :raises fence.NotHeld: it is lost, or the database does not say
        """
        if self._fence.is_lost or self._fence.left_s > self._ttl_s / 2:
            return
        held, until = self._fence, self._fence.until_after(self._ttl_s)
        try:
            self._database.run(
                lambda connection: leases.touch(
                    connection, held.operation_id, held.number, self._ttl_s
                )
            )
        except db_errors.LeaseLost as error:
            held.lose()
            raise fence.NotHeld(str(error)) from error
        except db_errors.DatabaseDown as error:
            raise fence.NotHeld(str(error)) from error
        held.renew(until)

    def find_owners(
        self,
        types: registry.Types,
        keys: collections.abc.Iterable[ownership.PhysicalKey],
    ) -> claims.Owners:
        """Return who owns physical resources.

        :raises orch.errors.Outage: the database does not say
        """
        try:
            return self._database.query(
                lambda connection: claims.find_owners(connection, types, keys)
            )
        except db_errors.DatabaseDown as error:
            raise errors.Outage(
                "nothing is adopted or removed while its owner is unknown:"
                f" {error}"
            ) from error

    def _insist(
        self, work: collections.abc.Callable[[db_engine.Connection], Answer]
    ) -> Answer:
        """Return the result of the work; retry while the database is down."""
        pause = _FIRST_PAUSE_S
        while True:
            try:
                return self._database.run(work)
            except db_errors.DatabaseDown as error:
                if self._fence.is_lost:
                    raise db_errors.LeaseLost(
                        "the lease was taken while the database was away"
                    ) from error
                LOG.warning(
                    "operation %s waits: %s", self._fence.operation_id, error
                )
                time.sleep(pause)
                pause = min(2 * pause, _MAX_PAUSE_S)

    def _write(
        self, notes: Notes, connection: db_engine.Connection
    ) -> Written:
        stop_reason = leases.touch(
            connection,
            self._fence.operation_id,
            self._fence.number,
            self._ttl_s,
            **notes.progress,
        )
        if notes.planned is not None:
            operation_plans.save(connection, notes.operation, notes.planned)
        if notes.noted:
            operation_plans.save_steps(
                connection, notes.operation, notes.noted
            )
        facts, side_writes = notes.facts, notes.side_writes
        if notes.conclude is not None or (
            side_writes is not None and side_writes.checks_signals
        ):
            unrecorded = signals.take_unreported(connection, self._stack.id)
            if unrecorded:
                facts = facts.followed_by(
                    notes.recorder.record_signals(unrecorded)
                )
        if notes.read:
            self._save_rows(connection, notes)
            found = notes.recorder.number(
                functools.partial(notes.drift.write, connection, notes.read)
            )
            facts = facts.followed_by(found)
        if notes.conclude is not None:
            conclude = functools.partial(notes.drift.conclude, connection)
            facts = facts.followed_by(notes.recorder.number(conclude))
        ending = notes.conclude(stop_reason) if notes.conclude else None
        if ending is not None:
            facts = facts.followed_by(ending.facts)
            facts = facts.followed_by(self._superseded(connection, ending))
        if notes.left:
            leftovers.save_many(connection, self._stack, notes.left)
        if notes.adopted:
            leftovers.delete_adopted(
                connection, self._stack.project_id, notes.adopted
            )
        if ending is not None and ending.drops_resources:
            leftovers.delete_swept(connection, self._stack.id)
            resources.delete_all(connection, self._stack.id)
            child_snapshots.delete_own(connection, self._stack)
        elif notes.rows and not notes.read:
            self._save_rows(connection, notes)
        facts.store(connection)
        if side_writes is not None:
            side_writes.write(connection, stop_reason)
        if ending is not None:
            is_tree_read = notes.drift.is_root_check and notes.has_tried_all
            if is_tree_read and stop_reason is None:
                watches.set_observed(connection, self._stack.root_id)
            self._end(connection, ending, stop_reason)
        if notes.entry is not None:
            notes.entry(connection, stop_reason, ending)
        return stop_reason, ending

    def _save_rows(
        self, connection: db_engine.Connection, notes: Notes
    ) -> None:
        rows = notes.claims.settle(connection, notes.rows)
        resources.save_many(connection, rows)
        notes.drift.end_removed(connection, rows)

    def _fail_deployments(self, connection: db_engine.Connection) -> None:
        """Fail what servers have not applied; no operation waits for them."""
        failed = software_deployments.fail_open(
            connection, self._stack.id, _CANCELLED
        )
        if failed:
            deployments.store_changes(
                connection, failed, deployments.Kind.UPDATED, {}
            )

    def _superseded(
        self, connection: db_engine.Connection, ending: endings.Conclusion
    ) -> recorder.Facts:
        """Return the facts of the end of an operation that is superseded.

        Only its row has the operation that has superseded it.
        """
        if ending.superseded_facts is not None:
            ended = operations.get(connection, self._fence.operation_id)
            if ended.superseded_by is not None:
                return ending.superseded_facts(ended.superseded_by)
        return recorder.Facts((), ())

    def _end(
        self,
        connection: db_engine.Connection,
        ending: endings.Conclusion,
        stop_reason: operation_model.StopReason | None,
    ) -> None:
        if ending.dropped:
            resources.delete_many(connection, self._stack.id, ending.dropped)
        state = ending.operation_columns.get("state")
        # Servers may still answer an operation that was told to stop: the next
        # one, or the stack elsewhere that adopts it, waits for them.
        if state is states.OperationState.FAILED and stop_reason is None:
            self._fail_deployments(connection)
        for follower in ending.accepted_operations:
            operations.insert(
                connection, follower, timeout_s=self._stack.timeout_s
            )
        for stack_id in ending.cut_short:
            for operation in operations.find_open(connection, stack_id):
                operations.cancel(connection, operation.id)
        if ending.snapshot_columns:
            snapshots.update(
                connection,
                self._fence.operation_id,
                **ending.snapshot_columns,
            )
        if ending.tree_change:
            stacks.add_to_count(
                connection, self._stack.root_id, ending.tree_change
            )
        if ending.stack_columns:
            stacks.update(connection, self._stack.id, **ending.stack_columns)
        if ending.hands_on:
            ended = operations.get(connection, self._fence.operation_id)
            restoration.hand_on(connection, ended)
        operations.update(
            connection,
            self._fence.operation_id,
            self._fence.number,
            **ending.operation_columns,
        )
        if ending.continued is not None:
            submit.accept_continuation(
                connection, self._stack.id, ending.continued
            )
