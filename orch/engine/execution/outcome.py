"""What the end of an operation means for its stack."""

import dataclasses

from orch import clock
from orch import ids
from orch.engine.execution import failures
from orch.events import recorder
from orch.flow.state import conclusion
from orch.flow.state import store
from orch.flow.state import submit
from orch.flow.tasks import act
from orch.model import adoption
from orch.model import converge
from orch.model import operation
from orch.model import repair
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.planner import plan

PREVIOUS_TEMPLATE = "previous_template_hash"
PREVIOUS_ENVIRONMENT = "previous_environment_hash"
"""Options of an update: content hashes of what was in force before."""

_NOTHING = ""
"""In place of the hash of what was last complete: nothing stood before the
creation that was undone, and nothing has been complete since."""

_ROLLED_BACK = frozenset(
    {
        states.Action.CREATE,
        states.Action.UPDATE,
        states.Action.RESTORE,
        states.Action.ADOPT,
    }
)

NOTHING_TOLD = recorder.Facts((), ())


def conclude(
    kept: store.Store,
    outcome: conclusion.Outcome,
    halt: operation.Halt | None,
    now: clock.Timestamp,
    reason: str | None = None,
) -> conclusion.Ending:
    """Say what is written when the operation has come to its end.

    A superseded operation leaves the stack's state to the newer request. One
    that was cancelled in the very moment of its failure is not undone.

    :param reason: why it failed, where that was known before
    """
    asked = dataclasses.replace(
        kept.operation,
        total=kept.results.total,
        done=kept.results.done,
        failures=failures.list_(kept),
        finished_at=now,
    )
    if halt is operation.Halt.SUPERSEDED:
        return conclusion.Ending(
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
    if outcome is conclusion.Outcome.COMPLETE:
        return _completed(kept, asked, now)
    if halt is operation.Halt.CANCELLED:
        outcome = conclusion.Outcome.CANCELLED
    return _failed_ending(kept, asked, outcome, now, reason=reason)


def reason_of(
    kept: store.Store,
    outcome: conclusion.Outcome,
    halt: operation.Halt | None,
) -> str:
    """Return what the stack will say of an operation that ends so."""
    if halt is operation.Halt.SUPERSEDED:
        return "Another request cut it short"
    asked = dataclasses.replace(kept.operation, failures=failures.list_(kept))
    if outcome is conclusion.Outcome.COMPLETE:
        return _completion(kept, asked)
    return _why(asked, outcome)


def stop(
    kept: store.Store,
    reason: str | None,
    halt: operation.Halt | None,
    now: clock.Timestamp,
    *,
    may_go_back: bool = True,
    outcome: conclusion.Outcome = conclusion.Outcome.FAILED,
) -> conclusion.Ending:
    """Say what is written when the operation cannot run, or not go on.

    :param reason: why, for people; ``None`` where the outcome says it
    :param may_go_back: what it has changed is undone, where the stack is so
    """
    if halt is operation.Halt.SUPERSEDED:
        return conclude(kept, conclusion.Outcome.FAILED, halt, now)
    if halt is operation.Halt.CANCELLED:
        outcome = conclusion.Outcome.CANCELLED
    reason = reason or _why(kept.operation, outcome)
    asked = dataclasses.replace(
        kept.operation,
        total=kept.results.total,
        done=kept.results.done,
        failures=(failures.of_stack(kept, reason), *failures.list_(kept)),
        finished_at=now,
    )
    return _failed_ending(
        kept, asked, outcome, now, reason=reason, may_go_back=may_go_back
    )


def _completed(
    kept: store.Store, asked: operation.Operation, now: clock.Timestamp
) -> conclusion.Ending:
    is_deleted = asked.action is states.Action.DELETE or bool(
        asked.options.get(adoption.ENDS)
    )
    subject = dataclasses.replace(
        kept.stack,
        action=asked.action,
        status=states.Status.COMPLETE,
        status_reason=_completion(kept, asked),
        deleted_at=now if is_deleted else None,
    )
    counts = {} if is_deleted else kept.statuses()
    kept.recorder.record_stack(subject, now, asked, statuses=counts)
    followers: tuple[operation.Operation, ...] = ()
    proven = _proven(asked)
    if asked.options.get(adoption.CHECKS):
        followers = (_check_of(asked, now),)
        subject = submit.started(subject, followers[0])
        kept.recorder.record_stack(subject, now, followers[0], statuses=counts)
    count = 0 if is_deleted else _declared(kept, asked)
    return conclusion.Ending(
        stack_columns={
            **_state_of(subject),
            **proven,
            "resource_count": count,
        },
        tree_change=count - kept.stack.resource_count,
        operation_columns=_columns(asked, states.OperationState.COMPLETE),
        followers=followers,
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
    outcome: conclusion.Outcome,
    now: clock.Timestamp,
    *,
    reason: str | None = None,
    may_go_back: bool = True,
) -> conclusion.Ending:
    """Say what is written when the operation fails.

    :param reason: why, unless its failures tell
    :param may_go_back: what it has changed is undone, where the stack is so
    """
    reason = reason or _why(asked, outcome)
    asked = dataclasses.replace(asked, reason=reason)
    subject = dataclasses.replace(
        kept.stack,
        action=asked.action,
        status=states.Status.FAILED,
        status_reason=reason,
    )
    standing = sum(row.is_current and row.is_standing for row in kept.rows)
    counts = kept.statuses()
    kept.recorder.record_stack(
        subject, now, asked, members=standing, statuses=counts
    )
    followers: tuple[operation.Operation, ...] = ()
    columns: dict[str, object] = {}
    if may_go_back and _goes_back(subject, asked, outcome):
        undoing = rollback_of(subject, asked, now)
        rollback = dataclasses.replace(
            undoing,
            options={**undoing.options, submit.ANNOUNCED: True},
        )
        followers = (rollback,)
        columns = rollback_columns(rollback)
        subject = dataclasses.replace(
            submit.started(subject, rollback),
            # Columns by name; each has the type of its field.
            **columns,  # type: ignore[arg-type]
        )
        kept.recorder.record_stack(subject, now, rollback, statuses=counts)
    count = _declared(kept, asked)
    return conclusion.Ending(
        stack_columns={
            **_state_of(subject),
            **columns,
            "resource_count": count,
        },
        tree_change=count - kept.stack.resource_count,
        operation_columns=_columns(asked, states.OperationState.FAILED),
        facts=kept.recorder.take(),
        snapshot_columns=_snapshot(kept, states.Status.FAILED, reason),
        followers=followers,
        dropped=_gone(kept),
        cut_short=tuple(kept.results.cut_short),
    )


def _why(asked: operation.Operation, outcome: conclusion.Outcome) -> str:
    """Return why an operation failed, in Heat's words."""
    if outcome is conclusion.Outcome.TIMED_OUT:
        return f"{asked.action.capitalize()} timed out"
    if outcome is conclusion.Outcome.CANCELLED:
        return f"Stack {asked.action} cancelled"
    return _reason(asked)


def _declared(kept: store.Store, asked: operation.Operation) -> int:
    """Return how many resources the stack declares after the operation.

    Only a rollback may change that when it ends: it has been counted for all
    others when they were accepted.
    """
    if asked.action is not states.Action.ROLLBACK:
        return kept.stack.resource_count
    return kept.wanted.declared_count


def _check_of(
    adopted: operation.Operation, now: clock.Timestamp
) -> operation.Operation:
    """Return the check that follows an adoption.

    Clients that take a stack for gone while it is adopted then see it.
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
    outcome: conclusion.Outcome,
) -> bool:
    """Answer whether what has failed is to be undone by itself."""
    if outcome is conclusion.Outcome.CANCELLED or subject.disable_rollback:
        return False
    return asked.action in _ROLLED_BACK


def rollback_of(
    subject: stack.Stack, failed: operation.Operation, now: clock.Timestamp
) -> operation.Operation:
    """Return the operation that undoes another one.

    After a creation nothing is left. After an update the stack is again what
    it was when it was last complete, and that is nothing if its creation was
    undone; if it never was, what was asked for before. What was adopted is
    let go of, and stands as it stood; with an adoption the stack itself goes.
    What went by what things are goes back by that, too: what had vanished
    before is not what is gone back to. Where that was to put back some
    things only, so is this.
    """
    template_hash, environment_hash = None, None
    options: dict[str, object] = {adoption.RELEASES: failed.id}
    if failed.action is states.Action.ADOPT:
        options[adoption.ENDS] = True
    elif failed.action is not states.Action.CREATE:
        template_hash = subject.good_template_hash
        environment_hash = subject.good_environment_hash
        if template_hash is None:
            template_hash = _hash(failed.options.get(PREVIOUS_TEMPLATE))
            environment_hash = _hash(failed.options.get(PREVIOUS_ENVIRONMENT))
        elif template_hash == _NOTHING:
            template_hash, environment_hash = None, None
        if template_hash is not None and converge.is_asked(failed):
            options[converge.OPTION] = True
            options |= repair.Repair.kept(failed.options)
    return operation.Operation(
        id=ids.OperationId(ids.new()),
        stack_id=failed.stack_id,
        project_id=failed.project_id,
        depth=failed.depth,
        action=states.Action.ROLLBACK,
        state=states.OperationState.WAITING,
        options=options,
        template_hash=template_hash,
        environment_hash=environment_hash,
        context=failed.context,
        created_at=now,
    )


def rollback_columns(rollback: operation.Operation) -> dict[str, object]:
    """Return the columns of the stack that a rollback changes at once.

    What goes back to nothing leaves the template that is shown as it is.
    """
    if rollback.template_hash is None:
        return {
            "good_template_hash": _NOTHING,
            "good_environment_hash": _NOTHING,
        }
    return {
        "template_hash": rollback.template_hash,
        "environment_hash": rollback.environment_hash,
        "updated_at": rollback.created_at,
    }


def _proven(asked: operation.Operation) -> dict[str, object]:
    """Return the columns that keep what a later failure goes back to."""
    if (
        asked.action not in states.BRINGING_ABOUT
        or asked.template_hash is None
    ):
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
