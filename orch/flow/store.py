"""The rows of one running operation: read once, written once a tick.

What happens is noted in memory and becomes durable together: the lease
check, the rows, the events, the outbox. Only :meth:`Store.flush` writes,
and only under the fence; an outside call is made after the flush that holds
its intent.
"""

import collections.abc
import dataclasses
import threading

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.events import recorder
from orch.flow import adoptions
from orch.flow import ending as endings
from orch.flow import fence
from orch.flow import hearing
from orch.flow import notes
from orch.flow import parking
from orch.flow import step_notes
from orch.flow import stored_states
from orch.flow import table
from orch.flow import world
from orch.flow import writer
from orch.model import breakpoints
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import signal
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.planner import judge
from orch.planner import plan
from orch.plugin import registry
from orch.plugin import resource


class Store:
    """What one operation knows and has yet to write."""

    def __init__(
        self,
        *,
        writer_: writer.Writer,
        held: fence.Fence,
        clock_: clock.Clock,
        subject: stack.Stack,
        asked: operation.Operation,
        rows: collections.abc.Iterable[model_resource.Resource],
        newest_event: int,
        bound: stored_states.Declared | None,
        types: registry.Types,
        snapshots: collections.abc.Iterable[snapshot.Snapshot] = (),
        documents: adoptions.Documents | None = None,
    ) -> None:
        """Start from what the rows say.

        :param held: the lease that every write is checked against
        :param newest_event: number of the stack's newest event
        :param bound: the template that values are computed from; an
            operation that only removes needs none
        :param snapshots: those of the stack, where the operation needs them
        :param documents: what stacks in the stack are adopted from, by name
            of the resource that holds each
        """
        self.stack = subject
        self.operation = asked
        self._bound = bound
        self.fence = held
        self.recorder = recorder.Recorder(newest_event, asked)
        self.total = 0
        self.done = 0
        self.failed: list[ids.ResourceId] = []
        self.refused: list[model_resource.Resource] = []
        self.cut_short: list[ids.StackId] = []
        self.halt = asked.halt
        self._writer = writer_
        self._clock = clock_
        self._types = types
        self._snapshots = {each.id: each for each in snapshots}
        self.adoptions = adoptions.Adoptions(asked, documents or {})
        self._request = request.RequestContext.from_stored(asked.context)
        self._rows = table.Table(rows)
        # What uncertain changes turned out to be, by key.
        self._turned: dict[str, plan.Change | None] = {}
        # The plan, until it is written: with the first tick.
        self._planned: writer.Planned | None = None
        self._steps = step_notes.StepNotes()
        self._lock = threading.RLock()
        self._world = world.StoredWorld(self)
        self.hearing = hearing.Hearing(
            self._rows, subject, types, self._request
        )

    @property
    def _template(self) -> stored_states.Declared:
        if self._bound is None:
            raise errors.OrchError("this operation has no template")
        return self._bound

    @property
    def declared_count(self) -> int:
        """How many resources the operation is to leave."""
        return len(self._bound.resources) if self._bound else 0

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
        return self._rows.current(name)

    def plugin(self, row: model_resource.Resource) -> resource.Resource:
        """Return the plug-in of the row."""
        return self._types.get(row.plugin_type)

    def context(
        self, row: model_resource.Resource
    ) -> tuple[resource.Resource, resource.Context]:
        """Return the plug-in of the row and what it may know."""
        return self.hearing.context(row)

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the names of the attributes that anybody reads."""
        return self._template.attributes_read(name)

    def check_held(self) -> None:
        """Return only if calls may be made for this operation now."""
        self.fence.check()

    def adopt(self, wanted: plan.Plan) -> None:
        """Give every creation of the plan a row; nothing has begun yet.

        What an earlier attempt has completed counts as done, and what is
        skipped does too. Incarnations that take their places back do so
        here, and orphans are forgotten.
        """
        self.done = len(wanted.unchanged) + len(wanted.skipped)
        self.total = self.done + len(wanted.changes)
        if any(each.kind is plan.Kind.CLEAN_UP for each in wanted.changes):
            self.total -= 1
        self._planned = writer.Planned(self.operation, wanted.steps())
        self._leave_out(wanted)
        for each in wanted.returns:
            # What took its place may be gone already, its row too.
            if each.replaces in self._rows:
                self._rows.put(each.replaces, replaced_by=each.resource_id)
            self._rows.put(each.resource_id, replaced_by=None)
            self._rows.standing[each.name] = each.resource_id
        for change in wanted.changes:
            if change.kind in plan.INSERTING:
                self._insert(change)

    def acting(self, change: plan.Change) -> plan.Change | None:
        """Return what a change turned out to be; ``None`` for nothing."""
        if not self._turned:
            return change
        return self._turned.get(change.key, change)

    def turn(
        self, change: plan.Change, kind: plan.Kind | None
    ) -> plan.Change | None:
        """Know what an uncertain change turned out to be.

        :param kind: ``None`` when nothing is to be done; ``CREATE`` when the
            thing has to be replaced
        :returns: what :meth:`acting` gives from now on
        """
        if kind is None:
            self._turned[change.key] = None
            return None
        turned = dataclasses.replace(change, kind=kind)
        if kind is plan.Kind.CREATE:
            assert change.replacement_id is not None
            turned = dataclasses.replace(
                turned,
                resource_id=change.replacement_id,
                replaces=change.resource_id,
            )
            self._insert(turned)
        self._turned[change.key] = turned
        return turned

    def resolve(self, change: plan.Change) -> None:
        """Compute the properties of a resource about to be made.

        Metadata that came with a thing which is taken over stay.
        """
        metadata = self._template.resolve_metadata(change.name, self._world)
        row = self._rows[change.resource_id]
        self._rows.remember(
            change.resource_id,
            properties=self._template.resolve_properties(
                change.name, self._world
            ),
            metadata=(change.takes_over and row.metadata) or metadata,
        )

    def compare(self, change: plan.Change) -> judge.Comparison:
        """Compute what an update wants, and how that differs from what is.

        What is wanted stands in the row as soon as the change begins.
        """
        row = self._rows[change.resource_id]
        wanted = self._template.resolve_properties(change.name, self._world)
        metadata = self._template.resolve_metadata(change.name, self._world)
        found = judge.compare(self.plugin(row), row, wanted, metadata)
        if found.verdict in (judge.Verdict.MODIFY, judge.Verdict.SAME):
            self._rows.keep_before(row.id)
            self._rows.remember(row.id, wanted=wanted, metadata=metadata)
        return found

    def note_begun(self, change: plan.Change, is_effect_free: bool) -> None:
        """Note the intent: the next calls may change the world."""
        acting = self.acting(change)
        self._steps.note(change, acting, step_notes.BEGUN)
        if acting is None or acting.kind not in notes.ACTIONS:
            return
        now = self._clock.now()
        row = self._rows[acting.resource_id]
        goes_on = notes.is_going_on(acting, row)
        self._rows.keep_before(row.id)
        self._rows.put(
            row.id,
            operation_id=self.operation.id,
            **notes.begun(
                acting,
                row,
                self._terms(row.name),
                is_effect_free=is_effect_free,
                now=now,
            ),
        )
        if not goes_on:
            self._record(row.id, now)

    def take_back(self, change: plan.Change) -> None:
        """Undo the intent of a change whose call was not made after all."""
        acting = self.acting(change)
        self._steps.take_back(change)
        if acting is None or acting.kind not in notes.ACTIONS:
            return
        self._rows.take_back(acting.resource_id)

    def forget_intents(self) -> None:
        """Know that the calls of all intents are made."""
        self._rows.forget_intents()

    def note_made(self, change: plan.Change, made: resource.Made) -> None:
        """Keep the id of a thing that is still in the making."""
        self._rows.put(
            (self.acting(change) or change).resource_id,
            physical_id=made.physical_id,
            data=made.data,
            is_outcome_unknown=False,
        )

    def note_kept(
        self, change: plan.Change, kept: collections.abc.Mapping[str, object]
    ) -> None:
        """Keep what a plug-in tells of a snapshot in the making."""
        self._rows.put(change.resource_id, kept=kept)

    def kept_of(self, snapshot_id: str) -> list[stored_states.Kept]:
        """Return what plug-ins keep of a snapshot of the stack.

        :raises orch.errors.NotFound: no plug-in serves one of the types
        """
        return stored_states.kept_of(
            self._snapshots[snapshot_id],
            self.stack,
            self._types,
            self._request,
        )

    def note_complete(
        self, change: plan.Change, result: collections.abc.Mapping[str, object]
    ) -> None:
        """Keep what a complete change gave.

        :param result: :meth:`orch.flow.tasks.base.Step.to_result`
        """
        if change.kind is plan.Kind.CLEAN_UP:
            return
        self._steps.note(change, self.acting(change), step_notes.COMPLETE)
        self.done += 1
        if change.kind is plan.Kind.FORGET:
            return
        acting = self.acting(change)
        row = self._rows[(acting or change).resource_id]
        terms = self._terms(row.name)
        if acting is None and change.kind in plan.REMOVING:
            return
        if acting is None or acting.kind not in notes.ACTIONS:
            columns = {**result, **notes.settled(row, terms)}
            if columns:
                self._rows.put(row.id, **columns)
            return
        now = self._clock.now()
        self._rows.put(
            row.id, **notes.completed(acting, row, terms, result, now)
        )
        self._record(row.id, now)

    def note_failed(
        self, change: plan.Change, reason: str, is_outcome_unknown: bool
    ) -> None:
        """Keep why a change failed.

        Only the failure of a creation says that nothing was made; after
        that of a removal what was open is open still.

        :param is_outcome_unknown: a call may have made something all the
            same; a check gave no answer
        """
        now = self._clock.now()
        self._steps.note(change, self.acting(change), step_notes.FAILED)
        if change.kind is plan.Kind.FORGET:
            self.refused.append(
                notes.unforgotten(change, self.operation, reason, now)
            )
            return
        row = self._rows[(self.acting(change) or change).resource_id]
        if row.action is states.Action.CREATE:
            is_outcome_unknown = is_outcome_unknown and row.is_outcome_unknown
        elif row.action is not states.Action.CHECK:
            is_outcome_unknown = row.is_outcome_unknown
        self.failed.append(row.id)
        self._rows.put(
            row.id,
            status=states.Status.FAILED,
            status_reason=reason,
            is_outcome_unknown=is_outcome_unknown,
            operation_id=self.operation.id,
            updated_at=now,
        )
        self._record(row.id, now)

    def note_refused(self, change: plan.Change, reason: str) -> None:
        """Keep why a change is not allowed; its resource stays as it is.

        :param reason: for people; the name of the resource is added
        """
        now = self._clock.now()
        row = self._rows.take_back(change.resource_id)
        with self._lock:
            self.recorder.record_resource(
                row, states.Action.UPDATE, states.Status.FAILED, reason, now
            )
        self.failed.append(row.id)
        self.refused.append(notes.refused(row, self.operation, reason, now))

    def put(
        self,
        resource_id: ids.ResourceId,
        *,
        is_told: bool = False,
        **columns: object,
    ) -> None:
        """Change what a row says of an act that is under way.

        :param is_told: an event tells of it
        """
        self._rows.put(resource_id, **columns)
        if is_told:
            self._record(resource_id, self._clock.now())

    def know_hooks(
        self, resource_id: ids.ResourceId, hooks: breakpoints.States
    ) -> None:
        """Know what has become of breakpoints; nothing is written."""
        self._rows.remember(resource_id, hooks=hooks)

    def know_signals(
        self,
        resource_id: ids.ResourceId,
        kept: collections.abc.Mapping[str, object],
    ) -> None:
        """Know what signals have left; nothing is written."""
        self._rows.remember(resource_id, signals=kept)

    def tell(self, resource_id: ids.ResourceId, reason: str) -> None:
        """Record something of a resource whose state stays as it is."""
        row = self._rows[resource_id]
        with self._lock:
            self.recorder.record_resource(
                row, row.action, row.status, reason, self._clock.now()
            )

    def note_interrupted(self, reason: str) -> None:
        """Fail what a lost worker left under way and nobody went on with.

        The operation ends, so nothing of its stack is in progress any more.

        :param reason: why nobody went on
        """
        now = self._clock.now()
        for row in self.rows:
            if row.status is not states.Status.IN_PROGRESS:
                continue
            if self._holds_stack(row):
                self.cut_short.append(ids.StackId(row.id))
            text = f"Interrupted: resources.{row.name}: {reason}"
            self._rows.replace(notes.interrupted(row, text, now))
            self._record(row.id, now)

    def _holds_stack(self, row: model_resource.Resource) -> bool:
        try:
            return self.plugin(row).holds_stack
        except errors.NotFound:
            return False

    def flush(
        self,
        conclude: endings.Conclude | None = None,
        visit: parking.Visit | None = None,
    ) -> None:
        """Write what was noted, in one transaction, under the fence.

        :param conclude: the operation ends with this write
        :param visit: what is written and learnt of what is held
        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        with self._lock:
            dirty = self._rows.take_dirty()
            facts = self.recorder.take()
            planned, self._planned = self._planned, None
            noted = self._steps.take()
        self.halt = self._writer.write(
            dirty,
            facts,
            conclude,
            visit=visit,
            tell_signals=self._tell_signals,
            planned=planned,
            steps=writer.Steps(self.operation, noted) if noted else None,
            total=self.total,
            done=self.done,
        )

    def _tell_signals(
        self, untold: collections.abc.Iterable[signal.Untold]
    ) -> recorder.Facts:
        """Return the events of signals that came while this one runs."""
        with self._lock:
            for each in untold:
                self.recorder.record_signal(each)
            return self.recorder.take()

    def _terms(self, name: str) -> notes.Terms | None:
        declared = self._bound.resources.get(name) if self._bound else None
        return notes.terms_of(declared, self._rows.standing)

    def _insert(self, change: plan.Change) -> None:
        """Give a creation its row, in the place of what it replaces."""
        if change.replaces is not None:
            self._rows.put(change.replaces, replaced_by=change.resource_id)
        if change.resource_id in self._rows:
            return
        replaced = self._rows[change.replaces] if change.replaces else None
        row = notes.inserted(
            change,
            self._template.resources[change.name],
            self.operation,
            self._clock.now(),
            replaced,
        )
        self._rows.insert(row)

    def _leave_out(self, wanted: plan.Plan) -> None:
        now = self._clock.now()
        for row_id, columns in notes.left_out(
            wanted, self._rows, self.operation.id, now
        ):
            self._rows.put(row_id, **columns)
            self._record(row_id, now)

    def _record(
        self, resource_id: ids.ResourceId, now: clock.Timestamp
    ) -> None:
        row = self._rows[resource_id]
        with self._lock:
            self.recorder.record_resource(
                row, row.action, row.status, row.status_reason, now
            )
