"""What has become of the breakpoints of resources.

Their column has writers of its own, beside all other columns of the row:
the worker of the operation comes to a breakpoint, and a user clears it
meanwhile.
"""

import collections.abc

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import stacks
from orch.model import breakpoints
from orch.model import resource

_TABLE = stacks.RESOURCES
_KEYS = ("stack_id", "name", "id")
_PAGE = 1000

States = dict[ids.ResourceId, breakpoints.States]


def save_many(
    conn: sa.Connection, values: collections.abc.Sequence[resource.Resource]
) -> None:
    """Store what has become of the breakpoints of rows that are there."""
    if not values:
        return
    conn.execute(
        rows.setting(_TABLE, _KEYS, ("hooks",)),
        [
            rows.parameters(
                {name: getattr(each, name) for name in _KEYS},
                {"hooks": each.hooks},
            )
            for each in values
        ],
    )


def list_(
    conn: sa.Connection,
    stack_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
) -> States:
    """Return what has become of the breakpoints of these rows."""
    found: States = {}
    wanted = sorted(resource_ids)
    for start in range(0, len(wanted), _PAGE):
        chosen = conn.execute(
            sa.select(_TABLE.c.id, _TABLE.c.hooks).where(
                _TABLE.c.stack_id == stack_id,
                _TABLE.c.id.in_(wanted[start : start + _PAGE]),
            )
        )
        found.update({row.id: row.hooks for row in chosen})
    return found
