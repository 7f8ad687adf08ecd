"""Bringing a database's tables up to date.

Several processes may ask for it at once: one does the work, the others wait
for it and find nothing left to do. What it needs takes much memory: whoever
only wants to know the revision asks :mod:`orch.db.revision`.
"""

import collections.abc
import contextlib
import pathlib
import zlib

import sqlalchemy as sa
from alembic import command
from alembic import config

from orch.db import engine
from orch.db import errors

_DIRECTORY = pathlib.Path(__file__).with_name("migrations")
_LOCK = "orch.migrate"
_WAIT_S = 300


def upgrade(database: engine.Database, to: str = "head") -> None:
    """Bring the tables to what this code needs, from whatever they are at.

    :param to: a revision; the newest by default
    :raises orch.db.errors.DatabaseDown: no answer, or another process has
        been at it for five minutes
    """
    with _locked(database) as conn:
        settings = _settings()
        settings.attributes["connection"] = conn
        command.upgrade(settings, to)


def _settings() -> config.Config:
    settings = config.Config()
    # A per cent sign means a variable there.
    location = str(_DIRECTORY).replace("%", "%%")
    settings.set_main_option("script_location", location)
    settings.set_main_option("path_separator", "newline")
    return settings


@contextlib.contextmanager
def _locked(
    database: engine.Database, wait_s: int = _WAIT_S
) -> collections.abc.Iterator[engine.Connection]:
    """Yield a connection in a transaction that no other process is in.

    The lock goes after the transaction is committed: with it on PostgreSQL
    and on SQLite, whose transaction is the lock, by a connection of its own
    on MySQL.
    """
    if database.dialect == "mysql":
        with _named_lock(database, wait_s), database.write() as conn:
            yield conn
        return
    with database.write() as conn:
        if database.dialect == "postgresql":
            key = zlib.crc32(_LOCK.encode())
            conn.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))
        yield conn


@contextlib.contextmanager
def _named_lock(
    database: engine.Database, wait_s: int
) -> collections.abc.Iterator[None]:
    # Such names are the server's: ours bears the schema's.
    name = sa.func.concat(_LOCK, ".", sa.func.database())
    # It reads no table, so it is no transaction that stands idle.
    with database.read() as guard:
        taken = guard.execute(sa.select(sa.func.get_lock(name, wait_s)))
        if taken.scalar_one() != 1:
            raise errors.DatabaseDown(
                "another process has not finished its migration"
            )
        try:
            yield
        finally:
            guard.execute(sa.select(sa.func.release_lock(name)))
