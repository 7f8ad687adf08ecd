"""Snapshots: stored states of stacks."""

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import stacks
from orch.model import snapshot

_TABLE = stacks.SNAPSHOTS
_ROWS = rows.Rows(snapshot.Snapshot, _TABLE)


def insert(conn: sa.Connection, value: snapshot.Snapshot) -> None:
    """Store a new snapshot."""
    conn.execute(sa.insert(_TABLE).values(_ROWS.values(value)))


def find(conn: sa.Connection, snapshot_id: str) -> snapshot.Snapshot | None:
    """Return the snapshot of that id, if there is one."""
    return _ROWS.first(conn.execute(_ROWS.by("id"), {"key_id": snapshot_id}))


def list_(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[snapshot.Snapshot]:
    """Return the snapshots of the stack, the oldest first."""
    return _ROWS.all(
        conn.execute(
            _ROWS.select()
            .where(_TABLE.c.stack_id == stack_id)
            .order_by(_TABLE.c.created_at, _TABLE.c.id)
        )
    )


def count(conn: sa.Connection, stack_id: ids.StackId) -> int:
    """Return how many snapshots the stack has."""
    return conn.execute(
        sa.select(sa.func.count()).where(_TABLE.c.stack_id == stack_id)
    ).scalar_one()


def update(conn: sa.Connection, snapshot_id: str, **changed: object) -> None:
    """Change columns of a snapshot; one that is gone stays so."""
    conn.execute(
        sa.update(_TABLE).where(_TABLE.c.id == snapshot_id).values(changed)
    )


def delete(conn: sa.Connection, snapshot_id: str) -> None:
    """Forget the snapshot; already gone is success."""
    conn.execute(sa.delete(_TABLE).where(_TABLE.c.id == snapshot_id))


def delete_all(conn: sa.Connection, stack_id: ids.StackId) -> None:
    """Forget all snapshots of the stack."""
    conn.execute(sa.delete(_TABLE).where(_TABLE.c.stack_id == stack_id))
