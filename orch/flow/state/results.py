"""The results of the changes of a running operation, and their count."""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.events import recorder
from orch.flow.state import departures
from orch.flow.state import desired
from orch.flow.state import row_table
from orch.flow.state import transitions
from orch.graph import graph
from orch.metrics import catalogue
from orch.model import leftover
from orch.model import operation
from orch.model import resource
from orch.model import retry_exclusions
from orch.model import states
from orch.model import step
from orch.planner import plan
from orch.plugin import registry
from orch.template.environment import registry as type_registry

NO_RESOURCE: typing.Final = "none"
"""In place of the type, for a step without a resource."""

_TEMPLATE: typing.Final = "template"
"""In place of a type that is a template: people give those any names."""


def count_step(plugin_type: str, kind: plan.Kind, outcome: str) -> None:
    """Count a step that has ended.

    :param plugin_type: the type that serves its resource
    """
    if type_registry.is_template(plugin_type):
        plugin_type = _TEMPLATE
    catalogue.RESOURCE_STEPS.count(plugin_type, kind.value, outcome)


UNNEEDED: typing.Final = "UNNEEDED"
"""State of a step that the run found needless."""

BEGUN: typing.Final = states.Status.IN_PROGRESS.value
COMPLETE: typing.Final = states.Status.COMPLETE.value
FAILED: typing.Final = states.Status.FAILED.value

_NOT_NOW = 1
"""Rank of failures of an earlier attempt, and of interruptions."""

Acting = collections.abc.Callable[[plan.Change], plan.Change | None]
"""Returns a change as it was resolved; ``None`` for nothing to do."""


