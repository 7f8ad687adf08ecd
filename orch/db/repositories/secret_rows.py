"""Short rows of the resources that have anything sensitive.

Nothing here looks at whose the stacks are.
"""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import stacks
from orch.db.repositories import resources
from orch.model import resource

_RESOURCES = stacks.RESOURCES.c
_STACKS = stacks.STACKS.c
_ROWS: typing.Final = rows.Rows(
    resource.Resource,
    stacks.RESOURCES,
    names=(
        *("id", "stack_id", "name", "type_name", "mapped_type"),
        *("action", "status", "status_reason", "physical_id"),
        *("created_at", "updated_at", "properties", "desired_properties"),
        *("attributes", "metadata", "data"),
    ),
)


def list_in_tree(
    conn: sa.Connection, root_id: ids.StackId
) -> list[resource.Resource]:
    """Return what :func:`list_in_trees` does, of one tree."""
    return list_in_trees(conn, [root_id])


def list_in_trees(
    conn: sa.Connection, root_ids: collections.abc.Collection[ids.StackId]
) -> list[resource.Resource]:
    """Return the resources of trees that have anything sensitive.

    With their values alone. Those that are gone are left out.
    """
    of_tree = sa.select(_STACKS.id).where(
        _STACKS.root_id.in_(sorted(root_ids))
    )
    return _ROWS.find_all(
        conn,
        _RESOURCES.stack_id.in_(of_tree),
        _RESOURCES.has_secrets,
        ~resources.IS_GONE,
    )
