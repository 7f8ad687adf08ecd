"""Queries of left-over physical resources."""

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db import queries
from orch.db.repositories import leftovers
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.queries import lookup
from orch.model import leftover
from orch.rpc import contract


class LeftoverNotFound(errors.NotFound):
    """There is no such left-over physical resource, or not any more."""

    code = "orch.leftover.not_found"


def list_leftovers(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    query: contract.LeftoverQuery,
) -> list[contract.LeftoverFacts]:
    """Return those of the caller's project, the newest first."""
    named = [query.get("stack"), query.get("type"), query.get("marker")]
    if not all(each is None or lookup.is_storable(each) for each in named):
        return []
    wanted = queries.LeftoverQuery(
        project_id=ctxt.project_id or "",
        limit=query.get("limit"),
        marker=query.get("marker"),
        stack=query.get("stack"),
        type_name=query.get("type"),
        since=query.get("since"),
    )
    return deps.database.query(
        lambda connection: [
            leftover_facts(connection, each)
            for each in leftovers.list_(connection, wanted)
        ]
    )


def show_leftover(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    leftover_id: str,
) -> contract.LeftoverFacts:
    """Return one left-over physical resource.

    :raises LeftoverNotFound: this caller has none such
    """
    return deps.database.query(
        lambda connection: leftover_facts(
            connection, get_leftover(connection, ctxt, leftover_id)
        )
    )


def get_leftover(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    leftover_id: str,
    *,
    locks: bool = False,
) -> leftover.Leftover:
    """Return one left-over physical resource.

    :param locks: the row stays locked until the transaction ends
    :raises LeftoverNotFound: this caller has none such
    """
    find = leftovers.lock if locks else leftovers.find
    is_id = lookup.is_id(leftover_id)
    found = find(connection, leftover_id) if is_id else None
    if found is None or not lookup.is_visible(ctxt, found.project_id):
        raise LeftoverNotFound(
            f"There is no left-over physical resource {leftover_id[:80]}."
        )
    return found


def leftover_facts(
    connection: db_engine.Connection, found: leftover.Leftover
) -> contract.LeftoverFacts:
    """Return the facts of a left-over physical resource."""
    return contract.LeftoverFacts(
        id=found.id,
        stack=contract.StackIdentity(
            project_id=found.project_id,
            stack_name=found.stack_name,
            stack_id=found.stack_id,
        ),
        path=found.path,
        name=found.name,
        type_name=found.type_name,
        physical_id=found.physical_id,
        is_outcome_unknown=found.is_outcome_unknown,
        cause=found.cause.value,
        reason=found.reason,
        created_at=found.created_at,
        left_at=found.left_at,
        sweep=_sweep(connection, found),
    )


def _sweep(
    connection: db_engine.Connection, found: leftover.Leftover
) -> contract.SweepFacts | None:
    if found.sweep_id is None:
        return None
    sweeping = stacks.find(connection, found.sweep_id)
    if sweeping is None:
        return None
    return contract.SweepFacts(
        stack=lookup.identity_of(sweeping),
        status=sweeping.status.value,
        reason=sweeping.status_reason,
    )
