"""Decide the conclusion of an operation, and the next state of its stack."""

import dataclasses

from orch import clock
from orch import ids
from orch.engine.execution import rollback as rollbacks
from orch.events import recorder
from orch.flow.state import conclusion
from orch.flow.state import restoration
from orch.flow.state import store
from orch.flow.state import submit
from orch.flow.state import transitions
from orch.flow.tasks import act
from orch.model import adoption
from orch.model import operation as operation_model
from orch.model import retry_exclusions
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.planner import plan

_ROLLED_BACK = frozenset(
    {
        states.Action.CREATE,
        states.Action.UPDATE,
        states.Action.RESTORE,
        states.Action.ADOPT,
    }
)

NO_FACTS = recorder.Facts((), ())


def conclude_operation(
    store: store.Store,
    outcome: conclusion.RunOutcome,
    stop_reason: operation_model.StopReason | None,
    now: clock.Timestamp,
    reason: str | None = None,
) -> conclusion.Conclusion:
    """Return what is written when an operation has finished.

    A superseded operation leaves the stack's state to the newer request. One
    that was cancelled just as it failed is not rolled back.

    :param reason: why it failed, where that was known before
    """
    operation = dataclasses.replace(
        store.operation,
        total=store.results.total,
        done=store.results.done,
        failures=store.results.list_failures(),
        finished_at=now,
    )
    if stop_reason is operation_model.StopReason.SUPERSEDED:
        return conclusion.Conclusion(
            stack_columns={},
            operation_columns=_columns(
                operation, states.OperationState.SUPERSEDED
            ),
            facts=NO_FACTS,
            superseded_facts=lambda newer_id: store.recorder.record_superseded(
                store.stack, now, operation, newer_id, store.statuses()
            ),
            snapshot_columns=_snapshot(
                store, states.Status.FAILED, "Another request cut it short"
            ),
            dropped=_gone(store),
            hands_on=not restoration.has_touched(
                store.operation, store.rows.values()
            ),
        )
    if outcome is conclusion.RunOutcome.COMPLETE:
        return _completed(store, operation, now)
    if stop_reason is operation_model.StopReason.CANCELLED:
        outcome = conclusion.RunOutcome.CANCELLED
    return _failed_ending(
        store,
        operation,
        outcome,
        now,
        reason=reason,
        has_begun=stop_reason is not operation_model.StopReason.CANCELLED,
    )


def reason_of(
    store: store.Store,
    outcome: conclusion.RunOutcome,
    stop_reason: operation_model.StopReason | None,
) -> str:
    """Return the status reason of a stack whose operation ends like this."""
    if stop_reason is operation_model.StopReason.SUPERSEDED:
        return "Another request cut it short"
    operation = dataclasses.replace(
        store.operation, failures=store.results.list_failures()
    )
    if outcome is conclusion.RunOutcome.COMPLETE:
        return _completion(store, operation)
    return _why(operation, outcome)


def stop_operation(
    store: store.Store,
    reason: str | None,
    stop_reason: operation_model.StopReason | None,
    now: clock.Timestamp,
    *,
    has_begun: bool = True,
    outcome: conclusion.RunOutcome = conclusion.RunOutcome.FAILED,
) -> conclusion.Conclusion:
    """Return what is written when an operation cannot start or continue.

    :param reason: why, for people; ``None`` where the outcome says it
    :param has_begun: this attempt may have made changes; otherwise nothing is
        rolled back, and the stack is what it was before an operation of which
        no attempt made any
    """
    if stop_reason is operation_model.StopReason.SUPERSEDED:
        return conclude_operation(
            store, conclusion.RunOutcome.FAILED, stop_reason, now
        )
    if stop_reason is operation_model.StopReason.CANCELLED:
        outcome = conclusion.RunOutcome.CANCELLED
    reason = reason or _why(store.operation, outcome)
    operation = dataclasses.replace(
        store.operation,
        total=store.results.total,
        done=store.results.done,
        failures=(
            _stack_failure(store, reason),
            *store.results.list_failures(),
        ),
        finished_at=now,
    )
    return _failed_ending(
        store, operation, outcome, now, reason=reason, has_begun=has_begun
    )


def _stack_failure(store: store.Store, reason: str) -> dict[str, object]:
    """Return the failure of a whole operation, which is of no resource."""
    return {
        "name": store.stack.name,
        "path": "",
        "type": "",
        "resource_id": None,
        "physical_id": None,
        "action": store.operation.action,
        "reason": reason,
    }


