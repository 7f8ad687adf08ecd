"""Accept an operation: all of it becomes durable, or nothing.

Used by the use cases of the engine and, for the operations of child stacks,
by the flow itself. The caller owns the transaction.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import credentials
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import plugin_settings
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.events import recorder
from orch.flow.state import restoration
from orch.model import event
from orch.model import lease
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.model import states

ANNOUNCED = "announced"
"""Option of an operation whose start event is stored already."""

CREDENTIAL = "credential_id"
"""Key of an operation's context: the credential of its tree from then on."""


_FIRST: typing.Final = frozenset({states.Action.CREATE, states.Action.DELETE})
"""What can be the first operation of a stack."""


@dataclasses.dataclass(frozen=True, slots=True)
class Accepted:
    """The rows of an operation that was accepted.

    :ivar newest: the stack's newest event
    """

    stack: stack_model.Stack
    operation: operation_model.Operation
    newest: event.Event


def accept_new_stack(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
    *,
    is_named: bool = True,
) -> None:
    """Store a new stack with its first operation.

    :param is_named: it has its name for itself, and is found by it
    :raises orch.db.errors.NameTaken: the project has a stack of that name
    """
    stack = started_stack(stack, operation)
    if is_named:
        stacks.insert(connection, stack)
    else:
        stacks.insert_unnamed(connection, [stack])
    _store_credential(connection, stack, operation)
    _insert_announced(connection, stack, operation, 0)


def accept_child_stacks(
    connection: db_engine.Connection,
    new_operations: collections.abc.Sequence[
        tuple[stack_model.Stack, operation_model.Operation]
    ],
    taken: lease.Taken | None,
    max_taken: int,
) -> list[Accepted]:
    """Store new child stacks, each with its operation.

    :param taken: the worker that runs the first of them at once, if it has
        the plug-in settings in force
    :param max_taken: how many of them it runs
    """
    now, number = plugin_settings.read_clock_and_number(connection)
    if taken is not None and taken.settings_number != number:
        taken = None
    accepted: list[Accepted] = []
    facts = recorder.Facts((), ())
    for stack, operation in new_operations:
        is_taken = len(accepted) < max_taken
        stack = started_stack(stack, operation)
        operation = operations.begun(
            dataclasses.replace(
                operation, options={**operation.options, ANNOUNCED: True}
            ),
            now,
            stack.timeout_s,
            taken if is_taken else None,
        )
        notes = recorder.Recorder(0, operation)
        notes.record_stack(stack, operation.created_at, statuses={})
        announced = notes.take()
        facts = facts.followed_by(announced)
        accepted.append(Accepted(stack, operation, announced.events[-1]))
    stacks.insert_unnamed(connection, [each.stack for each in accepted])
    operations.insert_many(connection, [each.operation for each in accepted])
    facts.store(connection)
    return accepted


def accept_operation(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
    **changed: object,
) -> None:
    """Store a further operation; it supersedes what is open.

    Where it ends before it did anything, the stack returns to its columns of
    now, unless the operation has others among its options.

    While an older operation still runs, it alone numbers the stack's events:
    the start event of the new one is then stored by its runner.

    :param changed: columns of the stack that it changes at once; where it
        is the stack around an inner one that asks, ``has_diverged`` too
    :raises orch.errors.NotSupported: the stack has only plans, and it neither
        creates nor deletes it
    """
    last_state = restoration.stack_in_force(connection, stack)
    if (
        last_state.action is states.Action.INIT
        and operation.action not in _FIRST
    ):
        raise errors.NotSupported(
            f"Stack {stack.name} is not created yet: apply a plan of it, or"
            " update or delete it."
        )
    former = stack
    operation = restoration.mark_uncreated(connection, stack, operation)
    options = dict(operation.options)
    open_operations = operations.find_open(connection, stack.id)
    if restoration.BEFORE not in options:
        before = restoration.find_before(connection, stack)
        options[restoration.BEFORE] = before
    if open_operations and operation.parent_id is None:
        options[restoration.SUPERSEDED] = {
            "operation_id": stack.operation_id,
            "inputs": restoration.inputs_of(stack),
        }
    operation = dataclasses.replace(operation, options=options)
    is_child = stack.parent_id is not None
    if is_child and operation.action in states.BRINGING_ABOUT:
        changed.setdefault("has_diverged", True)
    stack = dataclasses.replace(
        stack,
        **changed,  # type: ignore[arg-type]
    )
    _store_credential(connection, stack, operation)
    operations.supersede(connection, stack.id, operation.id)
    _notify_superseded(connection, former, open_operations, operation)
    stack = started_stack(stack, operation)
    _store_status(connection, stack, **changed)
    if open_operations:
        operations.insert(connection, operation, timeout_s=stack.timeout_s)
        return
    _insert_announced(
        connection,
        stack,
        operation,
        find_newest_event(connection, stack.id),
    )


def _notify_superseded(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    superseded: collections.abc.Iterable[operation_model.Operation],
    newer: operation_model.Operation,
) -> None:
    """Store notifications of operations that end here, without a worker.

    Of one whose start was not told yet, its end is not told either.
    """
    for each in superseded:
        has_started = each.options.get(ANNOUNCED) or each.started_at
        if not has_started and each.attempt == 1:
            continue
        ended = operations.get(connection, each.id)
        if (
            ended.state is not states.OperationState.SUPERSEDED
            or ended.superseded_by != newer.id
        ):
            continue
        notes = recorder.Recorder(
            find_newest_event(connection, stack.id), ended
        )
        facts = notes.record_superseded(
            stack,
            newer.created_at,
            ended,
            newer.id,
            resources.count_by_status(connection, stack.id),
        )
        outbox.insert_many(connection, facts.notifications)


