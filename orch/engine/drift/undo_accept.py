"""Undo the acceptance of drift: the baseline of before is in force again."""

import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import drift_acceptances
from orch.db.repositories import drift_history
from orch.db.repositories import observations
from orch.db.repositories import resources as repository_resources
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.drift import accept
from orch.engine.drift import state as drift_state
from orch.engine.judged_requests import judged_request
from orch.engine.queries import lookup
from orch.engine.secrets import tree_secrets
from orch.events import drifts
from orch.model import observation
from orch.planner import drift
from orch.rpc import contract

_Acceptances = dict[str, observation.Acceptance]
"""What is undone, by path of its resource."""


class NotAccepted(errors.Invalid):
    """No drift of a resource was accepted."""

    code = "orch.drift.nothing_to_undo"


class BaselineReplaced(errors.Conflict):
    """The stack has changed a resource since its drift was accepted."""

    code = "orch.drift.baseline_replaced"


def submit_undo(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    paths: accept.Paths | None,
) -> contract.UndoneAcceptances:
    """Undo the newest acceptance of resources: they have drifted again.

    :param paths: of resources, from the root of the tree; ``None``: all in the
        stack, and in its child stacks, whose acceptance can be undone
    :raises NotAccepted: no drift of a named one was accepted
    :raises BaselineReplaced: the stack has changed a named one since
    :raises orch.engine.acceptance.stack_lock.InProgress:
        an operation of one of the
        stacks is in progress
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.NotFound: this caller has no such stack
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "accept_drift")

    def work(connection: db_engine.Connection) -> contract.UndoneAcceptances:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        lookup.check_live(ctxt, stack)
        found = drift_state.load_observed(connection, deps, stack)
        undone = _undone(
            found,
            drift_acceptances.list_newest(connection, stack.root_id),
            paths,
        )
        if undone:
            judged.check(stack, paths=sorted(undone))
            judged.allow(connection)
        comparison = drift.Comparison(
            stack.root_id, deps.types, found.watch.policy, found.now
        )
        for member in sorted(found.members, key=lambda each: each.stack.id):
            changed = [one for one in member.resources if one.path in undone]
            if not changed:
                continue
            accept.lock_unchanged(connection, member.stack)
            after = [
                _undo(connection, comparison, one, undone[one.path])
                for one in changed
            ]
            redact = tree_secrets.redaction_of(
                connection, deps.templates.find, member.stack
            ).differences
            drift_history.set_expected(
                connection,
                {
                    one.row.id: redact(one.row.properties, each.differences)
                    for one, each in zip(changed, after, strict=True)
                },
            )
            accept.record(
                connection,
                member.stack,
                redact,
                [
                    drifts.Change(
                        kind=drifts.Kind.DETECTED,
                        row=one.row,
                        path=one.path,
                        differences=each.differences,
                        reason="The acceptance of its drift was undone",
                    )
                    for one, each in zip(changed, after, strict=True)
                ],
                found.now,
            )
        answer = contract.UndoneAcceptances(undone=sorted(undone))
        return idempotency.save_answer(connection, ctxt, answer)

    with judged:
        answer = judged.run(work)
    deps.notify()
    return answer


def _undone(
    found: drift_state.ObservedTree,
    acceptances: collections.abc.Mapping[
        ids.ResourceId, observation.Acceptance
    ],
    paths: accept.Paths | None,
) -> _Acceptances:
    """Return what is undone.

    :raises NotAccepted: a named one was not accepted
    :raises BaselineReplaced: a named one has a newer baseline
    """
    newest = {
        one.path: (one, acceptances[one.row.id])
        for each in found.members
        for one in each.resources
        if one.row.id in acceptances
    }
    undoable = {
        path: acceptance
        for path, (one, acceptance) in newest.items()
        if one.row.baseline == acceptance.baseline_after
        and (one.row.changed_at or 0.0) <= acceptance.accepted_at
    }
    if paths is None:
        return undoable
    absent = sorted(path for path in paths if path not in newest)
    if absent:
        raise NotAccepted(
            "No drift of these was accepted, or it was undone already:"
            f" {', '.join(absent)[:300]}. Name resources by the path that the"
            " drift of the stack shows."
        )
    replaced = sorted(path for path in paths if path not in undoable)
    if replaced:
        raise BaselineReplaced(
            f"{', '.join(replaced)[:300]} cannot return to the baseline of"
            " before: the stack has changed it since its drift was accepted."
            " Declare the values that it is to have in the template."
        )
    return {path: undoable[path] for path in paths}


def _undo(
    connection: db_engine.Connection,
    comparison: drift.Comparison,
    one: drift_state.ObservedResource,
    acceptance: observation.Acceptance,
) -> observation.Observation:
    """Store the former baseline, and what differs from it; return that."""
    row = dataclasses.replace(one.row, baseline=acceptance.baseline_before)
    after = one.observed
    if not after.is_vanished:
        before = dataclasses.replace(
            after,
            state=observation.State.DRIFTED,
            differences=acceptance.differences,
            drifted_at=acceptance.drifted_at,
        )
        after = before
        if one.observed.live is not None:
            compared = comparison.compare(
                row, one.path, one.observed.live, before
            )
            after = compared.with_accepted()
        after = dataclasses.replace(
            after, observed_at=one.observed.observed_at
        )
    repository_resources.set_baseline(
        connection, row, acceptance.baseline_before
    )
    observations.save_many(connection, [after])
    drift_acceptances.delete(connection, acceptance.id)
    drift_history.reopen(connection, row.id, acceptance.accepted_at)
    return after
