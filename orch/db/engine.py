"""Transactions: the one way to the database.

A unit of work is a function of a connection. :meth:`Database.run` runs it in
a transaction and again when the database asks for that; where a block reads
better, :meth:`Database.write` and :meth:`Database.read` are context managers
that try once.
"""

import collections.abc
import contextlib
import copy
import typing

import sqlalchemy as sa
from oslo_config import cfg
from oslo_db import api
from oslo_db import exception
from oslo_db import options
from oslo_db.sqlalchemy import engines
from sqlalchemy import event
from sqlalchemy import exc
from sqlalchemy import pool

from orch.conf import engine as engine_conf
from orch.context import deadline
from orch.db import changes
from orch.db import encryption
from orch.db import errors
from orch.db import sqlite

Connection: typing.TypeAlias = sa.Connection
Answer = typing.TypeVar("Answer")

_FIRST_PAUSE_S = 0.05
_MAX_PAUSE_S = 1.0
_BUSY_S = 30
_IDLE_S = 10.0
_DRIVERS = {"mysql": "pymysql", "postgresql": "psycopg2"}


class Enclose(typing.Protocol):
    """Does a unit of work, and more before and after it."""

    def __call__(
        self,
        connection: Connection,
        work: collections.abc.Callable[[Connection], Answer],
        /,
    ) -> Answer:
        """Return what the work answers."""


Transaction = collections.abc.Callable[
    [], contextlib.AbstractContextManager[Connection]
]
"""Begins a transaction; it ends with the block."""


