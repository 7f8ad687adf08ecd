"""SQL functions that each database writes in its own way."""

import sqlalchemy as sa
from sqlalchemy.ext import compiler
from sqlalchemy.sql import compiler as sql
from sqlalchemy.sql import functions

from orch import clock


class now(functions.FunctionElement[float]):  # noqa: N801 - an SQL function
    """The database's clock, seconds since 1970 UTC with a fraction.

    The one clock that all workers share: leases and deadlines are set and
    compared by it alone. It is read when the statement runs, not when the
    transaction began.
    """

    type = sa.Double()
    inherit_cache = True
    name = "now"


@compiler.compiles(now, "postgresql")
def _postgresql(
    element: now, compiler: sql.SQLCompiler, **kwargs: object
) -> str:
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"


@compiler.compiles(now, "mysql")
@compiler.compiles(now, "mariadb")
def _mysql(element: now, compiler: sql.SQLCompiler, **kwargs: object) -> str:
    # The engine sets the session's time zone to UTC: else this would be
    # ambiguous for an hour, once a year.
    return "(UNIX_TIMESTAMP(NOW(6)) + 0e0)"


@compiler.compiles(now, "sqlite")
def _sqlite(element: now, compiler: sql.SQLCompiler, **kwargs: object) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


_NOW = sa.select(now())


def read_clock(conn: sa.Connection) -> clock.Timestamp:
    """Return the moment by the database's clock."""
    return clock.Timestamp(conn.execute(_NOW).scalar_one())
