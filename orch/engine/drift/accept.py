"""Accept the drift of resources: observed values become the baseline."""

import collections.abc
import dataclasses

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import resources as repository_resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import idle
from orch.engine.drift import state as drift_state
from orch.engine.judged_requests import judged_request
from orch.engine.queries import lookup
from orch.engine.queries import visibility
from orch.engine.secrets import tree_secrets
from orch.events import drifts
from orch.flow.state import submit as flow_submit
from orch.model import observation
from orch.model import stack
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
        visibility.check_live(ctxt, stack)
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
            held = stacks.lock(connection, member.stack.id)
            idle.check_idle(connection, held)
            if held != member.stack:
                raise _moved_on(held)
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
    resources = [one for one in member.resources if one.path in accepted]
    after = {one.path: _after(one, accepted[one.path]) for one in resources}
    for one in resources:
        live = {
            each.property: each.live
            for each in _taken(one, accepted[one.path])
        }
        if not after[one.path].differences:
            live = {**(one.observed.live or {}), **live}
        repository_resources.set_baseline(
            connection, one.row, {**(one.row.baseline or {}), **live}
        )
    observations.save_many(connection, list(after.values()))
    stack = member.stack
    if stack.operation_id is None:
        return
    redacts = tree_secrets.redaction_of(connection, deps.templates.find, stack)
    facts = drifts.build_facts(
        stack,
        operations.get(connection, stack.operation_id),
        flow_submit.find_newest_event(connection, stack.id),
        [
            drifts.Change(
                kind=drifts.Kind.ACCEPTED,
                row=one.row,
                path=one.path,
                differences=redacts.differences(
                    one.row.properties, _taken(one, accepted[one.path])
                ),
            )
            for one in resources
        ],
        _drift_facts(member, after),
        repository_resources.count_by_status(connection, stack.id),
        found.now,
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


def _drift_facts(
    member: drift_state.ObservedStack,
    after: collections.abc.Mapping[str, observation.Observation],
) -> drifts.StackDrift:
    """Return the drift of a stack after some drift is accepted."""
    states = [
        after.get(one.path, one.observed).state for one in member.resources
    ]
    return drifts.StackDrift(
        state=observation.combined_state(states),
        coverage=drift_state.coverage_of(member.resources),
        drifted=states.count(observation.State.DRIFTED),
    )


def _moved_on(stack: stack.Stack) -> errors.Conflict:
    return errors.Conflict(
        f"Stack {stack.name} was changed meanwhile: read its drift again."
    )