def accept_retry(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    failed: operation_model.Operation,
    now: clock.Timestamp,
) -> bool:
    """Open an operation again that has failed; of two callers one wins.

    One whose worker is dead continues instead, and so do its events.

    :param failed: with the options and the context of the new attempt, and
        what counts as done already
    :returns: whether this caller won
    """
    columns, failed = restoration.bring_back(stack, failed)
    if not operations.reopen(
        connection,
        failed.id,
        attempt=failed.attempt + 1,
        options=failed.options,
        done=failed.done,
        timeout_s=stack.timeout_s,
        context=failed.context,
    ):
        return False
    _store_credential(connection, stack, failed)
    if failed.state is states.OperationState.RUNNING:
        return True
    again = dataclasses.replace(
        failed, attempt=failed.attempt + 1, failures=()
    )
    if columns:
        more = columns["resource_count"] - stack.resource_count
        stacks.add_to_count(connection, stack.root_id, more)
        stack = dataclasses.replace(stack, **columns)
    stack = started_stack(stack, again)
    _store_status(connection, stack, **columns)
    _store_stack_event(
        connection,
        stack,
        again,
        find_newest_event(connection, stack.id),
        now,
    )
    return True


def accept_continuation(
    connection: db_engine.Connection, stack_id: ids.StackId, continued: object
) -> None:
    """Open an operation again that was superseded by one that did nothing.

    It continues with its own inputs, as in a retry, and the tree logs in as
    it did last. One that was cancelled, or is not stored any more, stays
    ended.

    :param continued: option :data:`restoration.SUPERSEDED` of the other one
    """
    stored = typing.cast("dict[str, typing.Any]", continued)
    found = operations.find(connection, stored["operation_id"])
    if (
        found is None
        or found.is_cancelled
        or found.state is not states.OperationState.SUPERSEDED
    ):
        return
    stack = stacks.get(connection, stack_id)
    columns = restoration.columns_of(stored["inputs"])
    more = columns["resource_count"] - stack.resource_count
    stacks.add_to_count(connection, stack.root_id, more)
    stacks.update(connection, stack.id, **columns)
    context = {
        key: value for key, value in found.context.items() if key != CREDENTIAL
    }
    accept_retry(
        connection,
        dataclasses.replace(stack, **columns),
        dataclasses.replace(found, context=context),
        functions.read_clock(connection),
    )


def stack_operation(
    new_operations: operation_model.Operation, stack: stack_model.Stack
) -> operation_model.Operation:
    """Return the operation for the stack as it is declared now.

    A check covers every resource, whatever it finds.
    """
    options = dict(new_operations.options)
    if new_operations.action is states.Action.CHECK:
        options["keep_going"] = True
    return dataclasses.replace(
        new_operations,
        template_hash=stack.template_hash,
        environment_hash=stack.environment_hash,
        options=options,
    )


def started_stack(
    stack: stack_model.Stack, operation: operation_model.Operation
) -> stack_model.Stack:
    """Return the stack with the state of an accepted operation.

    The reason says whether it is a retry.
    """
    reason = f"Stack {operation.action} started"
    if operation.attempt > 1:
        reason = f"{reason} again, attempt {operation.attempt}"
    return dataclasses.replace(
        stack,
        action=operation.action,
        status=states.Status.IN_PROGRESS,
        status_reason=reason,
        blocked=None,
        operation_id=operation.id,
    )


def find_newest_event(
    connection: db_engine.Connection, stack_id: ids.StackId
) -> int:
    """Return the number of the stack's newest event; 0 when it has none."""
    found = events.find_newest(connection, stack_id)
    return found.sequence if found else 0


def _store_stack_event(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
    after: int,
    now: clock.Timestamp,
) -> None:
    """Store the event and the notification of the stack's state.

    :param after: number of the stack's newest event
    """
    statuses = {}
    if after:
        statuses = resources.count_by_status(connection, stack.id)
    notes = recorder.Recorder(after, operation)
    notes.record_stack(stack, now, statuses=statuses)
    notes.take().store(connection)


def _insert_announced(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
    after: int,
) -> None:
    """Store an operation with its start event."""
    operation = dataclasses.replace(
        operation, options={**operation.options, ANNOUNCED: True}
    )
    operations.insert(connection, operation, timeout_s=stack.timeout_s)
    _store_stack_event(
        connection, stack, operation, after, operation.created_at
    )


def _store_credential(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
) -> None:
    """Let the tree log in with what came with the request, if anything did.

    :raises orch.errors.Unavailable: it was not used in time, and is gone
    """
    given = operation.context.get(CREDENTIAL)
    if isinstance(given, str) and not credentials.activate(
        connection, given, stack.root_id
    ):
        raise errors.Unavailable(
            f"The request for stack {stack.name} took too long: what it"
            " would log in to the cloud with was removed meanwhile. Send it"
            " again."
        )


def _store_status(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    **changed: object,
) -> None:
    stacks.update(
        connection,
        stack.id,
        action=stack.action,
        status=stack.status,
        status_reason=stack.status_reason,
        blocked=None,
        operation_id=stack.operation_id,
        **changed,
    )
