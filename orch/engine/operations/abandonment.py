"""Finds the abandonment of a stack that somebody asks for."""

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import abandonments
from orch.model import abandonment


class NotKept(errors.NotFound):
    """There is no document of that abandonment, or not any more."""

    code = "orch.abandonment.not_found"


def find(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
) -> abandonment.Abandonment:
    """Return the abandonment with which a stack was let go of.

    :raises NotKept: it was not, or too long ago, or is not the caller's
    """
    found = abandonments.find_committed(connection, ids.StackId(stack_id))
    if found is None or (
        found.project_id != ctxt.project_id and not ctxt.is_admin
    ):
        raise NotKept(
            f"There is no document of an abandoned stack {stack_id[:80]}."
        )
    return found
