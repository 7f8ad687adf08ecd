"""Notifications that the bus refuses while it takes others."""

import dataclasses

import sqlalchemy as sa

from orch.db import functions
from orch.db import rows
from orch.db.models import events
from orch.db.repositories import outbox
from orch.model import notification

_TABLE = events.REFUSED_NOTIFICATIONS
_ROWS = rows.Rows(notification.RefusedNotification, _TABLE)


def insert(
    conn: sa.Connection, value: notification.Notification, reason: str
) -> None:
    """Set a notification aside.

    :param value: as the consumers of its topic would have got it
    """
    values = _ROWS.values(
        notification.RefusedNotification(
            **{
                field.name: getattr(value, field.name)
                for field in dataclasses.fields(value)
            },
            reason=reason,
            refused_at=functions.read_clock(conn),
        )
    )
    del values["number"]
    rows.insert(conn, _TABLE, [values])


def list_(
    conn: sa.Connection, limit: int
) -> list[notification.RefusedNotification]:
    """Return some, the oldest first."""
    return _ROWS.all(
        conn.execute(_ROWS.select().order_by(_TABLE.c.number).limit(limit))
    )


def count(conn: sa.Connection) -> int:
    """Return how many there are."""
    found = conn.execute(sa.select(sa.func.count()).select_from(_TABLE))
    return int(found.scalar_one())


def send_again(conn: sa.Connection, limit: int) -> int:
    """Put some back into the outbox, behind what waits there.

    :returns: how many
    """
    found = list_(conn, limit)
    outbox.insert_many(
        conn,
        [
            notification.Notification(
                **{
                    field.name: getattr(each, field.name)
                    for field in dataclasses.fields(notification.Notification)
                }
            )
            for each in found
        ],
    )
    return _delete(conn, [each.number for each in found])


def forget(conn: sa.Connection, older_than_s: float, limit: int) -> int:
    """Remove some that were refused so long ago.

    :returns: how many
    """
    until = functions.read_clock(conn) - older_than_s
    numbers = conn.scalars(
        sa.select(_TABLE.c.number)
        .where(_TABLE.c.refused_at <= until)
        .order_by(_TABLE.c.number)
        .limit(limit)
    ).all()
    return _delete(conn, list(numbers))


def _delete(conn: sa.Connection, numbers: list[int]) -> int:
    if not numbers:
        return 0
    return conn.execute(
        sa.delete(_TABLE).where(_TABLE.c.number.in_(numbers))
    ).rowcount
