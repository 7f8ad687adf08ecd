"""Accepts an operation: all of it becomes durable, or nothing.

Used by the use cases of the engine and, for the operations of nested stacks,
by the flow itself. The caller owns the transaction.
"""

import collections.abc
import dataclasses

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import credentials
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.events import recorder
from orch.model import event
from orch.model import lease
from orch.model import operation
from orch.model import stack
from orch.model import states

ANNOUNCED = "announced"
"""Option of an operation whose beginning has been told already."""

CREDENTIAL = "credential_id"
"""Key of an operation's context: what its tree logs in with from then on."""


@dataclasses.dataclass(frozen=True, slots=True)
class Accepted:
    """What stands in the rows once an operation is accepted.

    :ivar newest: the stack's newest event
    """

    subject: stack.Stack
    asked: operation.Operation
    newest: event.Event


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
    _hand_over(connection, subject, asked)
    _announce(connection, subject, asked, 0)


def accept_inner(
    connection: db_engine.Connection,
    wanted: collections.abc.Sequence[tuple[stack.Stack, operation.Operation]],
    taken: lease.Taken | None,
    most_taken: int,
) -> list[Accepted]:
    """Store stacks that did not exist in a stack, each with its operation.

    :param taken: who runs the first of them at once
    :param most_taken: how many those are
    """
    now = functions.read_clock(connection)
    accepted: list[Accepted] = []
    facts = recorder.Facts((), ())
    for subject, asked in wanted:
        is_taken = len(accepted) < most_taken
        subject = started(subject, asked)
        asked = operations.begun(
            _announced(asked),
            now,
            subject.timeout_s,
            taken if is_taken else None,
        )
        told = _tell_start(subject, asked, 0, asked.created_at, {})
        facts = facts.followed_by(told)
        accepted.append(Accepted(subject, asked, told.events[-1]))
    stacks.insert_inner(connection, [each.subject for each in accepted])
    operations.insert_many(connection, [each.asked for each in accepted])
    events.insert_many(connection, facts.events)
    outbox.insert_many(connection, facts.notifications)
    return accepted


def accept(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
    **changed: object,
) -> None:
    """Store a further operation of a stack; it supersedes what is open.

    While an older operation still runs, it alone numbers the stack's events:
    the beginning of the new one is then told by whoever runs it.

    :param changed: columns of the stack that it changes at once; where it
        is the stack around an inner one that asks, ``is_astray`` too
    """
    is_inner = subject.parent_id is not None
    if is_inner and asked.action in states.BRINGING_ABOUT:
        changed.setdefault("is_astray", True)
    subject = dataclasses.replace(
        subject,
        **changed,  # type: ignore[arg-type]
    )
    _hand_over(connection, subject, asked)
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
    _hand_over(connection, subject, failed)
    if failed.state is not states.OperationState.FAILED:
        return True
    subject = started(subject, failed)
    _store_status(connection, subject)
    again = dataclasses.replace(
        failed, attempt=failed.attempt + 1, done=0, failures=()
    )
    tell(connection, subject, again, newest(connection, subject.id), now)
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
    statuses = {}
    if after:
        statuses = resources.count_by_status(connection, subject.id)
    facts = _tell_start(subject, asked, after, now, statuses)
    events.insert_many(connection, facts.events)
    outbox.insert_many(connection, facts.notifications)


def _tell_start(
    subject: stack.Stack,
    asked: operation.Operation,
    after: int,
    now: clock.Timestamp,
    statuses: dict[str, int],
) -> recorder.Facts:
    notes = recorder.Recorder(after, asked)
    notes.record_stack(subject, now, statuses=statuses)
    return notes.take()


def _announced(asked: operation.Operation) -> operation.Operation:
    return dataclasses.replace(
        asked, options={**asked.options, ANNOUNCED: True}
    )


def _announce(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
    after: int,
) -> None:
    asked = _announced(asked)
    operations.insert(connection, asked, timeout_s=subject.timeout_s)
    tell(connection, subject, asked, after, asked.created_at)


def _hand_over(
    connection: db_engine.Connection,
    subject: stack.Stack,
    asked: operation.Operation,
) -> None:
    """Let the tree log in with what came with the request, if anything did.

    :raises orch.errors.Unavailable: it was not used in time, and is gone
    """
    given = asked.context.get(CREDENTIAL)
    if isinstance(given, str) and not credentials.activate(
        connection, given, subject.root_id
    ):
        raise errors.Unavailable(
            f"The request for stack {subject.name} took too long: what it"
            " would log in to the cloud with was removed meanwhile. Send it"
            " again."
        )


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
