"""The lock of a process that makes or changes tables."""

import collections.abc
import contextlib
import typing
import zlib

import sqlalchemy as sa
from sqlalchemy import exc

from orch.db import engine
from orch.db import errors

_WAIT_S: typing.Final = 300
_LOCK_NOT_AVAILABLE: typing.Final = "55P03"
"""Of PostgreSQL, once ``lock_timeout`` is over."""


@contextlib.contextmanager
def locked(
    database: engine.Database, name: str, wait_s: int = _WAIT_S
) -> collections.abc.Iterator[engine.Connection]:
    """Yield a connection in a transaction that no other process is in.

    The lock goes after the transaction is committed: with it on PostgreSQL
    and on SQLite, whose transaction is the lock, by a connection of its own
    on MySQL.

    :param name: of the lock; others do not wait for each other
    :raises orch.db.errors.DatabaseDown: no answer, or another process has
        had the lock for ``wait_s``
    """
    if database.dialect == "mysql":
        with _named_lock(database, name, wait_s), database.write() as conn:
            yield conn
        return
    with database.write() as conn:
        if database.dialect == "postgresql":
            _lock_transaction(conn, name, wait_s)
        yield conn


def _lock_transaction(conn: engine.Connection, name: str, wait_s: int) -> None:
    key = zlib.crc32(name.encode())
    conn.execute(sa.text(f"SET LOCAL lock_timeout = '{wait_s}s'"))
    try:
        conn.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))
    except exc.OperationalError as error:
        if getattr(error.orig, "pgcode", None) != _LOCK_NOT_AVAILABLE:
            raise
        raise _timed_out(name, wait_s) from error
    conn.execute(sa.text("SET LOCAL lock_timeout TO DEFAULT"))


@contextlib.contextmanager
def _named_lock(
    database: engine.Database, name: str, wait_s: int
) -> collections.abc.Iterator[None]:
    # Such names are the server's: ours bears the schema's.
    whole = sa.func.concat(name, ".", sa.func.database())
    # It reads no table, so it is no transaction that is idle.
    with database.read() as guard:
        taken = guard.execute(sa.select(sa.func.get_lock(whole, wait_s)))
        if taken.scalar_one() != 1:
            raise _timed_out(name, wait_s)
        try:
            yield
        finally:
            guard.execute(sa.select(sa.func.release_lock(whole)))


def _timed_out(name: str, wait_s: int) -> errors.DatabaseDown:
    return errors.DatabaseDown(
        f"another process has had the lock {name} for {wait_s} s: it makes or"
        " changes the same tables"
    )
