"""The rows of one running operation: read once, written once a tick.

What happens is noted in memory and becomes durable together: the lease
check, the rows, the events, the outbox. Only :meth:`Store.flush` writes,
and only under the fence; an outside call is made after the flush that holds
its intent.
"""

import collections
import collections.abc
import dataclasses
import typing

from orch import clock
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.events import recorder
from orch.flow.state import adoptions
from orch.flow.state import conclusion as endings
from orch.flow.state import desired
from orch.flow.state import fence
from orch.flow.state import hooks as state_hooks
from orch.flow.state import parking
from orch.flow.state import results
from orch.flow.state import row_table
from orch.flow.state import signal_sources
from orch.flow.state import snapshot_data
from orch.flow.state import template_world
from orch.flow.state import transitions
from orch.flow.state import writer
from orch.model import breakpoints
from orch.model import lifecycle
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import snapshot
from orch.model import stack
from orch.planner import plan
from orch.planner import survey as surveys
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource

Answer = typing.TypeVar("Answer")
Rows = collections.abc.Iterable[model_resource.Resource]
Redact = collections.abc.Callable[[str, Rows], str]


def redact_nothing(text: str, rows: Rows) -> str:
    """Return a text as it is."""
    return text


class Store:
    """The state of one operation, and what of it is not written yet.

    :ivar desired_state: the template's values of each resource
    :ivar results: how the changes ended
    """

    def __init__(
        self,
        *,
        writer_: writer.Writer,
        held: fence.Fence,
        clock_: clock.Clock,
        stack: stack.Stack,
        operation: operation.Operation,
        rows: collections.abc.Iterable[model_resource.Resource],
        newest_event: int,
        parsed_template: snapshot_data.DeclaredStack | None,
        types: registry.Types,
        snapshots: collections.abc.Iterable[snapshot.Snapshot] = (),
        documents: adoptions.Documents | None = None,
        redact: Redact = redact_nothing,
        book: state_hooks.Journal | None = None,
        survey: surveys.Survey | None = None,
        audience: recorder.Audience | None = None,
    ) -> None:
        """Start from the stored rows.

        :param held: the lease that every write is checked against
        :param newest_event: number of the stack's newest event
        :param parsed_template: the template that values are computed from; an
            operation that only removes needs none
        :param snapshots: those of the stack, where the operation needs them
        :param documents: documents that child stacks are adopted from, by
            name of the resource of each
        :param redact: removes sensitive values from a reason; it gets the
            rows, which may have generated values that are not written yet
        :param book: the journal of the hook calls around the operation
        :param survey: the observed state; ``None`` to compare with the rows
        :param audience: who is notified of single resources, if any
        """
        self.book = book
        self._redact = redact
        self.stack = stack
        self.operation = operation
        self.fence = held
        self.stop_reason = operation.stop_reason
        self._writer = writer_
        self._clock = clock_
        self._types = types
        self._snapshots = {each.id: each for each in snapshots}
        self.adoptions = adoptions.Adoptions(operation, documents or {})
        self._request = request.RequestContext.from_stored(operation.context)
        self._rows = row_table.RowTable(rows)
        self._resolved_changes = row_table.ResolvedChanges()
        # The plan, until it is written: with the first tick.
        self._planned: writer.Planned | None = None
        self._steps = row_table.StepNotes()
        self._pending_events = row_table.PendingEvents(
            recorder.Recorder(newest_event, operation, audience)
        )
        self.signal_sources = signal_sources.SignalSources(
            self._rows, stack, types, self._request
        )
        self.desired_state = desired.DesiredState(
            parsed_template,
            self._rows,
            template_world.TemplateWorld(self),
            types,
            survey,
        )
        self.results = results.Results(
            operation,
            self._rows,
            self._resolved_changes,
            self._steps,
            self._pending_events,
            self.desired_state,
            types,
            clock_,
        )

    @property
    def recorder(self) -> recorder.Recorder:
        """The recorder of the events that end the operation."""
        return self._pending_events.recorder

    @property
    def rows(self) -> tuple[model_resource.Resource, ...]:
        """All rows as they are known now."""
        return tuple(self._rows.values())

    def redact(self, text: str) -> str:
        """Return a reason without sensitive values."""
        return self._redact(text, self.rows)

    def statuses(self) -> dict[str, int]:
        """Return the number of resources in each action and status."""
        found = collections.Counter(
            f"{row.action}_{row.status}" for row in self.rows if row.is_current
        )
        return dict(sorted(found.items()))

    def row(self, resource_id: ids.ResourceId) -> model_resource.Resource:
        """Return the row of one incarnation as it is known now."""
        return self._rows[resource_id]

    def current(self, name: str) -> model_resource.Resource:
        """Return the current incarnation of a name.

        :raises orch.errors.NotFound: there is none
        """
        return self._rows.current(name)

    def plugin(self, row: model_resource.Resource) -> resource.Resource:
        """Return the plug-in of the row."""
        return self._types.get(row.plugin_type)

    def context(
        self, row: model_resource.Resource
    ) -> tuple[resource.Resource, call_context.Context]:
        """Return the plug-in of a row, and the context of its calls."""
        plugin, context = self.signal_sources.context(row)
        if plugin.takes_inputs:
            inputs = self.desired_state.inputs(row.name)
            context = dataclasses.replace(context, inputs=inputs)
        decisions = self.book.of(row.name) if self.book else None
        if decisions:
            context = dataclasses.replace(context, decisions=decisions)
        return plugin, context

    def check_held(self) -> None:
        """Raise NotHeld if no call may be made for this operation now."""
        self.fence.check()

    def adopt(self, planned: plan.Plan) -> None:
        """Give every creation of the plan a row; no change starts yet.

        Skipped rows are marked, returning incarnations are current again, and
        orphans are forgotten.
        """
        self.results.begin(planned)
        self._planned = writer.Planned(self.operation, planned.steps())
        self._leave_out(planned)
        for each in planned.returns:
            # What took its place may be gone already, its row too.
            if each.replaces in self._rows:
                self._rows.put(each.replaces, replaced_by=each.resource_id)
            self._rows.put(each.resource_id, replaced_by=None)
            self._rows.current_ids[each.name] = each.resource_id
        for change in planned.changes:
            if change.kind in plan.INSERTING:
                self._insert(change)

    def acting(self, change: plan.Change) -> plan.Change | None:
        """Return the change as it was resolved; ``None`` for nothing to do."""
        return self._resolved_changes.acting(change)

    def resolve_change(
        self, change: plan.Change, kind: plan.Kind | None
    ) -> plan.Change | None:
        """Resolve an uncertain change to what it turned out to be.

        :param kind: ``None`` when nothing is to be done; ``CREATE`` when the
            physical resource has to be replaced
        :returns: what :meth:`acting` gives from now on
        """
        resolved = self._resolved_changes.resolve_change(change, kind)
        if resolved is not None and kind is plan.Kind.CREATE:
            self._insert(resolved)
        return resolved

    def note_begun(self, change: plan.Change, is_effect_free: bool) -> None:
        """Note the intent: the next calls may change the world."""
        acting = self.acting(change)
        self._steps.note(change, acting, row_table.BEGUN)
        if acting is None or acting.kind not in transitions.ACTIONS:
            return
        now = self._clock.now()
        row = self._rows[acting.resource_id]
        has_begun = transitions.has_begun(acting, row)
        self._rows.save_before(row.id)
        self._rows.put(
            row.id,
            operation_id=self.operation.id,
            **transitions.begun_columns(
                acting,
                row,
                self.desired_state.terms(row.name),
                is_effect_free=is_effect_free,
                now=now,
            ),
        )
        if not has_begun:
            self._pending_events.record(self._rows[row.id], now)

    def take_back(self, change: plan.Change) -> None:
        """Undo the intent of a change whose call was not made after all."""
        acting = self.acting(change)
        self._steps.take_back(change)
        if acting is None or acting.kind not in transitions.ACTIONS:
            return
        self._rows.take_back(acting.resource_id)

    def forget_intents(self) -> None:
        """Drop the saved rows of intents: their calls are made."""
        self._rows.forget_intents()

    def record_created(
        self, change: plan.Change, created: call_context.CreateResult
    ) -> None:
        """Record the id of a physical resource that is being created."""
        self._rows.put(
            (self.acting(change) or change).resource_id,
            physical_id=created.physical_id,
            data=created.data,
            is_outcome_unknown=False,
        )

    def record_snapshot_data(
        self, change: plan.Change, kept: collections.abc.Mapping[str, object]
    ) -> None:
        """Record what a plug-in returned of a snapshot in progress."""
        self._rows.put(change.resource_id, snapshot_data=kept)

    def list_snapshot_data(
        self, snapshot_id: str
    ) -> list[snapshot_data.SnapshotData]:
        """Return the data that plug-ins stored of a snapshot of the stack.

        :raises orch.errors.NotFound: no plug-in serves one of the types
        """
        return snapshot_data.list_snapshot_data(
            self._snapshots[snapshot_id],
            self.stack,
            self._types,
            self._request,
        )

    def put(
        self,
        resource_id: ids.ResourceId,
        *,
        has_event: bool = False,
        **columns: object,
    ) -> None:
        """Change columns of a row whose change is in progress.

        :param has_event: an event tells of it
        """
        self._rows.put(resource_id, **columns)
        if has_event:
            self._pending_events.record(
                self._rows[resource_id], self._clock.now()
            )

    def know_hooks(
        self, resource_id: ids.ResourceId, hooks: breakpoints.States
    ) -> None:
        """Take in the states of breakpoints; nothing is written."""
        self._rows.remember(resource_id, hooks=hooks)

    def know_signals(
        self,
        resource_id: ids.ResourceId,
        kept: collections.abc.Mapping[str, object],
    ) -> None:
        """Take in the counts of signals; nothing is written."""
        self._rows.remember(resource_id, signals=kept)

    def record(self, resource_id: ids.ResourceId, reason: str) -> None:
        """Record a remark on a resource, whose state stays unchanged."""
        row = self._rows[resource_id]
        self._pending_events.record_row(row, self._clock.now(), reason)

    def record_breakpoint(
        self, resource_id: ids.ResourceId, hook: tuple[str, str], reason: str
    ) -> None:
        """Record that a resource waits at a breakpoint, or continues.

        :param hook: the name of the breakpoint, and what has become of it
        """
        now = self._clock.now()
        row = self._rows[resource_id]
        self._pending_events.record_breakpoint(
            self.stack, row, hook, now, reason, self.statuses()
        )

    def record_stack(self, reason: str) -> None:
        """Record a remark on the stack, whose state stays unchanged."""
        self._pending_events.record_stack(
            self.stack, self._clock.now(), reason
        )

    def record_approval(self, hold: lifecycle.Hold, reason: str) -> None:
        """Record that the stack waits for an approval, or the answer."""
        now = self._clock.now()
        self._pending_events.record_approval(
            self.stack, hold, now, reason, self.statuses()
        )

    def flush(
        self,
        conclude: endings.Conclude | None = None,
        side_writes: parking.SideWrites | None = None,
    ) -> None:
        """Write what was noted, in one transaction, under the fence.

        :param conclude: the operation ends with this write
        :param side_writes: what is written and read of held changes
        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        dirty = self._rows.take_dirty()
        facts = self._pending_events.take()
        planned, self._planned = self._planned, None
        noted = self._steps.take()
        self.stop_reason = self._writer.write(
            dirty,
            facts,
            conclude,
            side_writes=side_writes,
            record_signals=self._pending_events.record_signals,
            planned=planned,
            steps=writer.Steps(self.operation, noted) if noted else None,
            entry=self.book.take() if self.book else None,
            total=self.results.total,
            done=self.results.done,
        )

    def write_apart(
        self, work: collections.abc.Callable[[db_engine.Connection], Answer]
    ) -> Answer:
        """Write at once, in a transaction of its own, under the fence.

        It may be called on any thread.

        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        return self._writer.write_apart(work)

    def _insert(self, change: plan.Change) -> None:
        """Give a creation its row, current in place of the one it replaces."""
        if change.replaces is not None:
            self._rows.put(change.replaces, replaced_by=change.resource_id)
        if change.resource_id in self._rows:
            return
        replaced = self._rows[change.replaces] if change.replaces else None
        row = transitions.new_row(
            change,
            self.desired_state.declaration(change.name),
            self.operation,
            self._clock.now(),
            replaced,
        )
        self._rows.insert(row)

    def _leave_out(self, planned: plan.Plan) -> None:
        now = self._clock.now()
        for row_id, columns in transitions.omitted_changes(
            planned, self._rows, self.operation.id, now
        ):
            self._rows.put(row_id, **columns)
            self._pending_events.record(self._rows[row_id], now)
