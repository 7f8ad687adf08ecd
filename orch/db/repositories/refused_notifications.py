"""Notifications that the bus refuses while it takes others."""

import sqlalchemy as sa

from orch.db import functions
from orch.db import rows
from orch.db.models import events
from orch.db.repositories import outbox
from orch.model import notification

_TABLE = events.REFUSED_NOTIFICATIONS
_ROWS = rows.Rows(notification.RefusedNotification, _TABLE, _TABLE.c.number)
_NOTIFICATIONS = rows.Rows(notification.Notification, _TABLE, _TABLE.c.number)


def insert(
    conn: sa.Connection, value: notification.Notification, reason: str
) -> None:
    """Set a notification aside.

    :param value: as the consumers of its topic would have got it
    """
    row: rows.Row = {
        **outbox.new_row(value),
        "reason": reason,
        "refused_at": functions.read_clock(conn),
    }
    rows.insert(conn, _TABLE, [row])


def list_(
    conn: sa.Connection, limit: int
) -> list[notification.RefusedNotification]:
    """Return some, the oldest first."""
    return _ROWS.find_all(conn, limit=limit)


def count(conn: sa.Connection) -> int:
    """Return how many there are."""
    return _ROWS.count(conn)


def send_again(conn: sa.Connection, limit: int) -> int:
    """Put some back into the outbox, behind what waits there.

    :returns: how many
    """
    found = _NOTIFICATIONS.find_all(conn, limit=limit)
    outbox.insert_many(conn, found)
    return rows.delete_in(
        conn, _TABLE.c.number, [each.number for each in found]
    )


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
    )
    return rows.delete_in(conn, _TABLE.c.number, numbers)
