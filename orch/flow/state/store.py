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
from orch.flow.state import claims
from orch.flow.state import conclusion as endings
from orch.flow.state import contexts
from orch.flow.state import departures
from orch.flow.state import desired
from orch.flow.state import drift_records
from orch.flow.state import fence
from orch.flow.state import hooks as state_hooks
from orch.flow.state import id_scopes
from orch.flow.state import parking
from orch.flow.state import readings
from orch.flow.state import results
from orch.flow.state import row_table
from orch.flow.state import snapshot_data
from orch.flow.state import transitions
from orch.flow.state import writer
from orch.model import adoption
from orch.model import lifecycle
from orch.model import marked
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import snapshot
from orch.model import stack
from orch.model import step
from orch.planner import plan
from orch.planner import survey as surveys
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource
from orch.template import template
from orch.template.resources import declaration

Answer = typing.TypeVar("Answer")
Rows = collections.abc.Iterable[model_resource.Resource]
Redact = collections.abc.Callable[[str, Rows], str]


def redact_nothing(text: str, rows: Rows) -> str:
    """Return a text as it is."""
    return text


class Store:
    """The state of one operation, and what of it is not written yet.

    :ivar book: the journal of the hook calls around the operation, if any
    :ivar rows: all incarnations of the stack's resources, as known now
    :ivar claims: those of the physical resources that it adopts
    :ivar desired_state: the template's values of each resource
    :ivar results: how the changes ended
    :ivar recorder: collects the events of the next write
    :ivar readings: what is read of physical resources
    :ivar documents: what child stacks are adopted from
    :ivar signal_sources: the resources whose signals others wait for
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
        parsed_template: template.Template | None,
        types: registry.Types,
        check_type: declaration.CheckType,
        snapshots: collections.abc.Iterable[snapshot.Snapshot] = (),
        documents: adoption.Documents | None = None,
        redact: Redact = redact_nothing,
        survey: surveys.Survey | None = None,
        audience: recorder.Audience | None = None,
        records: drift_records.DriftRecords | None = None,
    ) -> None:
        """Start from the stored rows.

        :param held: the lease that every write is checked against
        :param newest_event: number of the stack's newest event
        :param parsed_template: the template that values are computed from; an
            operation that only removes needs none
        :param check_type: checks types for who asked for the operation
        :param snapshots: those of the stack, where the operation needs them
        :param documents: documents that child stacks are adopted from, by
            name of the resource of each
        :param redact: removes sensitive values from a reason; it gets the
            rows, which may have generated values that are not written yet
        :param survey: the observed state; ``None`` to compare with the rows
        :param audience: who is notified of single resources, if any
        :param records: stores what it reads; ``None`` where nothing does
        """
        self.book: state_hooks.Journal | None = None
        self._redact = redact
        self.stack = stack
        self.operation = operation
        self.fence = held
        self.stop_reason = operation.stop_reason
        self._writer = writer_
        self.clock = clock_
        self._types = types
        self._check_type = check_type
        self._snapshots = {each.id: each for each in snapshots}
        self.documents = documents or {}
        self._request = request.RequestContext.from_stored(operation.context)
        self.rows = row_table.RowTable(rows)
        self.claims = claims.Claims(
            stack,
            id_scopes.account_of(stack.project_id, self._request),
            types,
            self.rows,
            writer_.find_owners,
        )
        self.recorder = recorder.Recorder(newest_event, operation, audience)
        self.readings = readings.Readings(
            records, stack, operation, types, self.rows
        )
        self.readings.note_survey(survey, clock_.now())
        # The changes that became another kind, or nothing at all.
        self._resolved: dict[str, plan.Change | None] = {}
        # The plan, until it is written: with the first tick.
        self._planned: tuple[step.Step, ...] | None = None
        self.signal_sources = contexts.SignalSources(
            self.rows, stack, types, self._request
        )
        self.desired_state = desired.DesiredState(
            parsed_template, self.rows, self.context, types, survey
        )
        self._departures = departures.Departures(
            operation, types, clock_, self.claims.with_scope
        )
        self.results = results.Results(
            operation,
            self.rows,
            self.acting,
            self.recorder,
            self.desired_state,
            types,
            clock_,
            self._departures,
        )

    def redact(self, text: str) -> str:
        """Return a reason without sensitive values."""
        return self._redact(text, self.rows.values())

    def statuses(self) -> dict[str, int]:
        """Return the number of resources in each action and status."""
        found = collections.Counter(
            f"{row.action}_{row.status}"
            for row in self.rows.values()
            if row.is_current
        )
        return dict(sorted(found.items()))

    def plugin(self, row: model_resource.Resource) -> resource.Resource:
        """Return the plug-in of the row."""
        return self._types.get(row.plugin_type)

    def context(
        self, row: model_resource.Resource
    ) -> tuple[resource.Resource, call_context.Context]:
        """Return the plug-in of a row, and the context of its calls.

        :raises orch.errors.NotFound: no plug-in serves the type
        """
        plugin = self._types.get(row.plugin_type)
        referred = contexts.find_resource(
            self.stack,
            row.acting_properties.get(plugin.refers_to or ""),
            self.rows.values(),
            self._types,
        )
        successor = self.claims.find_successor(row)
        source = self.signal_sources.find(plugin, row)
        context = contexts.build_context(
            self.stack, row, self._request, source, referred, successor
        )
        if plugin.takes_inputs:
            inputs = self.desired_state.inputs(row.name)
            context = dataclasses.replace(context, inputs=inputs)
        decisions = self.book.of(row.name) if self.book else None
        if decisions:
            context = dataclasses.replace(context, decisions=decisions)
        return plugin, context

    def check_held(self) -> None:
        """Raise NotHeld if no call may be made for this operation now.

        It may ask the database, so it is called where calls are made.
        """
        self._writer.confirm_lease()
        self.fence.check()

    def adopt(self, planned: plan.Plan) -> None:
        """Give every creation of the plan a row; no change starts yet.

        Skipped rows are marked, returning incarnations are current again, and
        orphans are forgotten.

        :raises orch.errors.Forbidden: who asks may not have the type of a
            resource; nothing may be written then
        """
        self.results.begin(planned)
        self._planned = planned.steps()
        for orphan in planned.orphans:
            self._departures.note_orphan(self.rows[orphan.resource_id])
        now = self.clock.now()
        for row_id, columns in transitions.omitted_changes(
            planned, self.rows, self.operation.id, now
        ):
            self.rows.put(row_id, **columns)
            self.recorder.record_resource(self.rows[row_id], now)
        for each in planned.returns:
            # What took its place may be gone already, its row too.
            if each.replaces in self.rows:
                self.rows.put(each.replaces, replaced_by=each.resource_id)
            self.rows.put(each.resource_id, replaced_by=None)
            self.rows.current_ids[each.name] = each.resource_id
        for change in planned.changes:
            if change.kind in plan.INSERTING:
                self._insert(change)
            else:
                self._check_renamed(change)

    def acting(self, change: plan.Change) -> plan.Change | None:
        """Return the change as it was resolved; ``None`` for nothing to do."""
        if not self._resolved:
            return change
        return self._resolved.get(change.key, change)

    def resolve_change(
        self, change: plan.Change, kind: plan.Kind | None
    ) -> plan.Change | None:
        """Resolve an uncertain change to what it turned out to be.

        :param kind: ``None`` when nothing is to be done; ``CREATE`` when the
            physical resource has to be replaced
        :returns: what :meth:`acting` gives from now on
        :raises orch.errors.Forbidden: it has to be replaced, and who asks may
            not have its type
        """
        resolved: plan.Change | None = change
        if kind is None:
            resolved = None
        elif kind is plan.Kind.CREATE:
            assert change.replacement_id is not None
            resolved = dataclasses.replace(
                change,
                kind=kind,
                resource_id=change.replacement_id,
                replaces=change.resource_id,
            )
            self._insert(resolved)
        elif kind is not change.kind:
            resolved = dataclasses.replace(change, kind=kind)
        self._resolved[change.key] = resolved
        return resolved

    def note_begun(
        self, change: plan.Change, effects: transitions.Effects
    ) -> None:
        """Note the intent: the next calls may change the world."""
        acting = self.acting(change)
        self.results.note_step(change, acting, results.BEGUN)
        if acting is None or acting.kind not in transitions.ACTIONS:
            return
        now = self.clock.now()
        row = self.rows[acting.resource_id]
        has_begun = transitions.has_begun(acting, row)
        self.rows.save_before(row.id)
        self.rows.put(
            row.id,
            operation_id=self.operation.id,
            **transitions.begun_columns(
                acting, row, self.desired_state.terms(row.name), effects, now
            ),
        )
        if not has_begun:
            self.recorder.record_resource(self.rows[row.id], now)

    def take_back(self, change: plan.Change) -> None:
        """Undo the intent of a change whose call was not made after all."""
        acting = self.acting(change)
        self.results.take_back_step(change)
        if acting is None or acting.kind not in transitions.ACTIONS:
            return
        self.rows.take_back(acting.resource_id)

    def record_created(
        self, change: plan.Change, created: call_context.CreateResult
    ) -> None:
        """Record the id of a physical resource that is being created."""
        self.rows.put(
            (self.acting(change) or change).resource_id,
            physical_id=created.physical_id,
            data=created.data,
            is_outcome_unknown=False,
        )

    def record_released(
        self,
        row: model_resource.Resource,
        released: collections.abc.Mapping[str, object],
    ) -> None:
        """Record properties that an incarnation gives to its replacement."""
        known = marked.merge(row.properties, released)
        self.rows.put(row.id, properties=known)

    def explain(self, change: plan.Change, reason: str) -> None:
        """Record what a change in progress waits for, with one event."""
        row = self.rows[(self.acting(change) or change).resource_id]
        reason = self.redact(reason)
        if row.status_reason != reason:
            self.put(row.id, has_event=True, status_reason=reason)

    def record_snapshot_data(
        self, change: plan.Change, kept: collections.abc.Mapping[str, object]
    ) -> None:
        """Record what a plug-in returned of a snapshot in progress."""
        self.rows.put(change.resource_id, snapshot_data=kept)

    @property
    def earlier_snapshot(self) -> snapshot.Snapshot | None:
        """Return the snapshot as an earlier attempt left it, if any."""
        return self._snapshots.get(self.operation.id)

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
        self.rows.put(resource_id, **columns)
        if has_event:
            self.recorder.record_resource(
                self.rows[resource_id], self.clock.now()
            )

    def record(self, resource_id: ids.ResourceId, reason: str) -> None:
        """Record a remark on a resource, whose state stays unchanged."""
        row = self.rows[resource_id]
        self.recorder.record_remark_of(row, reason, self.clock.now())

    def record_breakpoint(
        self, resource_id: ids.ResourceId, hook: tuple[str, str], reason: str
    ) -> None:
        """Record that a resource waits at a breakpoint, or continues.

        :param hook: the name of the breakpoint, and what has become of it
        """
        self.recorder.record_breakpoint(
            self.stack,
            self.rows[resource_id],
            hook,
            reason,
            self.clock.now(),
            self.statuses(),
        )

    def record_stack(self, reason: str) -> None:
        """Record a remark on the stack, whose state stays unchanged."""
        self.recorder.record_remark(self.stack, reason, self.clock.now())

    def record_approval(self, hold: lifecycle.Hold, reason: str) -> None:
        """Record that the stack waits for an approval, or the answer."""
        self.recorder.record_approval(
            self.stack, hold, reason, self.clock.now(), self.statuses()
        )

    def record_override(self, call: lifecycle.Call, reason: str) -> None:
        """Record that a denial of the operation was overridden."""
        self.recorder.record_override(
            self.stack, call, reason, self.clock.now(), self.statuses()
        )

    def flush(
        self,
        conclude: endings.Conclude | None = None,
        side_writes: parking.SideWrites | None = None,
    ) -> endings.Conclusion | None:
        """Write what was noted, in one transaction, under the fence.

        :param conclude: the operation ends with this write
        :param side_writes: what is written and read of held changes
        :returns: the conclusion that was written, if any
        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        rows = [self.claims.with_scope(row) for row in self.rows.take_dirty()]
        facts = self.recorder.take()
        planned, self._planned = self._planned, None
        left, adopted = self._departures.take()
        notes = writer.Notes(
            rows=rows,
            claims=self.claims,
            recorder=self.recorder,
            facts=facts,
            operation=self.operation,
            progress={"total": self.results.total, "done": self.results.done},
            conclude=conclude,
            side_writes=side_writes,
            planned=planned,
            noted=self.results.take_steps(),
            entry=self.book.take() if self.book else None,
            left=left,
            adopted=adopted,
            read=self.readings.take(),
            drift=self.readings,
            has_tried_all=self.results.has_tried_all,
        )
        self.stop_reason, ended = self._writer.write(notes)
        return ended

    def write_apart(
        self, work: collections.abc.Callable[[db_engine.Connection], Answer]
    ) -> Answer:
        """Write at once, in a transaction of its own, under the fence.

        It may be called on any thread.

        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        return self._writer.write_apart(work)

    def _check_renamed(self, change: plan.Change) -> None:
        """Check the type of a row that is declared as another from now on.

        :raises orch.errors.Forbidden: who asks may not have that type
        """
        terms = self.desired_state.terms(change.name)
        row = self.rows.get(change.resource_id)
        if terms is None or row is None or not terms.renames(row):
            return
        self.desired_state.declaration(change.name).check_types(
            self._check_type
        )

    def _insert(self, change: plan.Change) -> None:
        """Give a creation its row, current in place of the one it replaces.

        One that an earlier attempt left its row is asked about again: others
        may ask for this attempt.

        :raises orch.errors.Forbidden: who asks may not have its type; nothing
            was noted
        """
        declared = self.desired_state.declaration(change.name)
        if change.resource_id in self.rows:
            declared.check_types(self._check_type)
            if change.replaces is not None:
                self.rows.put(change.replaces, replaced_by=change.resource_id)
            return
        row = transitions.new_row(
            change,
            declared,
            self.operation,
            self.clock.now(),
            self._check_type,
            self.rows[change.replaces] if change.replaces else None,
        )
        if change.replaces is not None:
            self.rows.put(change.replaces, replaced_by=change.resource_id)
        self.rows.insert(row)
