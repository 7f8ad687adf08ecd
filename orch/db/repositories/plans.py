"""Saved plans of operations."""

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import stacks
from orch.model import saved_plan

_TABLE = stacks.PLANS
_ROWS = rows.Rows(
    saved_plan.SavedPlan,
    _TABLE,
    _TABLE.c.created_at,
    _TABLE.c.id,
    noun="Plan",
)


insert = _ROWS.insert
get = _ROWS.get
delete = _ROWS.delete


def list_(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[saved_plan.SavedPlan]:
    """Return the plans of the stack, the oldest first."""
    return _ROWS.find_by(conn, stack_id=stack_id)


def list_bases(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[tuple[str, str, ids.OperationId | None]]:
    """Return id, basis and operation of the stack's plans, oldest first."""
    columns = (_TABLE.c.id, _TABLE.c.basis, _TABLE.c.operation_id)
    found = conn.execute(
        sa.select(*columns)
        .where(_TABLE.c.stack_id == stack_id)
        .order_by(_TABLE.c.created_at, _TABLE.c.id)
    )
    return [(each.id, each.basis, each.operation_id) for each in found]


def apply(
    conn: sa.Connection, plan_id: str, operation_id: ids.OperationId
) -> bool:
    """Note which operation runs the plan; of two callers one wins.

    :returns: whether no other request was first
    """
    return rows.is_changed(
        conn,
        sa.update(_TABLE)
        .where(_TABLE.c.id == plan_id, _TABLE.c.operation_id.is_(None))
        .values(operation_id=operation_id),
    )
