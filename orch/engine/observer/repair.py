"""Repair drifted resources by ordinary updates.

Such an update is accepted as a client's is, with the template that the stack
has, and with the context of the last caller who changed the stack. It
converges on the observed state, and repairs the resources that policies name.
"""

import collections.abc
import logging
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import drift_pauses
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.db.repositories import watches
from orch.engine import dependencies
from orch.engine.acceptance import last_requester
from orch.engine.observer import repair_policy
from orch.engine.observer import scan
from orch.engine.stacks import update
from orch.events import drifts
from orch.flow.state import restoration
from orch.model import operation
from orch.model import repair
from orch.model import stack
from orch.model import states
from orch.rpc import contract

LOG = logging.getLogger(__name__)

Summaries = collections.abc.Mapping[ids.StackId, scan.Summary]

_OPTIONS: typing.Final = contract.StackOptions(existing=True, converge=True)
_DECIDED = frozenset(
    {states.OperationState.COMPLETE, states.OperationState.FAILED}
)
_DECIDING = frozenset(states.Action) - {states.Action.CHECK}
_RESTING = frozenset({states.Action.SUSPEND, states.Action.DELETE})


class Repairer:
    """Submits repairs as updates; limits those of one project at a time."""

    def __init__(
        self,
        deps: dependencies.Dependencies,
        policy: repair_policy.RepairPolicy,
    ) -> None:
        """Submit nothing yet."""
        self._deps = deps
        self._policy = policy
        self._open_updates: dict[str, set[ids.OperationId]] = {}

    def repair(self, project_id: str, summaries: Summaries) -> None:
        """Submit the repairs of trees of one project.

        Threads may call it for different projects, never two for one. A
        repair that cannot be submitted now is retried at the next scan.
        """
        may_repair = self._deps.database.run(
            lambda connection: self._may_repair(
                connection, project_id, summaries.values()
            )
        )
        if not may_repair:
            self._deps.notify()
            return
        for summary in summaries.values():
            if not summary.repairs or not summary.is_written:
                continue
            try:
                self._repair(summary)
            except errors.OrchError as error:
                LOG.warning(
                    "stack %s is not repaired now: %s",
                    summary.root_id,
                    error,
                )
            except Exception:
                LOG.exception("stack %s is not repaired", summary.root_id)

    def _may_repair(
        self,
        connection: db_engine.Connection,
        project_id: str,
        summaries: collections.abc.Collection[scan.Summary],
    ) -> bool:
        """Whether repairs of a project may be submitted; stop or allow them.

        A service that has lost its data, or answers for another cloud, would
        get all of a project a second time. Repairs go on once a later look
        finds enough of it, or a user says so.

        :param summaries: of trees of this project
        """
        pause = drift_pauses.find(connection, project_id)
        if pause.paused_at is not None:
            return False
        resumed_at = pause.resumed_at or 0.0
        moments = [
            each
            for summary in summaries
            for each in summary.vanished.values()
            if each > resumed_at
        ]
        if pause.stopped_at is not None:
            moments.append(pause.stopped_at)
        if not moments:
            return True
        since = max(min(moments) - self._policy.vanished_window_s, resumed_at)
        vanished, observed = observations.count_vanished(
            connection, project_id, clock.Timestamp(since)
        )
        if not self._policy.is_exceeded(vanished, observed):
            if pause.stopped_at is not None:
                drift_pauses.allow_repairs(connection, project_id)
            return True
        if drift_pauses.stop_repairs(connection, project_id):
            reason = (
                f"Repairs of the project are stopped: {vanished} of"
                f" {observed} physical resources have vanished at once, this"
                " one too; they go on once enough are found again, or by orch"
                " drift resume"
            )
            LOG.warning("project %s: %s", project_id, reason)
            for each in sorted(summaries, key=lambda one: one.root_id):
                self._record_stop(connection, each, reason)
        return False

    def _record_stop(
        self,
        connection: db_engine.Connection,
        summary: scan.Summary,
        reason: str,
    ) -> None:
        """Store an event and a notification that a tree is not repaired."""
        if not summary.vanished:
            return
        root = stacks.lock(connection, summary.root_id)
        if operations.find_open(connection, root.id):
            return
        tree = [each.id for each in stacks.list_tree(connection, root.id)]
        self._deps.records.record(
            connection,
            root,
            [
                drifts.Change(
                    kind=drifts.Kind.REPAIRS_STOPPED,
                    row=row,
                    path=summary.paths.get(row.id, row.name),
                    reason=reason,
                )
                for row in sorted(
                    resources.list_of_stacks(connection, tree),
                    key=lambda each: each.name,
                )
                if row.id in summary.vanished
            ],
            summary.observed_at,
        )

    def _repair(self, summary: scan.Summary) -> None:
        found = self._deps.database.run(
            lambda connection: self._due(connection, summary)
        )
        if found is None:
            return
        stack, ctxt, tries = found
        if not self._has_free_slot(stack.project_id):
            return
        paths = {
            summary.paths[each]
            for each in summary.repairs
            if each in summary.paths
        }
        accepted = update.accept_update(
            self._deps,
            ctxt,
            update.read_request(
                self._deps,
                ctxt,
                stack.id,
                contract.StackInputs(),
                _OPTIONS,
            ),
            _OPTIONS,
            {
                **repair.Repair(summary.repairs).to_options(),
                repair.PATHS: sorted(paths),
                repair.TRIES: tries,
            },
        )
        if accepted is None:
            return
        # What drifts meanwhile is not to wait for half a period.
        pause_s = self._policy.pause_s(tries)
        self._deps.database.run(
            lambda connection: watches.bring_forward(
                connection, stack.id, pause_s
            )
        )
        operation_id = ids.OperationId(accepted["operation_id"])
        self._open_updates.setdefault(stack.project_id, set()).add(
            operation_id
        )
        LOG.info(
            "stack %s is repaired: %d resources have drifted (operation %s,"
            " try %d)",
            stack.id,
            len(summary.repairs),
            operation_id,
            tries,
        )
        self._deps.conductor.wake(operation_id)

    def _due(
        self, connection: db_engine.Connection, summary: scan.Summary
    ) -> tuple[stack.Stack, request.RequestContext, int] | None:
        """Return the stack to repair now, and which try it is.

        :returns: the stack, the context of the repair, and the try; ``None``
            where it is not to be repaired now
        """
        stack = stacks.find(connection, summary.root_id)
        if stack is None:
            return None
        in_force = restoration.stack_in_force(connection, stack)
        if (
            in_force.deleted_at is not None
            or in_force.status is states.Status.IN_PROGRESS
            or in_force.action in _RESTING
        ):
            return None
        last = find_decisive(connection, stack)
        if last is None:
            return None
        tries = tries_of(last)
        if last.options.get(restoration.SET_ASIDE) and not tries:
            # It did nothing: what was before it decides.
            if in_force.status is states.Status.FAILED:
                return None
        elif last.action in _RESTING:
            return None
        elif last.state is states.OperationState.FAILED and not tries:
            # A user's operation has failed: the user decides how to go on.
            return None
        if tries and self._is_new(connection, summary, last):
            tries = 0
        if tries:
            ends_at = (last.finished_at or 0.0) + self._policy.pause_s(tries)
            left_s = ends_at - functions.read_clock(connection)
            if left_s > 0:
                watches.bring_forward(connection, stack.id, left_s)
                return None
        ctxt = last_requester.repair_context(connection, stack, last)
        return stack, ctxt, tries + 1

    @staticmethod
    def _is_new(
        connection: db_engine.Connection,
        summary: scan.Summary,
        last: operation.Operation,
    ) -> bool:
        """Whether a resource has drifted since it was repaired.

        Where a repair has failed, drift observed since is what it left, or its
        rollback.
        """
        return (
            last.state is states.OperationState.COMPLETE
            and last.action is not states.Action.ROLLBACK
            and any(
                (each.drifted_at or 0.0) > (last.finished_at or 0.0)
                for each in observations.list_tree(connection, summary.root_id)
                if each.resource_id in summary.repairs
            )
        )

    def _has_free_slot(self, project_id: str) -> bool:
        """Whether another repair of the project may be submitted."""
        known = self._open_updates.get(project_id, ())
        open_updates = self._deps.database.query(
            lambda connection: {
                each.id
                for each in operations.list_some(connection, known)
                if each.state in states.OPEN_STATES
            }
        )
        self._open_updates.pop(project_id, None)
        if open_updates:
            self._open_updates[project_id] = open_updates
        return len(open_updates) < self._policy.max_concurrent


def find_decisive(
    connection: db_engine.Connection, stack: stack.Stack
) -> operation.Operation | None:
    """Return the operation that says whether a stack may be repaired.

    It is the last one; but a check changes nothing, whatever it has found.

    :returns: ``None`` where the stack has no operation, or its row is gone
    """
    if stack.operation_id is None:
        return None
    last = operations.find(connection, stack.operation_id)
    if last is None or last.action is not states.Action.CHECK:
        return last
    return operations.find_newest(connection, stack.id, _DECIDING, _DECIDED)


def tries_of(last: operation.Operation) -> int:
    """Return the try number of a repair; 0 for any other operation.

    The rollback of a repair counts as the repair.
    """
    found = last.options.get(repair.TRIES)
    return found if isinstance(found, int) else 0
