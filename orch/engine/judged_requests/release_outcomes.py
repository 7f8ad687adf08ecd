"""The outcome of a release: what the operation that was to take it has done.

Post-ops of the stack that lost physical resources, or was to lose them, get
it (``sweeper``).
"""

import dataclasses
import typing

from orch.db import engine as db_engine
from orch.db.repositories import judged_requests
from orch.db.repositories import lifecycle as runs
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.model import adoption
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import states
from orch.plugin import lifecycle

_PURGED: typing.Final = "The operation that was to take it is not stored."
_PURGED_TAKER: typing.Final = "The operation that took it is not stored."
_NOT_TAKEN: typing.Final = "The operation has completed without it."

Result = tuple[lifecycle.Outcome, str]
"""An outcome, and its reason."""


def end_attempt(
    connection: db_engine.Connection, again: operation_model.Operation
) -> None:
    """Store the outcome of releases, before their operation is retried.

    One whose worker is lost continues; its releases do so too.
    """
    if adoption.SOURCES not in again.options:
        return
    found = operations.find(connection, again.id)
    if found is None or found.state in states.OPEN_STATES:
        return
    for each in judged_requests.list_releases(connection, again.id):
        judged_requests.set_outcome(connection, with_outcome(connection, each))


def with_outcome(
    connection: db_engine.Connection, run: model.Run
) -> model.Run:
    """Return a release with its outcome; its operation has ended."""
    if run.outcome:
        return run
    assert run.for_operation is not None
    operation = operations.find(connection, run.for_operation)
    if operation is None:
        outcome, reason = lifecycle.Outcome.FAILED, _PURGED
        if run.released_paths:
            outcome, reason = lifecycle.Outcome.COMPLETE, _PURGED_TAKER
    else:
        outcome, reason = _result_of(connection, operation)
        if run.released_paths:
            reason = _describe_taken(connection, run, operation, reason)
            outcome = lifecycle.Outcome.COMPLETE
        elif outcome is lifecycle.Outcome.COMPLETE:
            outcome, reason = lifecycle.Outcome.FAILED, _NOT_TAKEN
    return dataclasses.replace(run, outcome=outcome.value, reason=reason)


def list_paths(
    run: model.Run, operation: operation_model.Operation | None
) -> tuple[str, ...]:
    """Return the resources that a release is about: those that were taken.

    :returns: those that were to be taken, where none was
    """
    if run.released_paths or operation is None:
        return run.released_paths
    sources = typing.cast(
        "dict[str, list[str]]", operation.options.get(adoption.SOURCES, {})
    )
    return tuple(sources.get(run.stack_id, ()))


def _result_of(
    connection: db_engine.Connection, operation: operation_model.Operation
) -> Result:
    """Return the result of the newest attempt of an operation.

    Its own plug-ins know it best, if it has any.
    """
    own = runs.find(connection, operation.id, operation.attempt)
    if own is not None and own.outcome:
        return lifecycle.Outcome(own.outcome), own.reason
    outcome = lifecycle.Outcome.FAILED
    ended_at, deadline_at = operation.finished_at, operation.deadline_at
    if operation.state is states.OperationState.COMPLETE:
        outcome = lifecycle.Outcome.COMPLETE
    elif operation.stop_reason is not None:
        outcome = lifecycle.Outcome(operation.stop_reason.value)
    elif deadline_at and ended_at and ended_at >= deadline_at:
        outcome = lifecycle.Outcome.TIMED_OUT
    return outcome, operation.reason


def _describe_taken(
    connection: db_engine.Connection,
    run: model.Run,
    operation: operation_model.Operation,
    reason: str,
) -> str:
    """Return who has taken it, and why the rest was not taken."""
    stack = stacks.find(connection, operation.stack_id)
    name = operation.stack_id if stack is None else stack.name
    told = f"{adoption.TAKEN_OVER} {name} ({operation.stack_id})"
    sources = list_paths(
        dataclasses.replace(run, released_paths=()), operation
    )
    left = [each for each in sources if each not in run.released_paths]
    if left:
        told += f"; not taken: {', '.join(left)}: {reason or _NOT_TAKEN}"
    return told
