"""What the end of an operation means for its stack."""

import dataclasses

from orch import clock
from orch import ids
from orch.engine import failures
from orch.events import recorder
from orch.flow import ending
from orch.flow import runner
from orch.flow import store
from orch.flow import submit
from orch.flow.tasks import act
from orch.model import operation
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.planner import plan

BRINGING_ABOUT = frozenset(
    {
        states.Action.CREATE,
        states.Action.UPDATE,
        states.Action.ROLLBACK,
        states.Action.RESTORE,
        states.Action.ADOPT,
    }
)
"""Actions that end with what a template declares."""

PREVIOUS_TEMPLATE = "previous_template_hash"
PREVIOUS_ENVIRONMENT = "previous_environment_hash"
"""Options of an update: content hashes of what was in force before."""

_ROLLED_BACK = frozenset(
    {states.Action.CREATE, states.Action.UPDATE, states.Action.RESTORE}
)

NOTHING_TOLD = recorder.Facts((), ())


def conclude(
    kept: store.Store,
    outcome: runner.Outcome,
    halt: operation.Halt | None,
    now: clock.Timestamp,
) -> ending.Ending:
    """Say what is written when the operation has come to its end.

    A superseded operation leaves the stack's state to the newer request. One
    that was cancelled in the very moment of its failure is not undone.
    """
    asked = dataclasses.replace(
        kept.operation,
        total=kept.total,
        done=kept.done,
        failures=failures.list_(kept),
        finished_at=now,
    )
    if halt is operation.Halt.SUPERSEDED:
        return ending.Ending(
            stack_columns={},
            operation_columns=_columns(
                asked, states.OperationState.SUPERSEDED
            ),
            facts=NOTHING_TOLD,
            snapshot_columns=_snapshot(
                kept, states.Status.FAILED, "Another request cut it short"
            ),
            dropped=_gone(kept),
        )
    if outcome is runner.Outcome.COMPLETE:
        return _completed(kept, asked, now)
    if halt is operation.Halt.CANCELLED:
        outcome = runner.Outcome.CANCELLED
    return _failed_ending(kept, asked, outcome, now)


def _completed(
    kept: store.Store, asked: operation.Operation, now: clock.Timestamp
) -> ending.Ending:
    is_deleted = asked.action is states.Action.DELETE
    subject = dataclasses.replace(
        kept.stack,
        action=asked.action,
        status=states.Status.COMPLETE,
        status_reason=_completion(kept, asked),
        deleted_at=now if is_deleted else None,
    )
    kept.recorder.record_stack(subject, now, asked)
    return ending.Ending(
        stack_columns={**_state_of(subject), **_proven(asked)},
        operation_columns=_columns(asked, states.OperationState.COMPLETE),
        facts=kept.recorder.take(),
        snapshot_columns=_snapshot(
            kept, subject.status, subject.status_reason
        ),
        drops_resources=is_deleted,
        dropped=() if is_deleted else _gone(kept),
    )


def _completion(kept: store.Store, asked: operation.Operation) -> str:
    """Return Heat's sentence, and whether a check has not seen it all."""
    reason = f"Stack {asked.action} completed successfully"
    if asked.action is not states.Action.CHECK:
        return reason
    checked = [row for row in kept.rows if row.operation_id == asked.id]
    if all(act.is_known(kept.plugin(row), plan.Kind.CHECK) for row in checked):
        return reason
    return f"{reason}, as far as the types support it (see resources)"


def _failed_ending(
    kept: store.Store,
    asked: operation.Operation,
    outcome: runner.Outcome,
    now: clock.Timestamp,
) -> ending.Ending:
    if outcome is runner.Outcome.TIMED_OUT:
        reason = f"{asked.action.capitalize()} timed out"
    elif outcome is runner.Outcome.CANCELLED:
        reason = f"Stack {asked.action} cancelled"
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
    columns: dict[str, object] = {}
    if _goes_back(subject, asked, outcome):
        rollback = dataclasses.replace(
            rollback_of(subject, asked, now),
            options={submit.ANNOUNCED: True},
        )
        followers = (rollback,)
        columns = rollback_columns(rollback)
        subject = submit.started(subject, rollback)
        kept.recorder.record_stack(subject, now, rollback)
    return ending.Ending(
        stack_columns={**_state_of(subject), **columns},
        operation_columns=_columns(asked, states.OperationState.FAILED),
        facts=kept.recorder.take(),
        snapshot_columns=_snapshot(kept, states.Status.FAILED, reason),
        followers=followers,
        dropped=_gone(kept),
    )


def _snapshot(
    kept: store.Store, status: states.Status, reason: str
) -> dict[str, object]:
    """Return the columns of the snapshot that the operation takes, if any.

    What a failed one has kept is stored too: it can be removed.
    """
    if kept.operation.action is not states.Action.SNAPSHOT:
        return {}
    return {
        "status": status,
        "status_reason": reason,
        "data": snapshot.data_of(
            kept.stack.tags,
            (row for row in kept.rows if row.is_current),
            kept.operation.id,
        ),
    }


def _goes_back(
    subject: stack.Stack,
    asked: operation.Operation,
    outcome: runner.Outcome,
) -> bool:
    """Answer whether what has failed is to be undone by itself."""
    if outcome is runner.Outcome.CANCELLED or subject.disable_rollback:
        return False
    return asked.action in _ROLLED_BACK


def rollback_of(
    subject: stack.Stack, failed: operation.Operation, now: clock.Timestamp
) -> operation.Operation:
    """Return the operation that undoes another one.

    After a creation nothing is left. After an update the stack is again what
    it was when it was last complete; if it never was, what was asked for
    before.
    """
    template_hash, environment_hash = None, None
    if failed.action is not states.Action.CREATE:
        template_hash = subject.good_template_hash
        environment_hash = subject.good_environment_hash
        if template_hash is None:
            template_hash = _hash(failed.options.get(PREVIOUS_TEMPLATE))
            environment_hash = _hash(failed.options.get(PREVIOUS_ENVIRONMENT))
    return operation.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=failed.stack_id,
        project_id=failed.project_id,
        action=states.Action.ROLLBACK,
        state=states.OperationState.WAITING,
        template_hash=template_hash,
        environment_hash=environment_hash,
        context=failed.context,
        created_at=now,
    )


def rollback_columns(rollback: operation.Operation) -> dict[str, object]:
    """Return the columns of the stack that a rollback changes at once."""
    if rollback.template_hash is None:
        return {}
    return {
        "template_hash": rollback.template_hash,
        "environment_hash": rollback.environment_hash,
        "updated_at": rollback.created_at,
    }


def _proven(asked: operation.Operation) -> dict[str, object]:
    """Return the columns that keep what a later failure goes back to."""
    if asked.action not in BRINGING_ABOUT or asked.template_hash is None:
        return {}
    return {
        "good_template_hash": asked.template_hash,
        "good_environment_hash": asked.environment_hash,
    }


def _hash(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _reason(asked: operation.Operation) -> str:
    """Return Heat's sentence for the first failure, and count the others."""
    if not asked.failures:
        return f"Stack {asked.action} failed"
    first = asked.failures[0]
    others = len(asked.failures) - 1
    more = f" (and {others} more)" if others else ""
    return f"Resource {first['action']} failed: {first['reason']}{more}"


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
