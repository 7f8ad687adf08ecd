"""What SQLite needs beside the others: its connections and its settings."""

import collections.abc
import contextlib
import queue
import sqlite3
import threading
import time

import sqlalchemy as sa
from sqlalchemy import event

_MAX_IDLE = 16
_SWITCH_S = 30
_PAUSE_S = 0.05


def prepare(engine: sa.Engine) -> None:
    """Make each new connection durable and let readers beside the writer.

    WAL and ``synchronous=FULL``: a commit that returned survives the loss
    of the process and of the machine's power.
    """

    @event.listens_for(engine, "connect")
    def set_pragmas(connection: sa.PoolProxiedConnection, _: object) -> None:
        cursor = connection.cursor()
        _set_wal(cursor)
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.close()


def _set_wal(cursor: sa.engine.interfaces.DBAPICursor) -> None:
    """Switch a new file to WAL, once no other process is at it.

    SQLite does not wait by itself for that, whatever the timeout.
    """
    limit = time.monotonic() + _SWITCH_S
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > limit:
                raise
            time.sleep(_PAUSE_S)


class Connections:
    """Open connections, pooled for the next transaction.

    oslo.db gives SQLite no pool. Without one every transaction would open
    the file and read the schema again, and the last to close would write
    the whole log back.
    """

    def __init__(self, engine: sa.Engine) -> None:
        """Open connections of ``engine`` as they are asked for."""
        self._engine = engine
        # All transactions of a database in memory share one connection.
        self._is_shared = engine.url.database in (None, "", ":memory:")
        self._idle = queue.LifoQueue[sa.Connection](_MAX_IDLE)
        self._writing = threading.Lock()

    @contextlib.contextmanager
    def read(self) -> collections.abc.Iterator[sa.Connection]:
        """Yield a connection that sees one moment of the database."""
        lock = self._writing if self._is_shared else contextlib.nullcontext()
        with lock, self._begin("BEGIN") as conn:
            yield conn

    @contextlib.contextmanager
    def write(self) -> collections.abc.Iterator[sa.Connection]:
        """Yield the one connection that may write, until it is committed.

        Threads wait for each other here and not in SQLite's busy handler,
        which sleeps and keeps no order. Other processes are waited
        for there, at the begin: a transaction that has begun cannot fail
        for them.
        """
        with self._writing, self._begin("BEGIN IMMEDIATE") as conn:
            yield conn

    def close(self) -> None:
        """Close all idle connections."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    @contextlib.contextmanager
    def _begin(
        self, statement: str
    ) -> collections.abc.Iterator[sa.Connection]:
        """Begin a transaction as the statement says, and end it.

        oslo.db's listener would begin one that can only read at first, unless
        this mark of its says that one has begun.
        """
        try:
            conn = self._idle.get_nowait()
        except queue.Empty:
            conn = self._engine.connect()
        try:
            conn.info["in_transaction"] = True
            with conn.begin():
                conn.exec_driver_sql(statement)
                yield conn
        finally:
            self._give_back(conn)

    def _give_back(self, conn: sa.Connection) -> None:
        if conn.invalidated or conn.in_transaction():
            conn.close()
            return
        try:
            self._idle.put_nowait(conn)
        except queue.Full:
            conn.close()
