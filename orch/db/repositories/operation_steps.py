"""How far the steps of operations are of which no resource tells."""

import collections.abc

import sqlalchemy as sa

from orch import ids
from orch.db import rows as db_rows
from orch.db.models import stacks
from orch.model import operation
from orch.model import step

_TABLE = stacks.OPERATION_STEPS


def save_many(
    conn: sa.Connection,
    asked: operation.Operation,
    found: collections.abc.Sequence[step.Noted],
) -> None:
    """Store how far steps are of an operation's attempt."""
    rows: list[dict[str, object]] = [
        {
            "operation_id": asked.id,
            "attempt": asked.attempt,
            "resource_id": each.resource_id,
            "kind": each.kind,
            "stack_id": asked.stack_id,
            "state": each.state,
        }
        for each in found
    ]
    db_rows.save(conn, _TABLE, rows, ("state",))


def list_(
    conn: sa.Connection, operation_id: ids.OperationId, attempt: int
) -> list[step.Noted]:
    """Return the steps of an attempt that were stored, in no order."""
    found = conn.execute(
        sa.select(_TABLE.c.kind, _TABLE.c.resource_id, _TABLE.c.state).where(
            _TABLE.c.operation_id == operation_id,
            _TABLE.c.attempt == attempt,
        )
    )
    return [
        step.Noted(row.kind, ids.ResourceId(row.resource_id), row.state)
        for row in found
    ]
