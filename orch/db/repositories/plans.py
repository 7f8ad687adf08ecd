"""Saved plans of operations."""

import sqlalchemy as sa

from orch import errors
from orch import ids
from orch.db import rows
from orch.db.models import stacks
from orch.model import saved_plan

_TABLE = stacks.PLANS
_ROWS = rows.Rows(saved_plan.SavedPlan, _TABLE)


def insert(conn: sa.Connection, value: saved_plan.SavedPlan) -> None:
    """Store a new plan; one of the same id stays as it is."""
    rows.insert(conn, _TABLE, [_ROWS.values(value)])


def get(conn: sa.Connection, plan_id: str) -> saved_plan.SavedPlan:
    """Return the plan.

    :raises orch.errors.NotFound: none has that id
    """
    found = _ROWS.first(conn.execute(_ROWS.by("id"), {"key_id": plan_id}))
    if found is None:
        raise errors.NotFound(f"The Plan ({plan_id}) could not be found.")
    return found


def list_(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[saved_plan.SavedPlan]:
    """Return the plans of the stack, the oldest first."""
    return _ROWS.all(
        conn.execute(
            _ROWS.select()
            .where(_TABLE.c.stack_id == stack_id)
            .order_by(_TABLE.c.created_at, _TABLE.c.id)
        )
    )


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
    done = conn.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.id == plan_id, _TABLE.c.operation_id.is_(None))
        .values(operation_id=operation_id)
    )
    return done.rowcount == 1


def delete(conn: sa.Connection, plan_id: str) -> bool:
    """Forget the plan.

    :returns: whether it was there
    """
    done = conn.execute(sa.delete(_TABLE).where(_TABLE.c.id == plan_id))
    return done.rowcount == 1
