"""Operations that are blocked in a tree of stacks."""

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import stacks
from orch.model import stack
from orch.model import states

_OPERATIONS = stacks.OPERATIONS
_STACKS = stacks.STACKS
_STACK_ROWS = rows.Rows(stack.Stack, _STACKS)
_IS_BLOCKED = sa.and_(
    _OPERATIONS.c.id == _STACKS.c.operation_id,
    _OPERATIONS.c.state == states.OperationState.BLOCKED,
)


def list_stacks(
    conn: sa.Connection, root_id: ids.StackId
) -> list[stack.Stack]:
    """Return the stacks of a tree whose operations are blocked."""
    found = (
        _STACK_ROWS.select()
        .join(_OPERATIONS, _IS_BLOCKED)
        .where(_STACKS.c.root_id == root_id)
        .order_by(_STACKS.c.id)
    )
    return _STACK_ROWS.all(conn.execute(found))


def list_parents(
    conn: sa.Connection, root_id: ids.StackId
) -> dict[ids.StackId, ids.StackId | None]:
    """Return the parent of each stack of a tree."""
    found = sa.select(_STACKS.c.id, _STACKS.c.parent_id).where(
        _STACKS.c.root_id == root_id, _STACKS.c.deleted_at.is_(None)
    )
    return {row.id: row.parent_id for row in conn.execute(found)}
