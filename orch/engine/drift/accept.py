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
from orch.events import drifts
from orch.flow.state import submit as flow_submit
from orch.model import observation
from orch.model import stack
from orch.rpc import contract

Paths = collections.abc.Sequence[str]


class NotDrifted(errors.Invalid):
    """A resource has no drift that could be accepted."""

    code = "orch.drift.nothing_to_accept"


def submit_drift_acceptance(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    paths: Paths | None,
) -> contract.AcceptedDrift:
    """Store the last observed values as the baselines of resources.

    :param paths: of resources, from the root of the tree; ``None``: all in the
        stack, and in its child stacks, that drifted
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
        accepted_paths = _accepted_paths(found, paths)
        members = [
            each
            for each in sorted(found.members, key=lambda m: m.stack.id)
            if any(one.path in accepted_paths for one in each.resources)
        ]
        if members:
            judged.check(stack, paths=sorted(accepted_paths))
            judged.allow(connection)
        for member in members:
            held = stacks.lock(connection, member.stack.id)
            idle.check_idle(connection, held)
            if held != member.stack:
                raise _moved_on(held)
            _accept(
                connection,
                found,
                member,
                [
                    one
                    for one in member.resources
                    if one.path in accepted_paths
                ],
            )
        answer = contract.AcceptedDrift(accepted=sorted(accepted_paths))
        return idempotency.save_answer(connection, ctxt, answer)

    with judged:
        answer = judged.run(work)
    deps.notify()
    return answer


def _accepted_paths(
    found: drift_state.ObservedTree, paths: Paths | None
) -> set[str]:
    """Return the paths of the resources whose drift is accepted.

    :raises NotDrifted: that of a named one cannot be
    """
    resources = {
        one.path: one for each in found.members for one in each.resources
    }
    drifted = {path for path, one in resources.items() if one.is_drifted}
    if paths is None:
        return drifted
    missing = sorted(set(paths) - drifted)
    if not missing:
        return set(paths)
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


def _accept(
    connection: db_engine.Connection,
    found: drift_state.ObservedTree,
    member: drift_state.ObservedStack,
    resources: collections.abc.Sequence[drift_state.ObservedResource],
) -> None:
    """Store the baselines of one stack, with events and notifications."""
    for one in resources:
        baseline = {**(one.row.baseline or {}), **(one.observed.live or {})}
        repository_resources.set_baseline(connection, one.row, baseline)
    observations.save_many(
        connection,
        [
            dataclasses.replace(
                one.observed,
                state=observation.State.IN_SYNC,
                differences=(),
                drifted_at=None,
            )
            for one in resources
        ],
    )
    stack = member.stack
    if stack.operation_id is None:
        return
    facts = drifts.build_facts(
        stack,
        operations.get(connection, stack.operation_id),
        flow_submit.find_newest_event(connection, stack.id),
        [
            drifts.Change(
                kind=drifts.Kind.ACCEPTED, row=one.row, path=one.path
            )
            for one in resources
        ],
        _drift_facts(member, {one.path for one in resources}),
        repository_resources.count_by_status(connection, stack.id),
        found.now,
    )
    events.insert_many(connection, facts.events)
    outbox.insert_many(connection, facts.notifications)


def _drift_facts(
    member: drift_state.ObservedStack, accepted: collections.abc.Container[str]
) -> drifts.StackDrift:
    """Return the drift of a stack after some resources are accepted."""
    states = [
        observation.State.IN_SYNC
        if one.path in accepted
        else one.observed.state
        for one in member.resources
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
