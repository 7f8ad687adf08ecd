"""Makes the tables, and the extension that they need; or only looks."""

import sqlalchemy as sa
from psycopg2 import errorcodes
from sqlalchemy import exc

from orch import errors
from orch.search.index import formats
from orch.search.index.postgresql import connection as server
from orch.search.index.postgresql import schema as tables

_LOCK = 0x6F726368
_FORMAT = "search_format"
_FORMER = ("search_marks",)
"""Tables of earlier formats alone."""
_MISSING = frozenset(
    {
        errorcodes.INSUFFICIENT_PRIVILEGE,
        errorcodes.UNDEFINED_FILE,
        errorcodes.FEATURE_NOT_SUPPORTED,
    }
)
_OPERATORS = "gin_trgm_ops"


def prepare(connection: sa.Connection) -> None:
    """Make what is missing; forget tables of an older format.

    One process does so at a time, and the others wait.

    :raises formats.NewerFormat: a newer release has made the tables
    :raises orch.errors.Permanent: the extension is not there, and this user
        may not make it
    """
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    found = _format_of(connection)
    _standing(connection, found).check_not_newer()
    if found == tables.FORMAT and _is_whole(connection):
        return
    names = ", ".join((*tables.TABLES, *_FORMER, _FORMAT))
    connection.exec_driver_sql(f"DROP TABLE IF EXISTS {names}")
    schema = _schema_of_extension(connection)
    for statement in tables.STATEMENTS:
        connection.exec_driver_sql(
            statement.replace(_OPERATORS, f"{schema}.{_OPERATORS}")
        )
    _choose_compression(connection)
    connection.exec_driver_sql(f"CREATE TABLE {_FORMAT} (number integer)")
    connection.exec_driver_sql(
        f"INSERT INTO {_FORMAT} VALUES (%(number)s)",  # noqa: S608 - constant
        {"number": tables.FORMAT},
    )


def look(connection: sa.Connection) -> formats.IndexState:
    """Return what is there; nothing is made."""
    found = _format_of(connection)
    if found == tables.FORMAT and not _is_whole(connection):
        found = None
    return _standing(connection, found)


def _standing(
    connection: sa.Connection, found: int | None
) -> formats.IndexState:
    # Without user and password: it is shown.
    place = connection.exec_driver_sql(
        "SELECT 'the PostgreSQL database ' || current_database()"
    ).scalar_one()
    return formats.IndexState(str(place), found, tables.FORMAT)


def _choose_compression(connection: sa.Connection) -> None:
    """Compress in the fastest way that this server was built with."""
    found = connection.exec_driver_sql(
        "SELECT 'lz4' = ANY(enumvals) FROM pg_settings"
        " WHERE name = 'default_toast_compression'"
    ).scalar()
    if found:
        for table in ("search_documents", "search_former"):
            connection.exec_driver_sql(
                f"ALTER TABLE {table} ALTER content SET COMPRESSION lz4"
            )


def _format_of(connection: sa.Connection) -> int | None:
    """Return the format that is noted, whether or not tables are missing."""
    if _missing(connection, [_FORMAT]):
        return None
    found = connection.exec_driver_sql(
        f"SELECT max(number) FROM {_FORMAT}"  # noqa: S608 - constant
    ).scalar()
    return None if found is None else int(found)


def _is_whole(connection: sa.Connection) -> bool:
    return not _missing(connection, [*tables.TABLES])


def _missing(connection: sa.Connection, names: list[str]) -> int:
    found = connection.exec_driver_sql(
        "SELECT count(*) FROM unnest(%(names)s::text[]) AS t(name)"
        " WHERE to_regclass(name) IS NULL",
        {"names": names},
    ).scalar_one()
    return int(found)


def _schema_of_extension(connection: sa.Connection) -> str:
    """Return the schema of the extension, quoted; make it where it misses."""
    found = _find_schema(connection)
    if found is None:
        _make_extension(connection)
        found = _find_schema(connection)
    if found is None:
        raise errors.Permanent("PostgreSQL has not made pg_trgm.")
    return found


def _find_schema(connection: sa.Connection) -> str | None:
    return connection.exec_driver_sql(
        "SELECT quote_ident(n.nspname) FROM pg_extension e"
        " JOIN pg_namespace n ON n.oid = e.extnamespace"
        " WHERE e.extname = 'pg_trgm'"
    ).scalar()


def _make_extension(connection: sa.Connection) -> None:
    """Make it where all schemas find it, or else in the one that is ours."""
    try:
        with connection.begin_nested():
            connection.exec_driver_sql(
                "CREATE EXTENSION pg_trgm WITH SCHEMA public"
            )
        return
    except exc.DBAPIError as error:
        if error.connection_invalidated:
            raise
    try:
        with connection.begin_nested():
            connection.exec_driver_sql("CREATE EXTENSION pg_trgm")
    except exc.DBAPIError as error:
        if server.code_of(error) not in _MISSING:
            raise
        raise errors.Permanent(
            "The index needs the extension pg_trgm of PostgreSQL, and"
            " cannot make it: have an administrator of the database install"
            " the contrib package of the server and run CREATE EXTENSION"
            " pg_trgm in the database that [search] connection names."
        ) from error
