"""Finds the stack of a thing in the cloud."""

from orch import errors as base_errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.engine import dependencies
from orch.engine import errors
from orch.engine import words
from orch.engine.operations import lookup
from orch.rpc import contract


def stack_of(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    physical_id: str,
) -> contract.StackIdentity:
    """Return the stack of the resource that has a physical id.

    Where several have it, the newest resource of the caller's project counts.

    :raises orch.engine.errors.ResourceNotFound: this caller has none such
    """

    def work(
        connection: db_engine.Connection,
    ) -> contract.StackIdentity | None:
        for row in resources.list_physical(connection, physical_id):
            if not row.is_current:
                continue
            try:
                subject = lookup.get(connection, ctxt, row.stack_id)
            except base_errors.NotFound:
                continue
            if subject.deleted_at is None and (
                subject.project_id == ctxt.project_id
            ):
                return lookup.identity_of(subject)
        return None

    is_sound = words.is_storable(physical_id)
    found = deps.database.query(work) if is_sound else None
    if found is None:
        raise errors.ResourceNotFound(
            f"No resource has the physical id {physical_id[:255]}."
        )
    return found
