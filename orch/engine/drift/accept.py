"""Accept the drift of resources: observed values become the baseline."""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import stack_lock
from orch.engine.drift import named_drift
from orch.engine.drift import state as drift_state
from orch.engine.judged_requests import judged_request
from orch.engine.queries import lookup
from orch.events import drifts
from orch.flow.state import drift_records
from orch.model import drift_history as history
from orch.model import observation
from orch.model import stack
from orch.planner import drift
from orch.rpc import contract

Paths = collections.abc.Sequence[str]
Changed = tuple[drift.ObservedResource, str]
"""A resource with another baseline from now on, and the reason."""

Chosen = typing.TypeVar("Chosen")
Answer = typing.TypeVar("Answer")


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
    :raises orch.errors.OrchError: as :func:`change_baselines`
    """
    return change_baselines(
        deps,
        ctxt,
        stack_id,
        lambda connection, found: named_drift.find_named(
            connection, deps, found, paths, properties or {}
        ),
        lambda _connection, _found, one, chosen: _accept(one, chosen),
        lambda accepted: contract.AcceptedDrift(accepted=accepted),
    )


def change_baselines(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    choose: collections.abc.Callable[
        [db_engine.Connection, drift_state.ObservedTree],
        collections.abc.Mapping[str, Chosen],
    ],
    change: collections.abc.Callable[
        [
            db_engine.Connection,
            drift_state.ObservedTree,
            drift_state.ObservedResource,
            Chosen,
        ],
        Changed,
    ],
    answer: collections.abc.Callable[[list[str]], Answer],
) -> Answer:
    """Change the baselines of resources of a stack and its child stacks.

    :param choose: returns what is changed, by path of its resource
    :param change: returns one resource with its new baseline
    :param answer: returns the answer, from the paths of those resources
    :raises orch.engine.acceptance.stack_lock.InProgress: an operation of one
        of the stacks is in progress
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.Conflict: a stack was changed meanwhile
    :raises orch.errors.NotFound: this caller has no such stack
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "accept_drift")

    def work(connection: db_engine.Connection) -> Answer:
        stack = lookup.get_live(connection, ctxt, stack_id)
        found = drift_state.load_observed(connection, deps, stack)
        chosen = choose(connection, found)
        if chosen:
            judged.check(stack, paths=sorted(chosen))
            judged.allow(connection)
        for member in sorted(found.members, key=lambda each: each.stack.id):
            resources = [one for one in member.resources if one.path in chosen]
            if resources:
                _lock_unchanged(connection, member.stack)
                changed = [
                    change(connection, found, one, chosen[one.path])
                    for one in resources
                ]
                _save(connection, deps, member.stack, found, changed)
        return idempotency.save_answer(
            connection, ctxt, answer(sorted(chosen))
        )

    with judged:
        answered = judged.run(work)
    deps.notify()
    return answered


def _save(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack.Stack,
    found: drift_state.ObservedTree,
    changed: collections.abc.Sequence[Changed],
) -> None:
    """Store baselines, observations, history and events of one stack."""
    deps.records.save(
        connection,
        found.watch.root_id,
        history.Look.REQUEST,
        [
            drift_records.StackObservations(
                stack=stack, resources=tuple(one for one, _ in changed)
            )
        ],
        found.now,
    )
    deps.records.record(
        connection,
        stack,
        [
            drifts.Change(
                kind=(
                    drifts.Kind.ACCEPTED
                    if one.accepted
                    else drifts.Kind.DETECTED
                ),
                row=one.row,
                path=one.path,
                differences=one.accepted or one.after.differences,
                reason=reason,
            )
            for one, reason in changed
        ],
        found.now,
    )


def _accept(
    one: drift_state.ObservedResource, chosen: named_drift.NamedDrift
) -> Changed:
    """Return a resource whose drift becomes its baseline."""
    after = dataclasses.replace(one.observed, differences=chosen.left)
    if not chosen.left:
        after = dataclasses.replace(
            after,
            state=observation.State.IN_SYNC,
            reason="",
            drifted_at=None,
        )
    accepted = drift.ObservedResource(
        row=one.row,
        path=one.path,
        before=one.observed,
        after=after,
        accepted=chosen.taken,
    )
    return accepted, f"Its drift was accepted: {', '.join(chosen.names)}"


def _lock_unchanged(
    connection: db_engine.Connection, stack: stack.Stack
) -> None:
    """Lock a stack that is as it was when it was read.

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
