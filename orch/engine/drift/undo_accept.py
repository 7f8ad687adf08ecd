"""Undo the acceptance of drift: the baseline of before is in force again."""

import dataclasses
import functools

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import drift_acceptances
from orch.db.repositories import drift_history
from orch.db.repositories import resources
from orch.engine import dependencies
from orch.engine.drift import accept
from orch.engine.drift import state as drift_state
from orch.model import observation
from orch.planner import drift
from orch.plugin import registry
from orch.rpc import contract


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
    :raises orch.errors.OrchError: as
        :func:`orch.engine.drift.accept.change_baselines`
    """
    return accept.change_baselines(
        deps,
        ctxt,
        stack_id,
        lambda connection, found: _find_undone(connection, found, paths),
        functools.partial(_undo, deps.types),
        lambda undone: contract.UndoneAcceptances(undone=undone),
    )


def _find_undone(
    connection: db_engine.Connection,
    found: drift_state.ObservedTree,
    paths: accept.Paths | None,
) -> dict[str, observation.Acceptance]:
    """Return what is undone, by path of its resource.

    :raises NotAccepted: a named one was not accepted
    :raises BaselineReplaced: a named one has a newer baseline
    """
    acceptances = drift_acceptances.list_newest(
        connection, found.watch.root_id
    )
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
    types: registry.Types,
    connection: db_engine.Connection,
    found: drift_state.ObservedTree,
    one: drift_state.ObservedResource,
    acceptance: observation.Acceptance,
) -> accept.Changed:
    """Store the former baseline of a resource."""
    row = dataclasses.replace(one.row, baseline=acceptance.baseline_before)
    after = one.observed
    if not after.is_vanished:
        after = dataclasses.replace(
            after,
            state=observation.State.DRIFTED,
            differences=acceptance.differences,
            drifted_at=acceptance.drifted_at,
        )
    if not after.is_vanished and after.live is not None:
        comparison = drift.Comparison(
            after.root_id, types, found.watch.policy, after.observed_at
        )
        after = comparison.compare(
            row, one.path, after.live, after
        ).with_accepted()
    resources.set_baseline(connection, row, acceptance.baseline_before)
    drift_acceptances.delete(connection, acceptance.id)
    drift_history.reopen(connection, row.id, acceptance.accepted_at)
    undone = drift.ObservedResource(
        row=row, path=one.path, before=one.observed, after=after
    )
    return undone, "The acceptance of its drift was undone"
