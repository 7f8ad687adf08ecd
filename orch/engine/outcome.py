"""What the end of an operation means for its stack."""

import collections.abc
import dataclasses

from orch import clock
from orch import ids
from orch.events import recorder
from orch.flow import runner
from orch.flow import store
from orch.flow import submit
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.model import states

NOTHING_TOLD = recorder.Facts((), ())


def conclude(
    kept: store.Store,
    outcome: runner.Outcome,
    is_superseded: bool,
    now: clock.Timestamp,
) -> store.Ending:
    """Say what is written when the operation has come to its end.

    A superseded operation leaves the stack's state to the newer request.
    """
    asked = dataclasses.replace(
        kept.operation,
        total=kept.total,
        done=kept.done,
        failures=tuple(_failure(row) for row in _failed(kept)),
        finished_at=now,
    )
    if is_superseded:
        return store.Ending(
            stack_columns={},
            operation_columns=_columns(
                asked, states.OperationState.SUPERSEDED
            ),
            facts=NOTHING_TOLD,
            dropped=_gone(kept),
        )
    if outcome is runner.Outcome.COMPLETE:
        return _completed(kept, asked, now)
    return _failed_ending(kept, asked, outcome, now)


def _completed(
    kept: store.Store, asked: operation.Operation, now: clock.Timestamp
) -> store.Ending:
    is_deleted = asked.action is states.Action.DELETE
    subject = dataclasses.replace(
        kept.stack,
        action=asked.action,
        status=states.Status.COMPLETE,
        status_reason=f"Stack {asked.action} completed successfully",
        deleted_at=now if is_deleted else None,
    )
    kept.recorder.record_stack(subject, now, asked)
    return store.Ending(
        stack_columns=_state_of(subject),
        operation_columns=_columns(asked, states.OperationState.COMPLETE),
        facts=kept.recorder.take(),
        drops_resources=is_deleted,
        dropped=() if is_deleted else _gone(kept),
    )


def _failed_ending(
    kept: store.Store,
    asked: operation.Operation,
    outcome: runner.Outcome,
    now: clock.Timestamp,
) -> store.Ending:
    if outcome is runner.Outcome.TIMED_OUT:
        reason = f"{asked.action.capitalize()} timed out"
    else:
        reason = _reason(asked)
    asked = dataclasses.replace(asked, reason=reason)
    subject = dataclasses.replace(
        kept.stack,
        action=asked.action,
        status=states.Status.FAILED,
        status_reason=reason,
    )
    kept.recorder.record_stack(subject, now, asked)
    followers: tuple[operation.Operation, ...] = ()
    if asked.action is states.Action.CREATE and not subject.disable_rollback:
        rollback = _rollback_of(asked, now)
        followers = (rollback,)
        subject = submit.started(subject, rollback)
        kept.recorder.record_stack(subject, now, rollback)
    return store.Ending(
        stack_columns=_state_of(subject),
        operation_columns=_columns(asked, states.OperationState.FAILED),
        facts=kept.recorder.take(),
        followers=followers,
        dropped=_gone(kept),
    )


def _rollback_of(
    failed: operation.Operation, now: clock.Timestamp
) -> operation.Operation:
    """Return the operation that undoes a failed creation."""
    return operation.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=failed.stack_id,
        project_id=failed.project_id,
        action=states.Action.ROLLBACK,
        state=states.OperationState.WAITING,
        options={submit.ANNOUNCED: True},
        context=failed.context,
        created_at=now,
    )


def _reason(asked: operation.Operation) -> str:
    """Return Heat's sentence for the first failure, and count the others."""
    if not asked.failures:
        return f"Stack {asked.action} failed"
    first = asked.failures[0]
    others = len(asked.failures) - 1
    more = f" (and {others} more)" if others else ""
    return f"Resource {first['action']} failed: {first['reason']}{more}"


def _failed(
    kept: store.Store,
) -> collections.abc.Sequence[resource.Resource]:
    """Return the rows that this operation left failed, the first first."""
    rows = [
        row
        for row in kept.rows
        if row.status is states.Status.FAILED
        and row.operation_id == kept.operation.id
    ]
    return sorted(rows, key=lambda row: row.updated_at)


def _failure(row: resource.Resource) -> dict[str, object]:
    return {
        "name": row.name,
        "type": row.type_name,
        "resource_id": row.id,
        "physical_id": row.physical_id,
        "action": row.action,
        "reason": row.status_reason,
    }


def _gone(kept: store.Store) -> tuple[ids.ResourceId, ...]:
    return tuple(row.id for row in kept.rows if row.is_gone)


def _state_of(subject: stack.Stack) -> dict[str, object]:
    return {
        "action": subject.action,
        "status": subject.status,
        "status_reason": subject.status_reason,
        "operation_id": subject.operation_id,
        "deleted_at": subject.deleted_at,
    }


def _columns(
    asked: operation.Operation, state: states.OperationState
) -> dict[str, object]:
    return {
        "state": state,
        "reason": asked.reason,
        "total": asked.total,
        "done": asked.done,
        "failures": asked.failures,
        "finished_at": asked.finished_at,
    }
