"""Snapshots: stored states of stacks."""

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import stacks
from orch.model import snapshot

_TABLE = stacks.SNAPSHOTS
_ROWS = rows.Rows(snapshot.Snapshot, _TABLE, _TABLE.c.created_at, _TABLE.c.id)


insert = _ROWS.insert
find = _ROWS.find
update = _ROWS.update
delete = _ROWS.delete


def list_(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[snapshot.Snapshot]:
    """Return the snapshots of the stack, the oldest first."""
    return _ROWS.find_by(conn, stack_id=stack_id)


def count(conn: sa.Connection, stack_id: ids.StackId) -> int:
    """Return how many snapshots the stack has."""
    return _ROWS.count(conn, _TABLE.c.stack_id == stack_id)


def delete_tree(conn: sa.Connection, root_id: ids.StackId) -> None:
    """Delete all snapshots of the stacks of a tree, deleted ones included."""
    tree = sa.select(stacks.STACKS.c.id).where(
        stacks.STACKS.c.root_id == root_id
    )
    conn.execute(sa.delete(_TABLE).where(_TABLE.c.stack_id.in_(tree)))
