"""The rows of one running operation: read once, written once a tick.

What happens is noted in memory and becomes durable together: the lease
check, the rows, the events, the outbox. Only :meth:`Store.flush` writes,
and only under the fence; an outside call is made after the flush that holds
its intent.
"""

import collections.abc
import dataclasses
import threading
import time

from oslo_log import log

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import events
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.events import recorder
from orch.flow import contexts
from orch.flow import fence
from orch.flow import world
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import stack
from orch.model import states
from orch.planner import plan
from orch.plugin import registry
from orch.plugin import resource
from orch.template import declaration as declarations
from orch.template import template

LOG = log.getLogger(__name__)

_STARTED = "state changed"
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 2.0

ACTIONS = {
    plan.Kind.CREATE: states.Action.CREATE,
    plan.Kind.ADOPT: states.Action.ADOPT,
    plan.Kind.DELETE: states.Action.DELETE,
    plan.Kind.RETAIN: states.Action.DELETE,
}


Conclude = collections.abc.Callable[[bool], "Ending"]
"""Says how an operation ends, given whether a newer one has taken over."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an operation ends: written with the last rows, or not at all.

    :ivar stack_columns: what changes of the stack
    :ivar operation_columns: what changes of the operation
    :ivar facts: what there is to tell of it
    :ivar followers: operations that were accepted by this ending
    :ivar drops_resources: nothing of the stack is left
    :ivar dropped: rows whose things are gone
    """

    stack_columns: collections.abc.Mapping[str, object]
    operation_columns: collections.abc.Mapping[str, object]
    facts: recorder.Facts
    followers: tuple[operation.Operation, ...] = ()
    drops_resources: bool = False
    dropped: tuple[ids.ResourceId, ...] = ()