class Database:
    """A database, its pool of connections, and how often to try again.

    :ivar on_change: called after each commit of changes of stacks; they may
        not block
    """

    def __init__(
        self,
        url: str,
        *,
        max_pool_size: int = 10,
        max_overflow: int = 10,
        pool_timeout_s: int = 30,
        max_retries: int = 20,
        connect_retries: int = 0,
        connect_interval_s: int = 1,
        idle_transaction_s: float = _IDLE_S,
        cipher: encryption.Cipher | None = None,
    ) -> None:
        """Prepare connections to ``url``; wait for it where retries say so.

        :param url: of SQLAlchemy; ``sqlite:///``, ``postgresql://`` or
            ``mysql://``; the drivers are psycopg2 and PyMySQL
        :param max_retries: how often :meth:`run` tries again; pauses grow
            from 50 ms to 1 s, so that 20 make about 15 seconds
        :param connect_retries: how often to try the first connection, now;
            0 connects at the first transaction, -1 tries without an end
        :param idle_transaction_s: after so long the server ends a
            transaction that nothing goes on with, so that a worker that
            stands still keeps no operation locked; not on SQLite and MySQL
        :param cipher: seals what may hold a secret; nothing is sealed, and
            nothing that was can be read, without one
        :raises orch.db.errors.DatabaseDown: no first connection
        :raises orch.db.errors.MissingDriver: the driver is not installed
        """
        parts = _completed(url, idle_transaction_s)
        _check_driver(parts)
        bounds = {
            "max_pool_size": max_pool_size,
            "max_overflow": max_overflow,
            "pool_timeout": pool_timeout_s,
        }
        if parts.get_backend_name() == "sqlite":
            bounds = {}
        with _translated():
            self._engine: sa.Engine = engines.create_engine(
                parts.render_as_string(hide_password=False),
                **bounds,
                max_retries=connect_retries,
                retry_interval=connect_interval_s,
                mysql_sql_mode="TRADITIONAL",
                thread_checkin=False,
            )
        # Errors are logged, and their text would have values of rows.
        self._engine.hide_parameters = True
        if cipher is not None:
            encryption.attach(self._engine.dialect, cipher)
        self.dialect: str = self._engine.dialect.name
        self._enclose: Enclose | None = None
        self.on_change: list[collections.abc.Callable[[], None]] = []
        self._sqlite: sqlite.Connections | None = None
        self._reading: Transaction = self._engine.begin
        self._writing: Transaction = self._engine.begin
        if self.dialect == "sqlite":
            sqlite.prepare(self._engine)
            self._sqlite = sqlite.Connections(self._engine)
            self._reading = self._sqlite.read
            self._writing = self._sqlite.write
        elif self.dialect == "mysql":
            _prepare_mysql(self._engine, idle_transaction_s)
            # The first connection was made before that.
            self._engine.dispose()
        self._retried = api.wrap_db_retry(
            retry_interval=_FIRST_PAUSE_S,
            max_retry_interval=_MAX_PAUSE_S,
            max_retries=max_retries,
            retry_on_disconnect=True,
            retry_on_deadlock=True,
            exception_checker=_is_passing,
        )

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> typing.Self:
        """Return the database that group ``[database]`` describes.

        Its options are oslo.db's own; they are registered here too. What
        stands still for longer than a lease loses its transaction.

        :raises orch.db.encryption.BadKey: values are to be encrypted, and
            there is no key, or a wrong one
        :raises orch.db.errors.DatabaseDown: no first connection
        :raises orch.db.errors.MissingDriver: the driver is not installed
        """
        conf.register_opts(options.database_opts, "database")
        engine_conf.SECTION.register(conf)
        group = conf.database
        return cls(
            group.connection,
            max_pool_size=group.max_pool_size or 10,
            max_overflow=group.max_overflow,
            pool_timeout_s=group.pool_timeout or 30,
            max_retries=group.db_max_retries,
            connect_retries=group.max_retries,
            connect_interval_s=group.retry_interval,
            idle_transaction_s=conf.engine.lease_ttl,
            cipher=encryption.from_conf(conf),
        )

    @property
    def engine(self) -> sa.Engine:
        """Return SQLAlchemy's engine, for this room and its tests."""
        return self._engine

    @contextlib.contextmanager
    def read(self) -> collections.abc.Iterator[Connection]:
        """Yield a connection in a transaction that is to read only.

        :raises orch.db.errors.DatabaseDown: the database gives no answer
        """
        with _translated(), self._reading() as conn:
            yield conn

    @contextlib.contextmanager
    def write(self) -> collections.abc.Iterator[Connection]:
        """Yield a connection in a transaction, committed at the end.

        An error in the block rolls it back. On SQLite there is one writer
        at a time, so do nothing slow inside.

        :raises orch.db.errors.DatabaseDown: the database gives no answer
        """
        with _translated(), self._recording() as conn:
            yield conn

    def run(
        self, work: collections.abc.Callable[[Connection], Answer]
    ) -> Answer:
        """Return what ``work`` answers, once its transaction is committed.

        After a deadlock or a lost connection it is run again from the
        start, so it must change nothing but the database.

        :raises orch.context.deadline.DeadlineExceeded: the caller of the
            request waits no longer; the work was not begun
        :raises orch.db.errors.DatabaseDown: still no answer after the last
            try
        """

        def attempt() -> Answer:
            deadline.check()
            with self._recording() as conn:
                # It may have waited for a connection, or for other writers.
                deadline.check()
                if self._enclose is not None:
                    return self._enclose(conn, work)
                return work(conn)

        with _translated():
            again: collections.abc.Callable[[], Answer]
            again = self._retried(attempt)
            return again()

    def enclosing(self, enclose: "Enclose | None") -> "Database":
        """Return this database with something around what is :meth:`run`.

        What is done before and after the work is part of its transaction;
        an error there undoes it all.

        :param enclose: ``None`` for nothing any more
        """
        other = copy.copy(self)
        other._enclose = enclose
        return other

    def query(
        self, work: collections.abc.Callable[[Connection], Answer]
    ) -> Answer:
        """Return what ``work`` reads; like :meth:`run` it tries again.

        :raises orch.context.deadline.DeadlineExceeded: the caller of the
            request waits no longer
        :raises orch.db.errors.DatabaseDown: still no answer after the last
            try
        """

        def attempt() -> Answer:
            deadline.check()
            with self._reading() as conn:
                return work(conn)

        with _translated():
            again: collections.abc.Callable[[], Answer]
            again = self._retried(attempt)
            return again()

    @contextlib.contextmanager
    def _recording(self) -> collections.abc.Iterator[Connection]:
        """Yield a connection whose changes of stacks are recorded."""
        with self._writing() as conn:
            changes.begin(conn)
            yield conn
            has_changed = changes.store(conn)
        if has_changed:
            for notify in self.on_change:
                notify()

    def dispose(self) -> None:
        """Close all idle connections; later ones open anew."""
        if self._sqlite:
            self._sqlite.close()
        self._engine.dispose()


