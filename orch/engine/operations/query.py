"""Queries of a stack's operations: progress, expected end and failures."""

import collections.abc
import dataclasses
import hashlib
import statistics
import typing

from orch import clock
from orch import errors as base_errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import lifecycle as stored_lifecycle
from orch.db.repositories import operation_plans
from orch.db.repositories import operations
from orch.engine import dependencies
from orch.engine.execution import saved_plan
from orch.engine.lifecycle import query
from orch.engine.operations import failures
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.flow.state import results
from orch.flow.state import transitions
from orch.model import blocked
from orch.model import event
from orch.model import operation as operation_model
from orch.model import retry_exclusions
from orch.model import stack as stack_model
from orch.model import states
from orch.model import step
from orch.planner import plan
from orch.rpc import contract


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """The progress of one operation, derived from its events.

    :ivar resources: the progress of each resource, in the order of the first
        event
    :ivar newest_events: newest event of each resource and action, in this
        attempt
    :ivar noted: state of each step without events, by resource and kind, in
        this attempt
    """

    resources: collections.abc.Mapping[ids.ResourceId, contract.ProgressFacts]
    newest_events: collections.abc.Mapping[
        tuple[ids.ResourceId, states.Action], event.Event
    ]
    noted: collections.abc.Mapping[tuple[ids.ResourceId, str], str]


def progress_of(
    events: collections.abc.Iterable[event.Event],
    noted: collections.abc.Iterable[step.Noted] = (),
) -> Progress:
    """Return the progress that events of an operation, oldest first, show.

    An event of the stack itself is the beginning of an attempt, or its end;
    signals that came meanwhile say nothing about the operation.

    :param noted: the state of the other steps of this attempt
    """
    resources: dict[ids.ResourceId, contract.ProgressFacts] = {}
    newest_events: dict[tuple[ids.ResourceId, states.Action], event.Event] = {}
    for each in events:
        if each.action is states.Action.SIGNAL:
            continue
        if each.resource_id is not None:
            before = resources.get(each.resource_id)
            resources[each.resource_id] = _progress_after(before, each)
            newest_events[each.resource_id, each.action] = each
        elif each.status is states.Status.IN_PROGRESS:
            newest_events.clear()
    return Progress(
        resources,
        newest_events,
        {(each.resource_id, each.kind): each.state for each in noted},
    )


def list_steps(
    found: collections.abc.Iterable[step.Step],
    operation: operation_model.Operation,
    progress: Progress,
) -> list[contract.StepFacts]:
    """Return the steps of an operation's plan, each with its state."""
    return [
        contract.StepFacts(
            kind=each.kind,
            resource_name=each.name,
            state=_state(each, operation, progress),
        )
        for each in found
    ]


def _state(
    each: step.Step, operation: operation_model.Operation, progress: Progress
) -> str:
    is_over = operation.state is states.OperationState.COMPLETE
    found = progress.noted.get((each.resource_id, each.kind))
    if found is None:
        action = transitions.ACTIONS.get(plan.Kind(each.kind))
        newest = action and progress.newest_events.get(
            (each.resource_id, action)
        )
        found = newest.status.value if newest else step.WAITING
    if found == step.WAITING and is_over:
        return results.UNNEEDED
    is_open = operation.state in states.OPEN_STATES
    if found == results.BEGUN and not is_open:
        # The operation has ended without it.
        return step.WAITING
    return found


def _progress_after(
    before: contract.ProgressFacts | None, newest: event.Event
) -> contract.ProgressFacts:
    begins = newest.status is states.Status.IN_PROGRESS
    started_at: clock.Timestamp | float | None = newest.created_at
    if not begins:
        started_at = before["started_at"] if before else None
    return contract.ProgressFacts(
        name=newest.resource_name,
        type_name=newest.resource_type,
        action=newest.action.value,
        status=newest.status.value,
        reason=newest.reason,
        started_at=started_at,
        finished_at=None if begins else newest.created_at,
    )


_LOOKED_AT: typing.Final = 5

Sizes = collections.abc.Mapping[
    ids.OperationId, collections.abc.Mapping[int, int]
]


@dataclasses.dataclass(frozen=True, slots=True)
class OperationHistory:
    """The history of one stack's operations, to estimate their end.

    :ivar operations: all of them, the oldest first
    :ivar sizes: the number of steps of each attempt, by operation
    """

    operations: collections.abc.Sequence[operation_model.Operation]
    sizes: Sizes

    def find_end(
        self, operation: operation_model.Operation, now: clock.Timestamp
    ) -> clock.Timestamp | None:
        """Return the expected end of an operation.

        Completed operations of the same action show how long a step takes. An
        operation that takes longer than they did is expected to need that time
        for each step that is left; one that is blocked until a moment needs it
        from then on.

        :returns: ``None`` when it cannot be estimated, when the operation is
            not in progress, or when it waits for an approval
        """
        is_blocked = operation.state is states.OperationState.BLOCKED
        if operation.state not in states.OPEN_STATES:
            return None
        if is_blocked and operation.next_try_at is None:
            return None
        pace = self._pace(operation.action)
        size = self._size(operation)
        if pace is None or size is None:
            return None
        left_s = pace * (operation.total - operation.done)
        if is_blocked and operation.next_try_at is not None:
            return clock.Timestamp(max(operation.next_try_at, now) + left_s)
        begun = (
            operation.started_at if operation.started_at is not None else now
        )
        usual = begun + pace * size
        if usual > now:
            return clock.Timestamp(usual)
        return clock.Timestamp(now + left_s)

    def _pace(self, action: states.Action) -> float | None:
        """Return the seconds that a step usually took."""
        paces = []
        for each in reversed(self.operations):
            size = self._size(each)
            if each.action is not action or not size:
                continue
            if each.state is not states.OperationState.COMPLETE:
                continue
            if each.started_at is None or each.finished_at is None:
                continue
            paces.append((each.finished_at - each.started_at) / size)
            if len(paces) == _LOOKED_AT:
                break
        return statistics.median(paces) if paces else None

    def _size(self, operation: operation_model.Operation) -> int | None:
        return self.sizes.get(operation.id, {}).get(operation.attempt)


