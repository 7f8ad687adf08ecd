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
from orch.db.repositories import events
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import idle
from orch.engine.drift import state as drift_state
from orch.engine.judged_requests import judged_request
from orch.engine.queries import lookup
from orch.engine.secrets import tree_secrets
from orch.events import drifts
from orch.flow.state import drift_records
from orch.flow.state import submit as flow_submit
from orch.model import drift_history as history
from orch.model import observation
from orch.model import stack
from orch.planner import drift
from orch.rpc import contract

Paths = collections.abc.Sequence[str]
Properties = collections.abc.Mapping[str, collections.abc.Sequence[str]]
_Accepted = collections.abc.Mapping[str, collections.abc.Collection[str]]
"""Names of drifted properties, by path of their resource."""


class NotDrifted(errors.Invalid):
    """A resource has no drift that could be accepted."""

    code = "orch.drift.nothing_to_accept"


def submit_drift_acceptance(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    paths: Paths | None,
    properties: Properties | None = None,
) -> contract.AcceptedDrift:
    """Store the last observed values as the baselines of resources.

    :param paths: of resources, from the root of the tree; ``None``: all in the
        stack, and in its child stacks, that drifted, unless properties are
        named
    :param properties: names of single ones, by path of their resource
    :raises NotDrifted: a named one did not drift, or has vanished
    :raises orch.engine.acceptance.idle.InProgress: an operation of one of the
        stacks is in progress
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.NotFound: this caller has no such stack
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "accept_drift")

    def work(connection: db_engine.Connection) -> contract.AcceptedDrift:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        lookup.check_live(ctxt, stack)
        found = drift_state.load_observed(connection, deps, stack)
        accepted = _accepted(found, paths, properties or {})
        members = [
            each
            for each in sorted(found.members, key=lambda m: m.stack.id)
            if any(one.path in accepted for one in each.resources)
        ]
        if members:
            judged.check(stack, paths=sorted(accepted))
            judged.allow(connection)
        for member in members:
            lock_unchanged(connection, member.stack)
            _accept(
                connection,
                deps,
                found,
                member,
                accepted,
            )
        answer = contract.AcceptedDrift(accepted=sorted(accepted))
        return idempotency.save_answer(connection, ctxt, answer)

    with judged:
        answer = judged.run(work)
    deps.notify()
    return answer


def _accepted(
    found: drift_state.ObservedTree,
    paths: Paths | None,
    properties: Properties,
) -> _Accepted:
    """Return the drifted properties that are accepted.

    :raises NotDrifted: a named one cannot be
    """
    resources = {
        one.path: one for each in found.members for one in each.resources
    }
    drifted = {
        path: {each.property for each in one.observed.differences}
        for path, one in resources.items()
        if one.is_drifted
    }
    if paths is None and not properties:
        return drifted
    _check_drifted(resources, drifted, {*(paths or ()), *properties})
    for path, names in properties.items():
        unchanged = sorted(set(names) - drifted[path])
        if unchanged:
            raise NotDrifted(
                f"The last observation found no drift of {path}:"
                f" {', '.join(unchanged)[:300]}. What has drifted of it:"
                f" {', '.join(sorted(drifted[path]))[:300]}."
            )
    return {
        **properties,
        **{path: drifted[path] for path in paths or ()},
    }


def _check_drifted(
    resources: collections.abc.Mapping[str, drift_state.ObservedResource],
    drifted: collections.abc.Container[str],
    paths: collections.abc.Iterable[str],
) -> None:
    """Raise NotDrifted if one of these resources has not drifted.

    :raises NotDrifted: or it has vanished
    """
    missing = sorted(path for path in paths if path not in drifted)
    if not missing:
        return
    gone = [
        path
        for path in missing
        if path in resources and resources[path].observed.is_vanished
    ]
    if gone:
        raise NotDrifted(
            f"{', '.join(gone)[:300]} has vanished: there is nothing to"
            " accept. Update the stack with converge to create it again, or"
            " remove it from the template."
        )
    raise NotDrifted(
        "The last observation found no drift of these:"
        f" {', '.join(missing)[:300]}. Name resources by the path that the"
        " drift of the stack shows."
    )


def _taken(
    one: drift_state.ObservedResource, names: collections.abc.Collection[str]
) -> tuple[observation.Difference, ...]:
    return tuple(
        each for each in one.observed.differences if each.property in names
    )


def _accept(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    found: drift_state.ObservedTree,
    member: drift_state.ObservedStack,
    accepted: _Accepted,
) -> None:
    """Store the baselines of one stack, with events and notifications."""
    changed = [one for one in member.resources if one.path in accepted]
    taken = {one.path: _taken(one, accepted[one.path]) for one in changed}
    after = [_after(one, accepted[one.path]) for one in changed]
    for one, left in zip(changed, after, strict=True):
        live = {each.property: each.live for each in taken[one.path]}
        if not left.differences:
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
                accepted_at=found.now,
                drifted_at=one.observed.drifted_at,
            ),
        )
    observations.save_many(connection, after)
    drift_history.end_many(
        connection,
        member.stack.root_id,
        {
            (one.row.id, each.property): history.End.ACCEPTED
            for one in changed
            for each in taken[one.path]
        },
        found.now,
    )
    record(
        connection,
        deps,
        member.stack,
        drifts.Kind.ACCEPTED,
        [(one, taken[one.path]) for one in changed],
        found.now,
    )


def record(
    connection: db_engine.Connection,
    deps: dependencies.Dependencies,
    stack: stack.Stack,
    kind: drifts.Kind,
    changed: collections.abc.Iterable[
        tuple[drift_state.ObservedResource, drift.Differences]
    ],
    now: clock.Timestamp,
    reason: str = "",
) -> None:
    """Store the events and notifications of a user's request about drift.

    :param changed: resources, each with the differences that are about it
    """
    if stack.operation_id is None:
        return
    redacts = tree_secrets.redaction_of(connection, deps.templates.find, stack)
    facts = drift_records.facts_of(
        connection,
        stack,
        operations.get(connection, stack.operation_id),
        flow_submit.find_newest_event(connection, stack.id),
        [
            drifts.Change(
                kind=kind,
                row=one.row,
                path=one.path,
                differences=redacts.differences(
                    one.row.properties, differences
                ),
                reason=reason,
            )
            for one, differences in changed
        ],
        now,
    )
    events.insert_many(connection, facts.events)
    outbox.insert_many(connection, facts.notifications)


def _after(
    one: drift_state.ObservedResource, names: collections.abc.Collection[str]
) -> observation.Observation:
    """Return what is known of a resource once some drift is accepted."""
    left = tuple(
        each for each in one.observed.differences if each.property not in names
    )
    return dataclasses.replace(
        one.observed,
        state=one.observed.state if left else observation.State.IN_SYNC,
        differences=left,
        drifted_at=one.observed.drifted_at if left else None,
    )


def lock_unchanged(
    connection: db_engine.Connection, stack: stack.Stack
) -> None:
    """Lock a stack that is as it was when it was read, and idle.

    :raises orch.engine.acceptance.idle.InProgress: an operation is in progress
    :raises orch.errors.Conflict: it was changed meanwhile
    """
    held = stacks.lock(connection, stack.id)
    idle.check_idle(connection, held)
    if held != stack:
        raise errors.Conflict(
            f"Stack {held.name} was changed meanwhile: read its drift again."
        )
