"""The way to PostgreSQL: connections, and what is tried again."""

import collections.abc
import io
import logging
import time
import typing

import psycopg2
import sqlalchemy as sa
from psycopg2 import errorcodes
from sqlalchemy import event
from sqlalchemy import exc

from orch import errors

LOG = logging.getLogger(__name__)

Answer = typing.TypeVar("Answer")

_PORTION = 256 * 1024
_PAUSES_S = (0.05, 0.2, 0.5, 1.0)
_CONNECT_S = 10
_IDLE_MS = 60_000
_DRIVER = "postgresql+psycopg2"

_AGAIN = frozenset(
    {
        errorcodes.SERIALIZATION_FAILURE,
        errorcodes.DEADLOCK_DETECTED,
        errorcodes.UNIQUE_VIOLATION,
        errorcodes.LOCK_NOT_AVAILABLE,
    }
)
_GONE = frozenset(
    {
        errorcodes.ADMIN_SHUTDOWN,
        errorcodes.CRASH_SHUTDOWN,
        errorcodes.CANNOT_CONNECT_NOW,
        errorcodes.IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        errorcodes.TOO_MANY_CONNECTIONS,
    }
)
_CONNECTION_CLASS = "08"

_SESSION = f"""
    SET jit = off;
    SET work_mem = '32MB';
    SET random_page_cost = 1.1;
    SET extra_float_digits = 1;
    SET max_parallel_workers_per_gather = 0;
    SET idle_in_transaction_session_timeout = {_IDLE_MS}
"""
_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"


class Server:
    """A database with a pool of connections."""

    def __init__(
        self, url: str, connections: int, longest_read_s: float
    ) -> None:
        """Prepare connections; none is made yet.

        :param url: of SQLAlchemy, ``postgresql://…``
        :param connections: how many at the same time at most
        :param longest_read_s: how long one statement that reads may take
        """
        self._begin_read = (
            f"{_SNAPSHOT};"
            f" SET LOCAL statement_timeout = {round(1000 * longest_read_s)}"
        )
        parts = sa.make_url(url).set(drivername=_DRIVER)
        self._engine = sa.create_engine(
            parts,
            pool_size=connections,
            max_overflow=connections,
            pool_recycle=3600,
            connect_args={"connect_timeout": _CONNECT_S},
        )
        event.listen(self._engine, "connect", _set_session)

    def write(
        self, work: collections.abc.Callable[[sa.Connection], Answer]
    ) -> Answer:
        """Return what ``work`` answers, once its transaction is committed.

        It is run again from the start where the database asks for that.

        :raises orch.errors.Unavailable: there is no answer; nothing changed
        """
        return self._tried(work)

    def read(
        self, work: collections.abc.Callable[[sa.Connection], Answer]
    ) -> Answer:
        """Return what ``work`` reads, all of it of one moment.

        :raises orch.errors.Unavailable: there is no answer, or not in time
        """

        def of_one_moment(connection: sa.Connection) -> Answer:
            connection.exec_driver_sql(self._begin_read)
            return work(connection)

        return self._tried(of_one_moment)

    def close(self) -> None:
        """Close all connections that nobody uses."""
        self._engine.dispose()

    def _tried(
        self, work: collections.abc.Callable[[sa.Connection], Answer]
    ) -> Answer:
        for pause_s in _PAUSES_S:
            try:
                return self._once(work)
            except (exc.SQLAlchemyError, psycopg2.Error) as error:
                _raise_unless_passing(error)
                LOG.info("The index is tried again: %s", _first_line(error))
            time.sleep(pause_s)
        try:
            return self._once(work)
        except (exc.SQLAlchemyError, psycopg2.Error) as error:
            _raise_unless_passing(error)
            raise errors.Unavailable(
                "The database of the index gives no answer."
            ) from error

    def _once(
        self, work: collections.abc.Callable[[sa.Connection], Answer]
    ) -> Answer:
        with self._engine.connect() as connection:
            try:
                with connection.begin():
                    return work(connection)
            except psycopg2.Error:
                # Not seen by SQLAlchemy: what is wrong with the connection
                # nobody knows.
                connection.invalidate()
                raise


def copy_in(connection: sa.Connection, statement: str, lines: bytes) -> None:
    """Write rows, which are lines as COPY reads them."""
    raw = connection.connection.cursor()
    try:
        raw.copy_expert(statement, io.BytesIO(lines), _PORTION)
    finally:
        raw.close()


def code_of(error: Exception) -> str:
    """Return the SQLSTATE of an error; empty where there is none."""
    cause = error.orig if isinstance(error, exc.DBAPIError) else error
    return getattr(cause, "pgcode", None) or ""


def _set_session(connection: typing.Any, _: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SESSION)
    connection.commit()


def _raise_unless_passing(error: Exception) -> None:
    """Return where it may go well the next time.

    :raises orch.errors.Unavailable: it took too long, and will again
    """
    code = code_of(error)
    if code == errorcodes.QUERY_CANCELED:
        raise errors.Unavailable(
            "The query took too long. Ask for less: another word or field"
            " makes it faster."
        ) from error
    if code in _AGAIN or code in _GONE or code.startswith(_CONNECTION_CLASS):
        return
    is_gone = isinstance(error, exc.TimeoutError) or (
        not code
        and isinstance(
            error.orig if isinstance(error, exc.DBAPIError) else error,
            psycopg2.OperationalError | psycopg2.InterfaceError,
        )
    )
    is_broken = (
        isinstance(error, exc.DBAPIError) and error.connection_invalidated
    )
    if not (is_gone or is_broken):
        raise error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
