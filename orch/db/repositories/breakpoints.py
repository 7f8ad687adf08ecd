"""What has become of the breakpoints of resources.

Their column has writers of its own, beside all other columns of the row:
the worker of the operation comes to a breakpoint, and a user clears it
meanwhile.
"""

import collections.abc

import sqlalchemy as sa

from orch import ids
from orch.db.repositories import resources
from orch.model import breakpoints
from orch.model import resource

States = dict[ids.ResourceId, breakpoints.States]


def save_many(
    conn: sa.Connection, values: collections.abc.Sequence[resource.Resource]
) -> None:
    """Store what has become of the breakpoints of rows that are there."""
    resources.set_column(
        conn, "hooks", [(each, each.hooks) for each in values]
    )


def list_(
    conn: sa.Connection,
    stack_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
) -> States:
    """Return what has become of the breakpoints of these rows."""
    return resources.list_column(conn, "hooks", stack_id, resource_ids)
