"""Find the target of a signal: the current incarnation of a resource.

A caller who names one incarnation by its id still means it when another has
replaced it and it is being removed: the removal may wait for a signal.
"""

from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.model import resource
from orch.model import stack
from orch.model import states


def list_named(
    connection: db_engine.Connection, stack: stack.Stack, name: str
) -> list[resource.Resource]:
    """Return all incarnations of a name, also one that is being removed.

    :raises orch.engine.queries.errors.ResourceNotFound: no incarnation exists
    """
    found = None
    if lookup.is_storable(name):
        found = resources.list_named(connection, stack.id, name)
    if not found:
        raise resource_missing(stack, name)
    return found


def find_target(
    rows: list[resource.Resource], resource_id: str | None
) -> resource.Resource | None:
    """Return the incarnation that a signal is for.

    :param resource_id: of the only possible one, also while it is being
        removed; ``None`` for the current one
    """
    for row in reversed(rows):
        is_meant = resource_id in (None, row.id)
        is_leaving = resource_id is not None and _is_leaving(row)
        if is_meant and (row.is_current or is_leaving):
            return row
    return None


def resource_missing(stack: stack.Stack, name: str) -> errors.ResourceNotFound:
    """Return the error that the stack has no resource of that name."""
    return errors.ResourceNotFound(
        f"The Resource ({name[:255]}) could not be found in Stack"
        f" {stack.name}."
    )


def _is_leaving(row: resource.Resource) -> bool:
    return row.action is states.Action.DELETE and not row.is_gone
