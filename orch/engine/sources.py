"""What an adoption may take from other stacks of the project.

It is determined when the request is accepted, for the whole tree. Physical
resources for child stacks are claimed in the run, and taken only from trees
that were found then: their lifecycle plug-ins have judged the request.
"""

import functools

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import ownership as owners
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import claims
from orch.engine import ownership
from orch.engine import tree_paths
from orch.engine.execution import planning
from orch.flow.state import claims as run_claims
from orch.model import adoption
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.plugin import registry


def with_sources(
    connection: db_engine.Connection,
    claimant: claims.Claimant,
    operation: operation_model.Operation,
) -> operation_model.Operation:
    """Return an operation with what it may take from other stacks.

    :param operation: the rows that it adopts and its documents are stored
    """
    if not claimant.allows_owned:
        return operation
    sources = _find_sources(
        connection,
        operation,
        claimant.types,
        claimant.project_id,
        claimant.root_id,
    )
    return ownership.with_options(operation, {adoption.SOURCES: sources})


def without_taken(
    connection: db_engine.Connection,
    again: operation_model.Operation,
    stack: stack_model.Stack,
    types: registry.Types,
) -> operation_model.Operation:
    """Return a retry that may take only what earlier attempts have not taken.

    It takes from no other trees than they did.
    """
    known = again.options.get(adoption.SOURCES)
    if not isinstance(known, dict) or not known:
        return again
    left = _find_sources(
        connection, again, types, stack.project_id, stack.root_id
    )
    sources = {root_id: left[root_id] for root_id in known if root_id in left}
    return ownership.with_options(again, {adoption.SOURCES: sources})


def _find_sources(
    connection: db_engine.Connection,
    operation: operation_model.Operation,
    types: registry.Types,
    project_id: str,
    root_id: ids.StackId,
) -> dict[str, list[str]]:
    """Return the paths of what an operation is to take, by root.

    :param project_id: of its tree
    :param root_id: of its tree
    """
    keys = {
        run_claims.key_of(row)
        for row in resources.list_(connection, operation.stack_id)
        if row.taken_from is not None
    }
    documents = planning.load_documents(connection, operation)
    keys |= claims.keys_of_documents(types, documents.values())
    found: dict[str, set[str]] = {}
    path_of = functools.cache(
        lambda stack_id: tree_paths.path_of(
            connection, stacks.get(connection, stack_id)
        )
    )
    for owner in {
        each
        for listed in owners.find_owners(connection, keys).values()
        for each in listed
        if each.project_id == project_id and each.root_id != root_id
    }:
        path = tree_paths.below(path_of(owner.stack_id), owner.name)
        found.setdefault(owner.root_id, set()).add(path)
    return {each: sorted(found[each]) for each in sorted(found)}