class Store:
    """What one operation knows and has yet to write."""

    def __init__(
        self,
        *,
        database: db_engine.Database,
        held: fence.Fence,
        ttl_s: float,
        clock_: clock.Clock,
        subject: stack.Stack,
        asked: operation.Operation,
        rows: collections.abc.Iterable[model_resource.Resource],
        newest_event: int,
        bound: template.Template | None,
        types: registry.ResourceTypes,
    ) -> None:
        """Start from what the rows say.

        :param held: the lease that every write is checked against
        :param newest_event: number of the stack's newest event
        :param bound: the template that values are computed from; an
            operation that only removes needs none
        """
        self.stack = subject
        self.operation = asked
        self._bound = bound
        self.fence = held
        self.recorder = recorder.Recorder(newest_event, asked)
        self.total = 0
        self.done = 0
        self.is_superseded = asked.superseded_by is not None
        self._database = database
        self._ttl_s = ttl_s
        self._clock = clock_
        self._types = types
        self._request = request.RequestContext.from_stored(asked.context)
        self._rows = {row.id: row for row in rows}
        self._current = {
            row.name: row.id
            for row in self._rows.values()
            if row.replaced_by is None
        }
        self._dirty: dict[ids.ResourceId, None] = {}
        self._before: dict[ids.ResourceId, model_resource.Resource] = {}
        self._lock = threading.RLock()
        self._world = world.StoredWorld(self)

    @property
    def _template(self) -> template.Template:
        if self._bound is None:
            raise errors.OrchError("this operation has no template")
        return self._bound

    @property
    def rows(self) -> tuple[model_resource.Resource, ...]:
        """All rows as they are known now."""
        return tuple(self._rows.values())

    def row(self, resource_id: ids.ResourceId) -> model_resource.Resource:
        """Return what is known of one incarnation now."""
        return self._rows[resource_id]

    def current(self, name: str) -> model_resource.Resource:
        """Return the incarnation that stands for a name.

        :raises orch.errors.NotFound: there is none
        """
        try:
            return self._rows[self._current[name]]
        except KeyError:
            raise errors.NotFound(
                f"the resource {name} does not exist yet"
            ) from None

    def plugin(self, row: model_resource.Resource) -> resource.Resource:
        """Return the plug-in of the row."""
        return self._types.get(row.plugin_type)

    def context(
        self, row: model_resource.Resource
    ) -> tuple[resource.Resource, resource.Context]:
        """Return the plug-in of the row and what it may know."""
        return (
            self._types.get(row.plugin_type),
            contexts.context_of(self.stack, row, self._request),
        )

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the names of the attributes that anybody reads."""
        return self._template.attributes_read(name)

    def check_held(self) -> None:
        """Return only if calls may be made for this operation now."""
        self.fence.check()

    def adopt(self, wanted: plan.Plan) -> None:
        """Give every creation of the plan a row; nothing has begun yet.

        What an earlier attempt has completed counts as done.
        """
        now = self._clock.now()
        self.done = len(wanted.unchanged)
        self.total = self.done + len(wanted.changes)
        for change in wanted.changes:
            if change.kind not in plan.MAKING:
                continue
            if change.replaces is not None:
                self._put(change.replaces, replaced_by=change.resource_id)
            if change.resource_id not in self._rows:
                self._insert(change, now)

    def resolve(self, change: plan.Change) -> None:
        """Compute the properties of a resource about to be made."""
        properties = self._template.resolve_properties(
            change.name, self._world
        )
        metadata = self._template.resolve_metadata(change.name, self._world)
        row = self._rows[change.resource_id]
        with self._lock:
            self._rows[row.id] = dataclasses.replace(
                row, properties=properties, metadata=metadata
            )

    def note_begun(self, change: plan.Change, is_effect_free: bool) -> None:
        """Note the intent: the next calls may change the world.

        A row that is under way already keeps its beginning and attempt.
        """
        now = self._clock.now()
        action = ACTIONS[change.kind]
        row = self._rows[change.resource_id]
        is_creation = change.kind is plan.Kind.CREATE
        goes_on = (
            row.action is action and row.status is states.Status.IN_PROGRESS
        )
        self._before[row.id] = row
        self._put(
            row.id,
            action=action,
            status=states.Status.IN_PROGRESS,
            status_reason=_STARTED,
            attempt=row.attempt + (is_creation and not goes_on),
            is_outcome_unknown=row.is_outcome_unknown
            or (
                is_creation and row.physical_id is None and not is_effect_free
            ),
            started_at=row.started_at if goes_on else now,
            updated_at=now,
            operation_id=self.operation.id,
        )
        if not goes_on:
            self._record(row.id, now)

    def take_back(self, change: plan.Change) -> None:
        """Undo the intent of a change whose call was not made after all."""
        with self._lock:
            self._rows[change.resource_id] = self._before.pop(
                change.resource_id
            )
            self._dirty[change.resource_id] = None

    def forget_intents(self) -> None:
        """Know that the calls of all intents are made."""
        self._before.clear()

    def note_made(
        self, resource_id: ids.ResourceId, made: resource.Made
    ) -> None:
        """Keep the id of a thing that is still in the making."""
        self._put(
            resource_id,
            physical_id=made.physical_id,
            data=made.data,
            is_outcome_unknown=False,
        )

    def note_complete(
        self, change: plan.Change, result: collections.abc.Mapping[str, object]
    ) -> None:
        """Keep what a complete change gave.

        :param result: :meth:`orch.flow.tasks.base.Step.to_result`
        """
        now = self._clock.now()
        if change.kind is plan.Kind.ADOPT:
            # Heat checks what it has taken over; we did both in one.
            result = {**result, "action": states.Action.CHECK}
        self._put(
            change.resource_id,
            status=states.Status.COMPLETE,
            is_outcome_unknown=False,
            updated_at=now,
            **result,
        )
        self.done += 1
        self._record(change.resource_id, now)

    def note_failed(
        self, change: plan.Change, reason: str, is_outcome_unknown: bool
    ) -> None:
        """Keep why a change failed.

        :param is_outcome_unknown: a call may have made something all the same
        """
        now = self._clock.now()
        row = self._rows[change.resource_id]
        self._put(
            row.id,
            status=states.Status.FAILED,
            status_reason=reason,
            is_outcome_unknown=is_outcome_unknown and row.is_outcome_unknown,
            updated_at=now,
        )
        self._record(row.id, now)

    def note_interrupted(self, reason: str) -> None:
        """Fail what a lost worker left under way and nobody went on with.

        The operation ends, so nothing of its stack is in progress any more;
        whether a call made something stays as open as it was.

        :param reason: why nobody went on
        """
        now = self._clock.now()
        for row in self.rows:
            if row.status is not states.Status.IN_PROGRESS:
                continue
            self._put(
                row.id,
                status=states.Status.FAILED,
                status_reason=f"Interrupted: resources.{row.name}: {reason}",
                updated_at=now,
            )
            self._record(row.id, now)

    def flush(self, conclude: Conclude | None = None) -> None:
        """Write what was noted, in one transaction, under the fence.

        While the database gives no answer it is asked again: nobody else can
        take the lease meanwhile either.

        :param conclude: the operation ends with this write
        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        with self._lock:
            dirty = [self._rows[each] for each in self._dirty]
            facts = self.recorder.take()
            self._dirty.clear()
        pause = _FIRST_PAUSE_S
        while True:
            try:
                self._database.run(
                    lambda connection: self._write(
                        connection, dirty, facts, conclude
                    )
                )
                return
            except db_errors.DatabaseDown as error:
                if self.fence.is_lost:
                    raise db_errors.LeaseLost(
                        "the lease was taken while the database was away"
                    ) from error
                LOG.warning("operation %s waits: %s", self.operation.id, error)
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)

    def _write(
        self,
        connection: db_engine.Connection,
        dirty: collections.abc.Sequence[model_resource.Resource],
        facts: recorder.Facts,
        conclude: Conclude | None,
    ) -> None:
        newer = leases.touch(
            connection,
            self.fence.operation_id,
            self.fence.number,
            self._ttl_s,
            total=self.total,
            done=self.done,
        )
        self.is_superseded = newer is not None
        ending = conclude(self.is_superseded) if conclude else None
        if ending is not None:
            facts = recorder.Facts(
                facts.events + ending.facts.events,
                facts.notifications + ending.facts.notifications,
            )
        if ending is not None and ending.drops_resources:
            resources.delete_all(connection, self.stack.id)
        elif dirty:
            resources.save_many(connection, dirty)
        if facts.events:
            events.insert_many(connection, facts.events)
        if facts.notifications:
            outbox.insert_many(connection, facts.notifications)
        if ending is not None:
            self._end(connection, ending)

    def _end(self, connection: db_engine.Connection, ending: Ending) -> None:
        if ending.dropped:
            resources.delete_many(connection, self.stack.id, ending.dropped)
        for follower in ending.followers:
            operations.insert(
                connection, follower, timeout_s=self.stack.timeout_s
            )
        if ending.stack_columns:
            stacks.update(connection, self.stack.id, **ending.stack_columns)
        operations.update(
            connection,
            self.operation.id,
            self.fence.number,
            **ending.operation_columns,
        )

    def _insert(self, change: plan.Change, now: clock.Timestamp) -> None:
        declaration = self._template.resources[change.name]
        row = model_resource.Resource(
            id=change.resource_id,
            stack_id=self.stack.id,
            name=change.name,
            type_name=declaration.declared_type,
            mapped_type=_mapped(declaration),
            requires=declaration.requires,
            deletion_policy=declaration.deletion_policy
            if change.external_id is None
            else "Retain",
            created_at=now,
            updated_at=now,
            operation_id=self.operation.id,
        )
        self._rows[row.id] = row
        self._current[row.name] = row.id
        self._dirty[row.id] = None

    def _put(self, resource_id: ids.ResourceId, **changed: object) -> None:
        with self._lock:
            row = self._rows[resource_id]
            self._rows[resource_id] = dataclasses.replace(
                row,
                **changed,  # type: ignore[arg-type]
            )
            self._dirty[resource_id] = None

    def _record(
        self, resource_id: ids.ResourceId, now: clock.Timestamp
    ) -> None:
        row = self._rows[resource_id]
        with self._lock:
            self.recorder.record_resource(
                row, row.action, row.status, row.status_reason, now
            )


def _mapped(declared: declarations.Declaration) -> str | None:
    if declared.type_name == declared.declared_type:
        return None
    return declared.type_name
