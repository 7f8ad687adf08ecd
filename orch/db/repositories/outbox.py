"""The outbox: notifications that the bus has not taken yet."""

import collections.abc
import typing

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import changes
from orch.db import rows
from orch.db.models import events
from orch.model import notification

_TABLE = events.OUTBOX
_ROWS = rows.Rows(notification.Notification, _TABLE, _TABLE.c.number)

HELD: typing.Final = ""
"""Topic of what is published only when an operation has ended."""
_IS_DUE = _TABLE.c.topic.is_(None) | (_TABLE.c.topic != HELD)


def insert_many(
    conn: sa.Connection,
    notifications: collections.abc.Sequence[notification.Notification],
) -> None:
    """Add notifications, in this order; the database numbers them.

    Numbers of one stack follow the order of commits as long as its writers
    exclude each other, by its lease or by the lock on its row.
    """
    rows.insert(conn, _TABLE, [new_row(each) for each in notifications])
    changes.note(
        conn, [each.stack_id for each in notifications if each.topic is None]
    )


def new_row(value: notification.Notification) -> rows.Row:
    """Return the row of a notification; the database numbers it."""
    return {
        name: each
        for name, each in _ROWS.values(value).items()
        if name != "number"
    }


def list_waiting(
    conn: sa.Connection, limit: int, topic: str | None = None
) -> list[notification.Notification]:
    """Return the oldest ones, the oldest first; they stay until deleted.

    :param topic: those that wait for this topic alone; ``None`` for those
        that were published to none yet
    """
    column = _TABLE.c.topic
    return _ROWS.find_all(
        conn,
        column.is_(None) if topic is None else column == topic,
        limit=limit,
    )


def take_held(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[notification.Notification]:
    """Delete what is held of a stack; return it, the oldest first."""
    found = _ROWS.find_by(conn, topic=HELD, stack_id=stack_id)
    delete(conn, [each.number for each in found])
    return found


def delete_held(
    conn: sa.Connection, stack_ids: collections.abc.Collection[ids.StackId]
) -> None:
    """Delete what is held of stacks whose operations never end any more."""
    conn.execute(
        sa.delete(_TABLE).where(
            _TABLE.c.topic == HELD, _TABLE.c.stack_id.in_(stack_ids)
        )
    )


def list_blocked(
    conn: sa.Connection, topics: collections.abc.Sequence[str]
) -> list[str]:
    """Return those of the topics for which something waits that others had."""
    if not topics:
        return []
    waits = [sa.exists().where(_TABLE.c.topic == each) for each in topics]
    (found,) = conn.execute(sa.select(*waits)).all()
    return [
        each for each, is_there in zip(topics, found, strict=True) if is_there
    ]


def count_by_topic(conn: sa.Connection) -> dict[str, int]:
    """Return how many wait for a topic that others had, by topic."""
    found = conn.execute(
        sa.select(_TABLE.c.topic, sa.func.count())
        .where(_TABLE.c.topic != HELD)
        .group_by(_TABLE.c.topic)
        .order_by(_TABLE.c.topic)
    )
    return {str(topic): count for topic, count in found}


def delete_topic(conn: sa.Connection, topic: str, limit: int) -> int:
    """Forget some that wait for a topic alone, the oldest first.

    :returns: how many
    """
    return delete(
        conn, [each.number for each in list_waiting(conn, limit, topic)]
    )


def delete(conn: sa.Connection, numbers: collections.abc.Sequence[int]) -> int:
    """Forget notifications that the bus has taken.

    :returns: how many there were
    """
    return rows.delete_in(conn, _TABLE.c.number, numbers)


def count(conn: sa.Connection) -> int:
    """Return how many wait for the bus."""
    return _ROWS.count(conn, _IS_DUE)


def oldest_at(conn: sa.Connection) -> clock.Timestamp | None:
    """Return when what waits longest came, ``None`` where nothing waits."""
    found: clock.Timestamp | None = conn.scalar(
        sa.select(_TABLE.c.created_at)
        .where(_IS_DUE)
        .order_by(_TABLE.c.number)
        .limit(1)
    )
    return found