def _completed(
    store: store.Store,
    operation: operation_model.Operation,
    now: clock.Timestamp,
) -> conclusion.Conclusion:
    is_deleted = operation.action is states.Action.DELETE or bool(
        operation.options.get(adoption.ENDS)
    )
    stack = dataclasses.replace(
        store.stack,
        action=operation.action,
        status=states.Status.COMPLETE,
        status_reason=_completion(store, operation),
        deleted_at=now if is_deleted else None,
    )
    counts = {} if is_deleted else store.statuses()
    store.recorder.record_stack(stack, now, operation, statuses=counts)
    accepted_operations: tuple[operation_model.Operation, ...] = ()
    proven = _proven(operation)
    if operation.options.get(adoption.CHECKS):
        accepted_operations = (_check_of(operation, now),)
        stack = submit.started_stack(stack, accepted_operations[0])
        store.recorder.record_stack(
            stack, now, accepted_operations[0], statuses=counts
        )
    count = 0 if is_deleted else _declared(store, operation)
    return conclusion.Conclusion(
        stack_columns={
            **_state_of(stack),
            **proven,
            "resource_count": count,
        },
        tree_change=count - store.stack.resource_count,
        operation_columns=_columns(operation, states.OperationState.COMPLETE),
        accepted_operations=accepted_operations,
        facts=store.recorder.take(),
        snapshot_columns=_snapshot(store, stack.status, stack.status_reason),
        drops_resources=is_deleted,
        dropped=() if is_deleted else _gone(store),
    )


def _completion(
    store: store.Store, operation: operation_model.Operation
) -> str:
    """Return Heat's sentence, and what is not complete all the same."""
    exclusions = retry_exclusions.RetryExclusions.of(operation.options)
    left_out = exclusions.text()
    reason = f"Stack {operation.action} completed"
    reason += f", {left_out}" if left_out else " successfully"
    left_over = _list_left(store, operation)
    if left_over:
        named = retry_exclusions.list_names(left_over)
        reason += f"; left over: {named} (see orch leftover list)"
    if operation.action is not states.Action.CHECK:
        reason += adoption.describe_unused(operation.options)
        return reason + adoption.describe_hand_over(operation.options)
    checked = [
        row for row in store.rows.values() if row.operation_id == operation.id
    ]
    if all(
        act.is_known(store.plugin(row), plan.Kind.CHECK) for row in checked
    ):
        return reason
    return f"{reason}, as far as the types support it (see resources)"


def _list_left(
    store: store.Store, operation: operation_model.Operation
) -> list[str]:
    """Return the resources whose physical resources are left over."""
    return sorted(
        row.name
        for row in store.rows.values()
        if row.is_gone
        and row.operation_id == operation.id
        and row.status_reason.startswith(transitions.LEFT_OVER)
    )


def _failed_ending(
    store: store.Store,
    operation: operation_model.Operation,
    outcome: conclusion.RunOutcome,
    now: clock.Timestamp,
    *,
    reason: str | None = None,
    has_begun: bool,
) -> conclusion.Conclusion:
    """Return what is written when an operation fails.

    :param reason: why, unless its failures say it
    :param has_begun: as of :func:`stop_operation`
    """
    reason = reason or _why(operation, outcome)
    operation = dataclasses.replace(operation, reason=reason)
    stack = dataclasses.replace(
        store.stack,
        action=operation.action,
        status=states.Status.FAILED,
        status_reason=reason,
    )
    existing = sum(
        row.is_current and row.is_in_place for row in store.rows.values()
    )
    counts = store.statuses()
    store.recorder.record_stack(
        stack, now, operation, members=existing, statuses=counts
    )
    accepted_operations: tuple[operation_model.Operation, ...] = ()
    columns: dict[str, object] = {}
    if has_begun and _goes_back(stack, operation, outcome):
        undoing = rollbacks.rollback_of(stack, operation, now)
        rollback = dataclasses.replace(
            undoing,
            options={
                **undoing.options,
                submit.ANNOUNCED: True,
                restoration.BEFORE: {
                    **restoration.inputs_of(stack),
                    **restoration.state_of(stack),
                },
            },
        )
        accepted_operations = (rollback,)
        columns = rollbacks.rollback_columns(rollback)
        stack = dataclasses.replace(
            submit.started_stack(stack, rollback),
            # Columns by name; each has the type of its field.
            **columns,  # type: ignore[arg-type]
        )
        store.recorder.record_stack(stack, now, rollback, statuses=counts)
    count = _declared(store, operation)
    found = conclusion.Conclusion(
        stack_columns={
            **_state_of(stack),
            **columns,
            "resource_count": count,
        },
        tree_change=count - store.stack.resource_count,
        operation_columns=_columns(operation, states.OperationState.FAILED),
        facts=store.recorder.take(),
        snapshot_columns=_snapshot(store, states.Status.FAILED, reason),
        accepted_operations=accepted_operations,
        dropped=_gone(store),
        cut_short=tuple(store.results.cut_short),
    )
    rows = store.rows.values()
    if has_begun or restoration.has_touched(operation, rows):
        return found
    return restoration.restored(
        found,
        operation,
        store.stack,
        rows,
        is_cancelled=outcome is conclusion.RunOutcome.CANCELLED,
    )


