"""The results of the changes of a running operation, and their count."""

import collections.abc

from orch import clock
from orch import errors
from orch import ids
from orch.flow.state import desired
from orch.flow.state import metrics
from orch.flow.state import row_table
from orch.flow.state import transitions
from orch.metrics import catalogue
from orch.model import operation
from orch.model import resource
from orch.model import states
from orch.planner import plan
from orch.plugin import registry


class Results:
    """Notes the end of each change in its row, in events and in figures.

    :ivar total: how many changes the plan has
    :ivar done: how many of them are complete
    :ivar failed: the incarnations whose changes failed, in that order
    :ivar refused: rows that describe refused changes, or those without a row
    :ivar cut_short: the child stacks in progress when the operation ended
        without them
    """

    def __init__(
        self,
        operation: operation.Operation,
        rows: row_table.RowTable,
        resolved: row_table.ResolvedChanges,
        steps: row_table.StepNotes,
        pending_events: row_table.PendingEvents,
        desired_state: desired.DesiredState,
        types: registry.Types,
        clock_: clock.Clock,
    ) -> None:
        """Start without any result."""
        self.total = 0
        self.done = 0
        self.failed: list[ids.ResourceId] = []
        self.refused: list[resource.Resource] = []
        self.cut_short: list[ids.StackId] = []
        self._operation = operation
        self._rows = rows
        self._resolved_changes = resolved
        self._steps = steps
        self._pending_events = pending_events
        self._desired_state = desired_state
        self._types = types
        self._clock = clock_

    def begin(self, planned: plan.Plan) -> None:
        """Count the changes of the plan.

        Changes that an earlier attempt completed, and skipped ones, count as
        done.
        """
        self.done = len(planned.unchanged) + len(planned.skipped)
        self.total = self.done + len(planned.changes)
        if any(each.kind is plan.Kind.CLEAN_UP for each in planned.changes):
            self.total -= 1

    def resume_end(self) -> None:
        """Continue the end that a lost worker began to write."""
        operation = self._operation
        self.total, self.done = operation.total, operation.done
        self.cut_short = [
            ids.StackId(row.id)
            for row in self._rows.values()
            if row.status is states.Status.FAILED
            and row.operation_id == operation.id
            and self._is_nested_stack(row)
        ]

    def note_complete(
        self, change: plan.Change, result: collections.abc.Mapping[str, object]
    ) -> None:
        """Record the result of a complete change.

        :param result: :meth:`orch.flow.tasks.base.Step.to_result`
        """
        if change.kind is plan.Kind.CLEAN_UP:
            return
        acting = self._resolved_changes.acting(change)
        self._steps.note(change, acting, row_table.COMPLETE)
        self._count(change, acting, "complete")
        self.done += 1
        if change.kind is plan.Kind.FORGET:
            return
        row = self._rows[(acting or change).resource_id]
        terms = self._desired_state.terms(row.name)
        if acting is None and change.kind in plan.REMOVING:
            return
        if acting is None or acting.kind not in transitions.ACTIONS:
            columns = {**result, **transitions.settled_columns(row, terms)}
            if columns:
                self._rows.put(row.id, **columns)
            return
        now = self._clock.now()
        self._rows.put(
            row.id,
            **transitions.completed_columns(acting, row, terms, result, now),
        )
        self._pending_events.record(self._rows[row.id], now)

    def note_failed(
        self, change: plan.Change, reason: str, is_outcome_unknown: bool
    ) -> None:
        """Record why a change failed.

        Only the failure of a creation says that nothing was made; after
        that of a removal an unknown outcome is unknown still.

        :param is_outcome_unknown: a call may have made something all the
            same; a check gave no answer
        """
        now = self._clock.now()
        acting = self._resolved_changes.acting(change)
        self._steps.note(change, acting, row_table.FAILED)
        self._count(change, acting, "failed")
        if change.kind is plan.Kind.FORGET:
            self.refused.append(
                transitions.failed_snapshot_deletion(
                    change, self._operation, reason, now
                )
            )
            return
        row = self._rows[(acting or change).resource_id]
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
            operation_id=self._operation.id,
            updated_at=now,
        )
        self._pending_events.record(self._rows[row.id], now)

    def note_refused(
        self, change: plan.Change, reason: str, shown_as: str
    ) -> None:
        """Record why a change is not allowed; its resource is unchanged.

        :param reason: for people; the name of the resource is added
        :param shown_as: the kind of failure that users read
        """
        now = self._clock.now()
        self._count(change, self._resolved_changes.acting(change), "refused")
        row = self._rows.take_back(change.resource_id)
        action = transitions.ACTIONS.get(change.kind, states.Action.UPDATE)
        self._pending_events.record_refusal(row, action, reason, now)
        self.failed.append(row.id)
        self.refused.append(
            transitions.refused_row(
                row,
                self._operation,
                action,
                f"{shown_as}: resources.{row.name}: {reason}",
                now,
            )
        )

    def note_interrupted(self, reason: str) -> None:
        """Fail the changes that a lost worker left in progress.

        The operation ends, so nothing of its stack is in progress any more.

        :param reason: why no worker continued them
        """
        now = self._clock.now()
        for row in tuple(self._rows.values()):
            if row.status is not states.Status.IN_PROGRESS:
                continue
            if self._is_nested_stack(row):
                self.cut_short.append(ids.StackId(row.id))
            text = f"Interrupted: resources.{row.name}: {reason}"
            self._rows.replace(transitions.interrupted_row(row, text, now))
            self._pending_events.record(self._rows[row.id], now)

    def _count(
        self, change: plan.Change, acting: plan.Change | None, outcome: str
    ) -> None:
        """Count a step as the kind that it was resolved to."""
        if not catalogue.RESOURCE_STEPS.is_collected:
            return
        kind = (acting or change).kind
        type_name = metrics.NO_RESOURCE
        if change.kind is not plan.Kind.FORGET:
            row = self._rows[(acting or change).resource_id]
            type_name = row.plugin_type
        if acting is None and outcome == "complete":
            outcome = "unneeded"
        metrics.count_step(type_name, kind, outcome)

    def _is_nested_stack(self, row: resource.Resource) -> bool:
        try:
            return self._types.get(row.plugin_type).is_nested_stack
        except errors.NotFound:
            return False
