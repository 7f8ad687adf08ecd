"""The lock of a process that makes or changes tables."""

import collections.abc
import contextlib
import typing
import zlib

import sqlalchemy as sa

from orch.db import engine
from orch.db import errors

_WAIT_S: typing.Final = 300


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
            key = zlib.crc32(name.encode())
            conn.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))
        yield conn


@contextlib.contextmanager
def _named_lock(
    database: engine.Database, name: str, wait_s: int
) -> collections.abc.Iterator[None]:
    # Such names are the server's: ours bears the schema's.
    whole = sa.func.concat(name, ".", sa.func.database())
    # It reads no table, so it is no transaction that stands idle.
    with database.read() as guard:
        taken = guard.execute(sa.select(sa.func.get_lock(whole, wait_s)))
        if taken.scalar_one() != 1:
            raise errors.DatabaseDown(
                f"another process has had the lock {name} for {wait_s} s: it"
                " makes or changes the same tables"
            )
        try:
            yield
        finally:
            guard.execute(sa.select(sa.func.release_lock(whole)))
