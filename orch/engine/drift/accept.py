"""Accept the drift of resources: observed values become the baseline."""

import collections.abc
import dataclasses

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import drift_acceptances
from orch.db.repositories import drift_history
from orch.db.repositories import observations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import stack_lock
from orch.engine.drift import named_drift
from orch.engine.drift import state as drift_state
from orch.engine.judged_requests import judged_request
from orch.engine.queries import lookup
from orch.engine.secrets import tree_secrets
from orch.events import drifts
from orch.flow.state import drift_records
from orch.model import drift_history as history
from orch.model import observation
from orch.model import stack
from orch.rpc import contract

Paths = collections.abc.Sequence[str]


def submit_drift_acceptance(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    paths: Paths | None,
    properties: named_drift.Properties | None = None,
) -> contract.AcceptedDrift:
    """Store the last observed values as the baselines of resources.

    :param paths: of resources, from the root of the tree; ``None``: all in the
        stack, and in its child stacks, that drifted, unless properties are
        named
    :param properties: names of single ones, or of places in them, by path of
        their resource
    :raises orch.engine.drift.named_drift.NotDrifted: a named one did not
        drift, or has vanished
    :raises orch.engine.acceptance.stack_lock.InProgress: an operation of one
        of the stacks is in progress
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.NotFound: this caller has no such stack
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "accept_drift")

    def work(connection: db_engine.Connection) -> contract.AcceptedDrift:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        lookup.check_live(ctxt, stack)
        found = drift_state.load_observed(connection, deps, stack)
        accepted = named_drift.find_named(
            connection, deps, found, paths, properties or {}
        )
        if accepted:
            judged.check(stack, paths=sorted(accepted))
            judged.allow(connection)
        for member in sorted(found.members, key=lambda m: m.stack.id):
            chosen = [
                accepted[one.path]
                for one in member.resources
                if one.path in accepted
            ]
            if chosen:
                lock_unchanged(connection, member.stack)
                _accept(connection, deps, member.stack, chosen, found.now)
        answer = contract.AcceptedDrift(accepted=sorted(accepted))
        return idempotency.save_answer(connection, ctxt, answer)

    with judged:
        answer = judged.run(work)
    deps.notify()
    return answer


def _accept(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack.Stack,
    chosen: collections.abc.Sequence[named_drift.NamedDrift],
    now: clock.Timestamp,
) -> None:
    """Store the baselines of one stack, with events and notifications."""
    for each in chosen:
        one = each.resource
        live = {taken.property: taken.live for taken in each.taken}
        if not each.left:
            live = {**(one.observed.live or {}), **live}
        drift_acceptances.accept(
            connection,
            one.row,
            observation.Acceptance(
                id=ids.new(),
                root_id=one.observed.root_id,
                stack_id=one.row.stack_id,
                resource_id=one.row.id,
                baseline_before=one.row.baseline,
                baseline_after={**(one.row.baseline or {}), **live},
                differences=one.observed.differences,
                accepted_at=now,
                drifted_at=one.observed.drifted_at,
            ),
        )
    observations.save_many(connection, [_after(each) for each in chosen])
    redact = tree_secrets.redaction_of(
        connection, deps.templates.find, stack
    ).differences
    drift_history.end_many(
        connection,
        stack.root_id,
        {
            (each.resource.row.id, name): history.End.ACCEPTED
            for each in chosen
            for name in each.ended
        },
        now,
    )
    drift_history.set_expected(
        connection,
        {
            each.resource.row.id: redact(
                each.resource.row.properties, each.left
            )
            for each in chosen
        },
    )
    record(
        connection,
        stack,
        redact,
        [
            drifts.Change(
                kind=drifts.Kind.ACCEPTED,
                row=each.resource.row,
                path=each.resource.path,
                differences=each.taken,
                reason=f"Its drift was accepted: {', '.join(each.names)}",
            )
            for each in chosen
        ],
        now,
    )


def record(
    connection: db_engine.Connection,
    stack: stack.Stack,
    redact: drift_records.Redact,
    changes: collections.abc.Iterable[drifts.Change],
    now: clock.Timestamp,
) -> None:
    """Store the events and notifications of a user's request about drift.

    :param changes: with values as they are
    """
    drift_records.record(
        connection,
        stack,
        [
            dataclasses.replace(
                each,
                differences=redact(each.row.properties, each.differences),
            )
            for each in changes
        ],
        now,
    )


def _after(chosen: named_drift.NamedDrift) -> observation.Observation:
    """Return what is known of a resource once some drift is accepted."""
    one = chosen.resource.observed
    if chosen.left:
        return dataclasses.replace(one, differences=chosen.left)
    return dataclasses.replace(
        one,
        state=observation.State.IN_SYNC,
        differences=(),
        reason="",
        drifted_at=None,
    )


def lock_unchanged(
    connection: db_engine.Connection, stack: stack.Stack
) -> None:
    """Lock a stack that is as it was when it was read, and stack_lock.

    :raises orch.engine.acceptance.stack_lock.InProgress:
        an operation is in progress
    :raises orch.errors.Conflict: it was changed meanwhile
    """
    held = stacks.lock(connection, stack.id)
    stack_lock.check_idle(connection, held)
    if held != stack:
        raise errors.Conflict(
            f"Stack {held.name} was changed meanwhile: read its drift again."
        )
