"""The operations of a stack: how far they are, and what failed."""

import dataclasses
import hashlib

from orch import clock
from orch import errors as base_errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import operation_plans
from orch.db.repositories import operation_steps
from orch.db.repositories import operations
from orch.engine import dependencies
from orch.engine import errors
from orch.engine import kept_plans
from orch.engine import words
from orch.engine.operations import expectation
from orch.engine.operations import lookup
from orch.engine.operations import progress
from orch.engine.operations import read_failures
from orch.engine.operations import read_lifecycle
from orch.model import event
from orch.model import exemption
from orch.model import operation
from orch.model import states
from orch.model import step
from orch.rpc import contract


@dataclasses.dataclass(frozen=True, slots=True)
class _Found:
    """What the rows say of one operation."""

    asked: operation.Operation
    history: expectation.History
    steps: list[step.Step] | None
    events: list[event.Event]
    noted: list[step.Noted]
    failed: list[contract.FailureFacts]
    runs: read_lifecycle.Runs
    inner_holds: list[contract.InnerHoldFacts]


def list_(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> list[contract.OperationFacts]:
    """Return the operations of a stack, the newest first.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[expectation.History, read_lifecycle.RunsOf]:
        subject = lookup.get(connection, ctxt, stack_id)
        return (
            _history(connection, subject.id),
            read_lifecycle.runs_of(connection, subject.id),
        )

    history, runs_of = deps.database.query(work)
    now = deps.clock.now()
    return [
        _facts(each, history, now, runs_of.get(each.id, ()))
        for each in reversed(history.operations)
    ]


def show(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    operation_id: str,
) -> contract.OperationFacts:
    """Return one operation of a stack, step by step.

    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such operation
    """

    def work(connection: db_engine.Connection) -> _Found:
        subject = lookup.get(connection, ctxt, stack_id)
        asked = _find(connection, operation_id)
        if asked is None or asked.stack_id != subject.id:
            raise errors.OperationNotFound(
                f"The Operation ({operation_id[:255]}) could not be found."
            )
        return _Found(
            asked,
            _history(connection, subject.id),
            operation_plans.find(connection, asked.id),
            events.list_of_operation(connection, subject.id, asked.id),
            operation_steps.list_(connection, asked.id, asked.attempt),
            read_failures.list_(deps, connection, subject, asked),
            read_lifecycle.list_runs(connection, asked.id),
            read_lifecycle.list_inner_holds(connection, subject)
            if asked.state in states.OPEN_STATES
            else [],
        )

    found = deps.database.query(work)
    facts = _facts(found.asked, found.history, deps.clock.now(), found.runs)
    done = progress.of(found.events, found.noted)
    facts["resources"] = list(done.resources.values())
    facts["failed_resources"] = found.failed
    facts["inner_holds"] = found.inner_holds
    facts["steps"] = None
    if found.steps is not None:
        facts["steps"] = progress.steps(found.steps, found.asked, done)
    return facts


def _history(
    connection: db_engine.Connection, stack_id: ids.StackId
) -> expectation.History:
    return expectation.History(
        operations.list_(connection, stack_id),
        operation_plans.list_sizes(connection, stack_id),
    )


def _find(
    connection: db_engine.Connection, operation_id: str
) -> operation.Operation | None:
    if not words.is_id(operation_id):
        return None
    try:
        return operations.get(connection, ids.OperationId(operation_id))
    except base_errors.NotFound:
        return None


def _facts(
    found: operation.Operation,
    history: expectation.History,
    now: clock.Timestamp,
    runs: read_lifecycle.Runs,
) -> contract.OperationFacts:
    exempt = exemption.Exemption.of(found.options)
    plan_id = found.options.get(kept_plans.PLAN)
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
        skip=sorted(exempt.skip),
        orphan=sorted(exempt.orphan),
        keep_going=bool(found.options.get("keep_going")),
        plan_id=str(plan_id) if plan_id else None,
        superseded_by=found.superseded_by,
        asked_by=found.asked_by,
        worker=found.owner,
        next_try_at=found.next_try_at,
        expected_at=history.find_end(found, now),
        created_at=found.created_at,
        started_at=found.started_at,
        finished_at=found.finished_at,
        lifecycle=read_lifecycle.calls_of(runs),
        hold=read_lifecycle.hold_of(runs, found.attempt),
    )


def _attempt(kept: operation.Attempt) -> contract.AttemptFacts:
    return contract.AttemptFacts(
        number=kept["number"],
        asked_by=kept["asked_by"],
        state=kept["state"],
        reason=kept["reason"],
        started_at=kept["started_at"],
        finished_at=kept["finished_at"],
    )


def _inputs_hash(found: operation.Operation) -> str | None:
    """Return one hash of template, environment, parameters and files."""
    if found.template_hash is None or found.environment_hash is None:
        return None
    both = f"{found.template_hash}/{found.environment_hash}"
    return hashlib.sha256(both.encode()).hexdigest()