def list_operations(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> list[contract.OperationFacts]:
    """Return the operations of a stack, the newest first.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[stack_model.Stack, OperationHistory, query.RunsOf]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        return (
            stack,
            _history(connection, stack.id),
            query.runs_of(connection, stack.id),
        )

    stack, history, runs_of = deps.database.query(work)
    now = deps.clock.now()
    return [
        _facts(_shown(each, stack), history, now, runs_of.get(each.id, ()))
        for each in reversed(history.operations)
    ]


def show_operation(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    operation_id: str,
) -> contract.OperationFacts:
    """Return one operation of a stack, step by step.

    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such operation
    """
    now = deps.clock.now()

    def work(connection: db_engine.Connection) -> contract.OperationFacts:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        operation = _find(connection, operation_id)
        if operation is None or operation.stack_id != stack.id:
            raise errors.OperationNotFound(
                f"The Operation ({operation_id[:255]}) could not be found."
            )
        shown = _shown(operation, stack)
        planned = operation_plans.find(connection, operation.id)
        done = progress_of(
            events.list_of_operation(connection, stack.id, operation.id),
            operation_plans.list_steps(
                connection, operation.id, operation.attempt
            ),
        )
        return {
            **_facts(
                shown,
                _history(connection, stack.id),
                now,
                stored_lifecycle.list_(connection, operation.id),
            ),
            "resources": list(done.resources.values()),
            "failed_resources": failures.list_failures(
                deps, connection, stack, operation
            ),
            "child_holds": query.list_child_holds(connection, stack)
            if operation.state in states.OPEN_STATES
            else [],
            "steps": None
            if planned is None
            else list_steps(planned, shown, done),
        }

    return deps.database.query(work)


def _shown(
    found: operation_model.Operation, stack: stack_model.Stack
) -> operation_model.Operation:
    """Return an operation that shows what its child stacks wait for."""
    waits = blocked.Blocked.of(stack.blocked)
    if (
        not waits
        or found.id != stack.operation_id
        or found.state is not states.OperationState.RUNNING
    ):
        return found
    return dataclasses.replace(
        found, reason=waits.reason, next_try_at=waits.next_try_at
    )


def _history(
    connection: db_engine.Connection, stack_id: ids.StackId
) -> OperationHistory:
    return OperationHistory(
        operations.list_(connection, stack_id),
        operation_plans.list_sizes(connection, stack_id),
    )


def _find(
    connection: db_engine.Connection, operation_id: str
) -> operation_model.Operation | None:
    if not lookup.is_id(operation_id):
        return None
    try:
        return operations.get(connection, ids.OperationId(operation_id))
    except base_errors.NotFound:
        return None


def _facts(
    found: operation_model.Operation,
    history: OperationHistory,
    now: clock.Timestamp,
    runs: query.Runs,
) -> contract.OperationFacts:
    exclusions = retry_exclusions.RetryExclusions.of(found.options)
    plan_id = found.options.get(saved_plan.PLAN)
    return contract.OperationFacts(
        id=found.id,
        action=found.action.value,
        state=found.state.value,
        attempt=found.attempt,
        attempts=[
            _attempt(each) for each in (*found.attempts, found.this_attempt())
        ],
        reason=found.reason,
        inputs_hash=_inputs_hash(found),
        total=found.total,
        done=found.done,
        failures=[dict(failure) for failure in found.failures],
        skip=sorted(exclusions.skip),
        orphan=sorted(exclusions.orphan),
        replace=sorted(exclusions.replace),
        keep_going=bool(found.options.get("keep_going")),
        plan_id=str(plan_id) if plan_id else None,
        superseded_by=found.superseded_by,
        cause=found.origin.cause,
        requested_by=found.requested_by,
        policy_set_by=found.origin.policy_setter.label,
        worker=found.owner,
        next_try_at=found.next_try_at,
        expected_at=history.find_end(found, now),
        created_at=found.created_at,
        started_at=found.started_at,
        finished_at=found.finished_at,
        lifecycle=query.calls_of(runs),
        hold=query.hold_of(runs, found.attempt),
    )


def _attempt(attempt: operation_model.Attempt) -> contract.AttemptFacts:
    return contract.AttemptFacts(
        number=attempt["number"],
        requested_by=attempt["requested_by"],
        state=attempt["state"],
        reason=attempt["reason"],
        started_at=attempt["started_at"],
        finished_at=attempt["finished_at"],
    )


def _inputs_hash(found: operation_model.Operation) -> str | None:
    """Return one hash of template, environment, parameters and files."""
    if found.template_hash is None or found.environment_hash is None:
        return None
    both = f"{found.template_hash}/{found.environment_hash}"
    return hashlib.sha256(both.encode()).hexdigest()