class Results:
    """Notes the end of each change in its row, in events and in figures.

    The states of steps that no resource shows are noted, too.

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
        acting: Acting,
        recorder_: recorder.Recorder,
        desired_state: desired.DesiredState,
        types: registry.Types,
        clock_: clock.Clock,
        departures_: departures.Departures,
    ) -> None:
        """Start without any result."""
        self.total = 0
        self.done = 0
        self.failed: list[ids.ResourceId] = []
        self.refused: list[resource.Resource] = []
        self.cut_short: list[ids.StackId] = []
        self._operation = operation
        self._rows = rows
        self._acting = acting
        self._recorder = recorder_
        self._desired_state = desired_state
        self._types = types
        self._clock = clock_
        self._departures = departures_
        self._steps: dict[tuple[ids.ResourceId, str], str] = {}

    def begin(self, planned: plan.Plan) -> None:
        """Count the changes of the plan.

        Changes that an earlier attempt completed, and skipped ones, count as
        done; so do those that left no trace in the plan, as deletions do.
        """
        left = sum(
            each.kind is not plan.Kind.CLEAN_UP for each in planned.changes
        )
        planned_total = len(planned.unchanged) + len(planned.skipped) + left
        self.total = max(planned_total, self._operation.total)
        self.done = self.total - left

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

    def note_step(
        self, change: plan.Change, acting: plan.Change | None, state: str
    ) -> None:
        """Note the state of a step, unless its resource shows it.

        :param acting: what it turned out to be; ``None`` for nothing
        """
        if change.kind is plan.Kind.CLEAN_UP:
            return
        if acting is None and state == COMPLETE:
            state = UNNEEDED
        elif acting is change and change.kind in transitions.ACTIONS:
            return
        self._steps[change.resource_id, change.kind.value] = state

    def take_back_step(self, change: plan.Change) -> None:
        """Note that a step has not begun after all."""
        key = change.resource_id, change.kind.value
        if key in self._steps or change.kind not in transitions.ACTIONS:
            self._steps[key] = step.WAITING

    def take_steps(self) -> list[step.Noted]:
        """Return, once, the states of steps to be written."""
        taken, self._steps = self._steps, {}
        return [
            step.Noted(kind, resource_id, state)
            for (resource_id, kind), state in taken.items()
        ]

    def note_complete(
        self, change: plan.Change, result: collections.abc.Mapping[str, object]
    ) -> None:
        """Record the result of a complete change.

        :param result: :meth:`orch.flow.tasks.base.Step.to_result`
        """
        if change.kind is plan.Kind.CLEAN_UP:
            return
        result = dict(result)
        cause = result.pop(departures.RESULT, None)
        acting = self._acting(change)
        self.note_step(change, acting, COMPLETE)
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
        self._recorder.record_resource(self._rows[row.id], now)
        if cause is not None:
            reason = self._rows[row.id].status_reason
            self._departures.note(row, leftover.Cause(str(cause)), reason)
        if acting.kind is plan.Kind.ADOPT and row.adopted_by is not None:
            self._departures.note_adopted(self._rows[row.id])

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
        acting = self._acting(change)
        self.note_step(change, acting, FAILED)
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
        self._recorder.record_resource(self._rows[row.id], now)

    def note_useless(
        self, change: plan.Change, reason: str, *, is_gone: bool
    ) -> None:
        """Record that what an earlier creation has left is to be removed.

        The next plan then creates another one.

        :param is_gone: there is nothing to remove
        """
        now = self._clock.now()
        row = self._rows[change.resource_id]
        self.note_step(change, self._acting(change), FAILED)
        self._count(change, change, "failed")
        failed = dataclasses.replace(
            row, status=states.Status.FAILED, status_reason=reason
        )
        self._recorder.record_resource(failed, now)
        self.failed.append(row.id)
        columns = transitions.useless_columns(row, is_gone, now)
        self._rows.put(row.id, operation_id=self._operation.id, **columns)
        self._recorder.record_resource(self._rows[row.id], now)

    def note_returned(self, change: plan.Change, reason: str) -> None:
        """Record that a vanished physical resource is left in place.

        The next plan then goes by what it is now. Where that says once more
        that it has vanished, and it has not, the change is refused.

        :param reason: for people
        """
        now = self._clock.now()
        row = self._rows[change.resource_id]
        is_repeated = row.status_reason == transitions.VANISHED_AGAIN
        self.note_step(change, self._acting(change), FAILED)
        self._rows.put(row.id, **transitions.returned_columns(reason, now))
        if is_repeated:
            self.note_refused(change, reason, "ResourceUnstable")
            return
        self._count(change, change, "failed")
        self._recorder.record_resource(self._rows[row.id], now)

    def note_refused(
        self, change: plan.Change, reason: str, shown_as: str
    ) -> None:
        """Record why a change is not allowed; its resource is unchanged.

        :param reason: for people; the name of the resource is added
        :param shown_as: the kind of failure that users read
        """
        now = self._clock.now()
        self._count(change, self._acting(change), "refused")
        row = self._rows.take_back(change.resource_id)
        action = transitions.ACTIONS.get(change.kind, states.Action.UPDATE)
        self._recorder.record_resource(
            dataclasses.replace(
                row,
                action=action,
                status=states.Status.FAILED,
                status_reason=reason,
            ),
            now,
        )
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
            self._recorder.record_resource(self._rows[row.id], now)

    @property
    def has_tried_all(self) -> bool:
        """Whether each change has ended, complete or failed."""
        return self.done + len(self.failed) >= self.total

    @property
    def refused_ids(self) -> frozenset[ids.ResourceId]:
        """The incarnations whose changes were refused."""
        return frozenset(row.id for row in self.refused)

    def list_failures(self) -> tuple[dict[str, object], ...]:
        """Return the failures of the operation, root causes first.

        A failed resource that depends on another failed one is taken for its
        consequence; in a deletion it is the other way round. Resources that
        this attempt did not retry come last.
        """
        skip = retry_exclusions.RetryExclusions.of(
            self._operation.options
        ).skip
        rows = tuple(self._rows.values())
        failed = [
            row
            for row in (*rows, *self.refused)
            if row.status is states.Status.FAILED
            and row.operation_id == self._operation.id
            and row.name not in skip
        ]
        if len(failed) > 1:
            places = {row_id: n for n, row_id in enumerate(self.failed)}
            depths = _depths(rows, {row.id for row in failed})

            def rank(row: resource.Resource) -> tuple[int, int, float]:
                if row.id not in places:
                    return _NOT_NOW, depths.get(row.id, 0), row.updated_at
                return 0, depths.get(row.id, 0), places[row.id]

            failed.sort(key=rank)
        return tuple(_failure(row) for row in failed)

    def _count(
        self, change: plan.Change, acting: plan.Change | None, outcome: str
    ) -> None:
        """Count a step as the kind that it was resolved to."""
        if not catalogue.RESOURCE_STEPS.is_collected:
            return
        kind = (acting or change).kind
        type_name = NO_RESOURCE
        if change.kind is not plan.Kind.FORGET:
            row = self._rows[(acting or change).resource_id]
            type_name = row.plugin_type
        if acting is None and outcome == "complete":
            outcome = "unneeded"
        count_step(type_name, kind, outcome)

    def _is_nested_stack(self, row: resource.Resource) -> bool:
        try:
            return self._types.get(row.plugin_type).is_nested_stack
        except errors.NotFound:
            return False


def _depths(
    rows: collections.abc.Iterable[resource.Resource],
    failed: collections.abc.Set[ids.ResourceId],
) -> dict[ids.ResourceId, int]:
    """Return the length of the chain of failures before each resource."""
    order_of = _graph(rows)
    depths: dict[ids.ResourceId, int] = {}
    for row_id in order_of.order():
        depths[row_id] = max(
            (
                depths[each] + (each in failed)
                for each in order_of.requires(row_id)
            ),
            default=0,
        )
    return depths


def _graph(
    rows: collections.abc.Iterable[resource.Resource],
) -> graph.Graph[ids.ResourceId]:
    """Return the graph of resources that have to wait for others."""
    by_name: dict[str, list[resource.Resource]] = {}
    order_of = graph.Graph[ids.ResourceId]()
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
        order_of.add(row.id)
    for row in (each for found in by_name.values() for each in found):
        for name in row.requires:
            for required in by_name.get(name, ()):
                if required.action is states.Action.DELETE:
                    order_of.connect(required.id, row.id)
                else:
                    order_of.connect(row.id, required.id)
    return order_of


def _failure(row: resource.Resource) -> dict[str, object]:
    return {
        "name": row.name,
        "path": f"resources.{row.name}",
        "type": row.type_name,
        "resource_id": row.id,
        "physical_id": row.physical_id,
        "action": row.action,
        "reason": row.status_reason,
    }
