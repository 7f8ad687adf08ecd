"""Which resource a signal is for: the incarnation that stands for a name."""

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.engine import errors
from orch.engine import words
from orch.model import resource
from orch.model import stack


def list_named(
    connection: db_engine.Connection, subject: stack.Stack, name: str
) -> list[resource.Resource]:
    """Return all incarnations of a name; one that goes is among them.

    :raises orch.engine.errors.ResourceNotFound: there are none
    """
    found = None
    if words.is_storable(name):
        found = resources.list_named(connection, subject.id, name)
    if not found:
        raise missing(subject, name)
    return found


def find_current(
    rows: list[resource.Resource], resource_id: str | None
) -> resource.Resource | None:
    """Return the incarnation that stands for the name.

    :param resource_id: the only one that will do
    """
    wanted = None if resource_id is None else ids.ResourceId(resource_id)
    for row in reversed(rows):
        if row.is_current and wanted in (None, row.id):
            return row
    return None


def missing(subject: stack.Stack, name: str) -> errors.ResourceNotFound:
    """Return the error that says that nothing bears the name."""
    return errors.ResourceNotFound(
        f"The Resource ({name[:255]}) could not be found in Stack"
        f" {subject.name}."
    )
