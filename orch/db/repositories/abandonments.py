"""Abandonments: documents of abandoned stacks."""

import sqlalchemy as sa

from orch import ids
from orch.db import bulk
from orch.db import functions
from orch.db import rows
from orch.db.models import abandonments
from orch.model import abandonment

_TABLE = abandonments.ABANDONMENTS
_ROWS = rows.Rows(abandonment.Abandonment, _TABLE)
_DAY_S = 86400.0


def insert(conn: sa.Connection, value: abandonment.Abandonment) -> None:
    """Store a new abandonment; one of the same id stays as it is."""
    bulk.insert(conn, _TABLE, [_ROWS.values(value)])


def find(
    conn: sa.Connection, abandonment_id: str
) -> abandonment.Abandonment | None:
    """Return the abandonment of that id, if it is kept."""
    return _ROWS.first(
        conn.execute(_ROWS.by("id"), {"key_id": abandonment_id})
    )


def find_committed(
    conn: sa.Connection, stack_id: ids.StackId
) -> abandonment.Abandonment | None:
    """Return the abandonment with which the stack was let go of, if any."""
    return _ROWS.first(
        conn.execute(
            _ROWS.select()
            .where(
                _TABLE.c.stack_id == stack_id,
                _TABLE.c.operation_id.is_not(None),
            )
            .order_by(_TABLE.c.created_at.desc(), _TABLE.c.id)
            .limit(1)
        )
    )


def commit(
    conn: sa.Connection, abandonment_id: str, operation_id: ids.OperationId
) -> None:
    """Note which operation lets go of the stack."""
    conn.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.id == abandonment_id)
        .values(operation_id=operation_id)
    )


def forget_old(conn: sa.Connection, days: float) -> int:
    """Forget the documents of abandonments of so long ago.

    :returns: how many there were
    """
    bound = functions.now() - days * _DAY_S
    return conn.execute(
        sa.delete(_TABLE).where(_TABLE.c.created_at < bound)
    ).rowcount
