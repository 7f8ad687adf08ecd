"""Record a signal as an event: now, or by the operation that runs."""

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import signals
from orch.engine.acceptance import stack_lock
from orch.events import recorder
from orch.model import resource
from orch.model import signal
from orch.model import stack
from orch.model import states


def record_signal(
    connection: db_engine.Connection,
    held: stack_lock.LockedStack,
    row: resource.Resource,
    status: states.Status,
    reason: str,
    now: clock.Timestamp,
) -> None:
    """Store the event of a signal, or leave it to the operation that runs.

    Consumers are notified too: no operation of the stack reports it.

    A refusal that the newest event reports already is not recorded again, so
    that a sender who repeats it for ever fills no table.

    :param held: the locked stack; no other transaction writes events of it
        meanwhile
    """
    stack = held.stack
    taken = signal.UnreportedSignal(
        id=ids.new(),
        stack_id=stack.id,
        resource_id=row.id,
        resource_name=row.name,
        resource_type=row.type_name,
        physical_id=row.shown_id,
        status=status,
        reason=reason,
        created_at=now,
    )
    is_failure = status is states.Status.FAILED
    if is_failure and _is_recorded(connection, taken):
        return
    if held.is_running:
        signals.save_unreported(connection, taken)
        return
    notes = _recorder(
        connection, stack, recorder.Audience(stack, lambda _: {})
    )
    for each in (*signals.take_unreported(connection, stack.id), taken):
        notes.record_signal(each)
    notes.take().store(connection)


def record_unsupported(
    connection: db_engine.Connection,
    held: stack_lock.LockedStack,
    row: resource.Resource,
    now: clock.Timestamp,
) -> None:
    """Record that a resource takes no signal in its state, as Heat does.

    Nothing is recorded where the newest event says the same.

    :param held: the locked stack, of which no operation runs
    """
    reason = f"Cannot signal resource during {row.action}"
    newest = events.find_newest(connection, held.stack.id)
    if newest is not None and (newest.resource_id, newest.reason) == (
        row.id,
        reason,
    ):
        return
    notes = _recorder(connection, held.stack)
    notes.record_remark_of(row, reason, now)
    events.insert_many(connection, notes.take().events)


def _recorder(
    connection: db_engine.Connection,
    stack: stack.Stack,
    audience: recorder.Audience | None = None,
) -> recorder.Recorder:
    """Return the recorder of the next events.

    They belong to the operation of the newest event: the newest operation may
    still wait, and has no event yet.
    """
    newest = events.find_newest(connection, stack.id)
    operation_id = newest.operation_id if newest is not None else None
    operation_id = operation_id or stack.operation_id
    assert operation_id is not None
    return recorder.Recorder(
        newest.sequence if newest is not None else 0,
        operations.get(connection, operation_id),
        audience,
    )


def _is_recorded(
    connection: db_engine.Connection, taken: signal.UnreportedSignal
) -> bool:
    """Whether the newest event of the stack says the same."""
    waiting = signals.find_newest_unreported(connection, taken.stack_id)
    if waiting is not None:
        return (waiting.resource_id, waiting.reason) == (
            taken.resource_id,
            taken.reason,
        )
    newest = events.find_newest(connection, taken.stack_id)
    return newest is not None and (
        newest.resource_id,
        newest.action,
        newest.reason,
    ) == (taken.resource_id, states.Action.SIGNAL, taken.reason)
