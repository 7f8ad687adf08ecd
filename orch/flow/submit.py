"""Accepts an operation: all of it becomes durable, or nothing.

Used by the use cases of the engine and, for the operations of nested stacks,
by the flow itself. The caller owns the transaction.
"""

import dataclasses

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import stacks
from orch.events import recorder
from orch.model import operation
from orch.model import stack
from orch.model import states

ANNOUNCED = "announced"
"""Option of an operation whose beginning has been told already."""


def accept_new(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
) -> None:
    """Store a stack that did not exist, with its first operation.

    :raises orch.db.errors.NameTaken: the project has a stack of that name
    """
    subject = started(subject, asked)
    stacks.insert(connection, subject)
    _announce(connection, subject, asked, 0)


def accept(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
    **changed: object,
) -> None:
    """Store a further operation of a stack; it supersedes what is open.

    While an older operation still runs, it alone numbers the stack's events:
    the beginning of the new one is then told by whoever runs it.

    :param changed: columns of the stack that it changes at once
    """
    subject = dataclasses.replace(
        subject,
        **changed,  # type: ignore[arg-type]
    )
    is_busy = bool(operations.find_open(connection, subject.id))
    operations.supersede(connection, subject.id, asked.id)
    subject = started(subject, asked)
    _store_status(connection, subject, **changed)
    if is_busy:
        operations.insert(connection, asked, timeout_s=subject.timeout_s)
        return
    _announce(connection, subject, asked, newest(connection, subject.id))


def accept_retry(
    connection: db_engine.Connection,
    subject: stack.Stack,
    failed: operation.Operation,
    now: clock.Timestamp,
) -> bool:
    """Open a failed operation again; of two callers one wins.

    One whose worker is dead goes on instead, and its story with it.

    :param failed: with the options and the context of the new attempt
    :returns: whether this caller won
    """
    if not operations.reopen(
        connection,
        failed.id,
        attempt=failed.attempt + 1,
        options=failed.options,
        timeout_s=subject.timeout_s,
        context=failed.context,
    ):
        return False
    if failed.state is not states.OperationState.FAILED:
        return True
    subject = started(subject, failed)
    _store_status(connection, subject)
    tell(connection, subject, failed, newest(connection, subject.id), now)
    return True


def of_stack(
    wanted: operation.Operation, subject: stack.Stack
) -> operation.Operation:
    """Return the operation on the stack as it is declared now.

    A check looks at everything, whatever it finds.
    """
    options = dict(wanted.options)
    if wanted.action is states.Action.CHECK:
        options["keep_going"] = True
    return dataclasses.replace(
        wanted,
        template_hash=subject.template_hash,
        environment_hash=subject.environment_hash,
        options=options,
    )


def started(subject: stack.Stack, asked: operation.Operation) -> stack.Stack:
    """Return the stack as it stands once the operation is accepted."""
    return dataclasses.replace(
        subject,
        action=asked.action,
        status=states.Status.IN_PROGRESS,
        status_reason=f"Stack {asked.action} started",
        operation_id=asked.id,
    )


def newest(connection: db_engine.Connection, stack_id: ids.StackId) -> int:
    """Return the number of the stack's newest event; 0 when it has none."""
    found = events.find_newest(connection, stack_id)
    return found.sequence if found else 0


def tell(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
    after: int,
    now: clock.Timestamp,
) -> None:
    """Store the event and the notification of the stack's state.

    :param after: number of the stack's newest event
    """
    notes = recorder.Recorder(after, asked)
    notes.record_stack(subject, now)
    facts = notes.take()
    events.insert_many(connection, facts.events)
    outbox.insert_many(connection, facts.notifications)


def _announce(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
    after: int,
) -> None:
    asked = dataclasses.replace(
        asked, options={**asked.options, ANNOUNCED: True}
    )
    operations.insert(connection, asked, timeout_s=subject.timeout_s)
    tell(connection, subject, asked, after, asked.created_at)


def _store_status(
    connection: db_engine.Connection, subject: stack.Stack, **changed: object
) -> None:
    stacks.update(
        connection,
        subject.id,
        action=subject.action,
        status=subject.status,
        status_reason=subject.status_reason,
        operation_id=subject.operation_id,
        **changed,
    )
