"""Counts the statements that reach a database."""

import collections.abc
import contextlib

import sqlalchemy as sa
from sqlalchemy import event


class Count:
    """How many; final when the block has ended."""

    value = 0


@contextlib.contextmanager
def counted(conn: sa.Connection) -> collections.abc.Iterator[Count]:
    """Count what the block executes on the connection.

    MariaDB counts itself. For PostgreSQL the calls of the driver count, of
    which each sends one statement unless it is given many rows; such a call
    counts as one statement a row.
    """
    count = Count()
    if conn.dialect.name == "mysql":
        before = _questions(conn)
        yield count
        # The second question is counted too.
        count.value = _questions(conn) - before - 1
        return

    def add(
        conn: sa.Connection,
        cursor: object,
        statement: str,
        parameters: collections.abc.Sized,
        context: object,
        executemany: bool,
    ) -> None:
        count.value += len(parameters) if executemany else 1

    event.listen(conn, "before_cursor_execute", add)
    try:
        yield count
    finally:
        event.remove(conn, "before_cursor_execute", add)


def _questions(conn: sa.Connection) -> int:
    found = conn.execute(sa.text("SHOW SESSION STATUS LIKE 'Questions'"))
    return int(found.one()[1])
