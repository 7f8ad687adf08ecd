"""What an adoption may take from other stacks of the project.

It is determined when the request is accepted, for the whole tree. Physical
resources for child stacks are claimed in the run, and taken only from trees
that were found then: their lifecycle plug-ins have judged the request.
"""

import functools

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
    keys = {
        run_claims.key_of(row)
        for row in resources.list_(connection, operation.stack_id)
        if row.taken_from is not None
    }
    documents = planning.load_documents(connection, operation)
    keys |= claims.keys_of_documents(claimant.types, documents.values())
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
        if each.project_id == claimant.project_id
        and each.root_id != claimant.root_id
    }:
        path = tree_paths.below(path_of(owner.stack_id), owner.name)
        found.setdefault(owner.root_id, set()).add(path)
    sources = {root_id: sorted(found[root_id]) for root_id in sorted(found)}
    return ownership.with_options(operation, {adoption.SOURCES: sources})