def _why(
    operation: operation_model.Operation, outcome: conclusion.RunOutcome
) -> str:
    """Return why an operation failed, in Heat's words."""
    if outcome is conclusion.RunOutcome.TIMED_OUT:
        return f"{operation.action.capitalize()} timed out"
    if outcome is conclusion.RunOutcome.CANCELLED:
        return f"Stack {operation.action} cancelled"
    return _reason(operation)


def _declared(store: store.Store, operation: operation_model.Operation) -> int:
    """Return how many resources the stack declares after the operation.

    Only a rollback may change that when it ends: all others were counted when
    they were accepted.
    """
    if operation.action is not states.Action.ROLLBACK:
        return store.stack.resource_count
    return store.desired_state.declared_count


def _check_of(
    adopted: operation_model.Operation, now: clock.Timestamp
) -> operation_model.Operation:
    """Return the check that follows an adoption.

    Clients that treat a stack in adoption as missing see it with the check.
    """
    return dataclasses.replace(
        adopted,
        id=ids.OperationId(ids.new()),
        action=states.Action.CHECK,
        state=states.OperationState.WAITING,
        options={"keep_going": True, submit.ANNOUNCED: True},
        attempt=1,
        owner=None,
        fence=0,
        lease_expires_at=None,
        deadline_at=None,
        total=0,
        done=0,
        failures=(),
        attempts=(),
        created_at=now,
        started_at=None,
        finished_at=None,
    )


def _snapshot(
    store: store.Store, status: states.Status, reason: str
) -> dict[str, object]:
    """Return the columns of the snapshot that the operation takes, if any.

    The data of a failed one are stored too: they can be removed.
    """
    if store.operation.action is not states.Action.SNAPSHOT:
        return {}
    return {
        "status": status,
        "status_reason": reason,
        "data": snapshot.data_of(
            store.stack.tags,
            [row for row in store.rows.values() if row.is_current],
            store.operation.id,
            store.earlier_snapshot,
        ),
    }


def _goes_back(
    stack: stack.Stack,
    operation: operation_model.Operation,
    outcome: conclusion.RunOutcome,
) -> bool:
    """Whether a failed operation is rolled back automatically."""
    if outcome is conclusion.RunOutcome.CANCELLED or stack.disable_rollback:
        return False
    return operation.action in _ROLLED_BACK


def _proven(operation: operation_model.Operation) -> dict[str, object]:
    """Return the columns that store what a later rollback returns to."""
    if (
        operation.action not in states.BRINGING_ABOUT
        or operation.template_hash is None
    ):
        return {}
    return {
        "good_template_hash": operation.template_hash,
        "good_environment_hash": operation.environment_hash,
    }


def _reason(operation: operation_model.Operation) -> str:
    """Return Heat's sentence for the first failure, and count the others."""
    if not operation.failures:
        return f"Stack {operation.action} failed"
    first = operation.failures[0]
    others = len(operation.failures) - 1
    more = f" (and {others} more)" if others else ""
    return f"Resource {first['action']} failed: {first['reason']}{more}"


def _gone(store: store.Store) -> tuple[ids.ResourceId, ...]:
    return tuple(row.id for row in store.rows.values() if row.is_gone)


def _state_of(stack: stack.Stack) -> dict[str, object]:
    return {
        "action": stack.action,
        "status": stack.status,
        "status_reason": stack.status_reason,
        "blocked": None,
        "operation_id": stack.operation_id,
        "deleted_at": stack.deleted_at,
    }


def _columns(
    operation: operation_model.Operation, state: states.OperationState
) -> dict[str, object]:
    return {
        "state": state,
        "reason": operation.reason,
        "total": operation.total,
        "done": operation.done,
        "failures": operation.failures,
        "finished_at": operation.finished_at,
    }