def _completed(url: str, idle_s: float = _IDLE_S) -> sa.URL:
    """Return the URL with our driver, and with what we need of it."""
    parts = sa.make_url(url)
    backend = parts.get_backend_name()
    if "+" not in parts.drivername and backend in _DRIVERS:
        parts = parts.set(drivername=f"{backend}+{_DRIVERS[backend]}")
    if backend == "sqlite":
        parts = parts.update_query_dict(
            {"timeout": str(_BUSY_S), "check_same_thread": "false"}
        )
    elif backend == "mysql":
        parts = parts.update_query_dict({"charset": "utf8mb4"})
    elif backend == "postgresql" and "options" not in parts.query:
        limit = f"idle_in_transaction_session_timeout={int(1000 * idle_s)}"
        parts = parts.update_query_dict({"options": f"-c {limit}"})
    return parts


def _check_driver(url: sa.URL) -> None:
    """Raise an error that names the extra if the driver is missing.

    :raises orch.db.errors.MissingDriver: it is not installed
    """
    backend = url.get_backend_name()
    try:
        url.get_dialect().import_dbapi()
    except ModuleNotFoundError as error:
        advice = "install it."
        if error.name == _DRIVERS.get(backend):
            advice = f"install orch[{backend}]."
        raise errors.MissingDriver(
            f"[database] connection is of the kind {url.drivername}, which"
            f" needs the Python package {error.name}: {advice}"
        ) from error


def _prepare_mysql(engine: sa.Engine, idle_s: float) -> None:
    """Give each new session UTC and fewer locks, and spare it a rollback.

    All our transactions end where they begin, so the one that the pool
    sends after each commit is a statement for nothing; oslo.db passes no
    option for that on.

    Under the default, ``REPEATABLE READ``, a statement also locks the gaps
    beside its rows, and a claim would wait for inserts of others.
    """
    engine.pool._reset_on_return = pool.reset_none

    @event.listens_for(engine, "connect")
    def set_session(connection: sa.PoolProxiedConnection, _: object) -> None:
        cursor = connection.cursor()
        cursor.execute("SET SESSION time_zone = '+00:00'")
        cursor.execute(
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"
        )
        # MySQL has no such limit, it skips the comment.
        cursor.execute(
            "/*M!100301 SET SESSION idle_transaction_timeout ="
            f" {max(1, round(idle_s))} */"
        )
        cursor.close()


def _is_passing(error: BaseException) -> bool:
    """Answer whether the error is one that oslo.db does not sort.

    A server that is not up yet (psycopg2 words it anew now and then), and
    another process that writes to the SQLite file.
    """
    if not isinstance(error, exc.OperationalError):
        return False
    return error.connection_invalidated or any(
        words in str(error.orig)
        for words in (
            "connection to server",
            "could not connect",
            "the database system is",
            "database is locked",
        )
    )


@contextlib.contextmanager
def _translated() -> collections.abc.Iterator[None]:
    try:
        yield
    except (exception.DBConnectionError, exception.DBDeadlock) as error:
        raise errors.DatabaseDown("the database gives no answer") from error
    except exc.TimeoutError as error:
        raise errors.DatabaseDown("all connections are in use") from error
    except exc.OperationalError as error:
        if not _is_passing(error):
            raise
        raise errors.DatabaseDown("the database gives no answer") from error
