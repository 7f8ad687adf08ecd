"""Abandonments: documents of abandoned stacks."""

import collections.abc

import sqlalchemy as sa

from orch import ids
from orch.db import functions
from orch.db import pages
from orch.db import rows
from orch.db.models import forwarding
from orch.model import abandonment

_TABLE = forwarding.ABANDONMENTS
_ROWS = rows.Rows(abandonment.Abandonment, _TABLE)

_HAND_OVERS = rows.Rows(abandonment.HandOver, _TABLE)
_DAY_S = 86400.0


insert = _ROWS.insert
find = _ROWS.find
update = _ROWS.update


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
    """Note which operation lets go of the stack.

    An earlier abandonment of it, after which it was changed, counts no more.
    """
    stack_id = sa.select(_TABLE.c.stack_id).where(
        _TABLE.c.id == abandonment_id
    )
    conn.execute(
        sa.update(_TABLE)
        .where(
            _TABLE.c.stack_id == conn.scalar(stack_id),
            _TABLE.c.id != abandonment_id,
        )
        .values(operation_id=None, receiver_id=None)
    )
    update(conn, abandonment_id, operation_id=operation_id)


def find_hand_over(
    conn: sa.Connection, stack_id: str, *, locks: bool = False
) -> abandonment.HandOver | None:
    """Return the committed abandonment of a stack, without its document.

    :param locks: the row stays locked until the transaction ends
    """
    statement = (
        _HAND_OVERS.select()
        .where(
            _TABLE.c.stack_id == stack_id, _TABLE.c.operation_id.is_not(None)
        )
        .order_by(_TABLE.c.created_at.desc(), _TABLE.c.id)
        .limit(1)
    )
    if locks:
        statement = statement.with_for_update()
    return _HAND_OVERS.first(conn.execute(statement))


def list_committed(
    conn: sa.Connection, stack_ids: collections.abc.Collection[ids.StackId]
) -> list[abandonment.HandOver]:
    """Return the committed abandonment of each of some stacks."""
    found = _HAND_OVERS.all(
        conn.execute(
            _HAND_OVERS.select()
            .where(
                _TABLE.c.stack_id.in_(sorted(stack_ids)),
                _TABLE.c.operation_id.is_not(None),
            )
            .order_by(_TABLE.c.created_at, _TABLE.c.id.desc())
        )
    )
    return list({each.stack_id: each for each in found}.values())


def list_hand_overs(
    conn: sa.Connection,
    project_id: str,
    *,
    limit: int | None = None,
    marker: str | None = None,
) -> list[abandonment.HandOver]:
    """Return those that a project hands over or is offered, newest first.

    :param limit: how many at most; ``None`` for all
    :param marker: id of the stack after which to go on; one that is not among
        them is passed over
    """
    is_shown = sa.and_(
        _TABLE.c.receiver_id.is_not(None),
        sa.or_(
            _TABLE.c.receiver_id == project_id,
            _TABLE.c.project_id == project_id,
        ),
    )
    order = pages.Order((_TABLE.c.offered_at, _TABLE.c.id), True)
    statement = _HAND_OVERS.select().where(is_shown)
    if marker is not None:
        last = sa.and_(is_shown, _TABLE.c.stack_id == marker)
        statement = order.after(conn, statement, last)
    return _HAND_OVERS.all(
        conn.execute(statement.order_by(*order.by()).limit(limit))
    )


def forget_old(conn: sa.Connection, days: float) -> int:
    """Forget the documents of abandonments of so long ago.

    :returns: how many there were
    """
    bound = functions.now() - days * _DAY_S
    return conn.execute(
        sa.delete(_TABLE).where(_TABLE.c.created_at < bound)
    ).rowcount
