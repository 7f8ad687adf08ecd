"""Databases with Orch's tables, which the migrations make once a process.

A database on SQLite is a copy of a file. One on PostgreSQL is told what the
migrations told the first of its kind, and one on MariaDB, where each change
of a table takes long, how the tables of the first one are. The migrations
take a quarter of a second each time, or more.
``tests.functional.db.test_migrate`` runs them as they are.
"""

import functools
import pathlib
import tempfile

import sqlalchemy as sa

from orch.db import engine
from orch.db import migrate

_SQLITE = "sqlite:///"
_MARIADB = "mysql"
_ASKING = ("DESCRIBE", "SELECT", "SHOW")
_NEWEST = "head"
# Statements and values, by dialect and revision.
_told: dict[tuple[str, str], list[tuple[str, object]]] = {}


def make(url: str, revision: str = _NEWEST) -> None:
    """Give an empty database the tables of a revision.

    :param url: for SQLAlchemy; of a file that does not exist, for SQLite
    """
    if url.startswith(_SQLITE):
        write(pathlib.Path(url.removeprefix(_SQLITE)), revision)
    else:
        _replay(url, revision)


def _replay(url: str, revision: str) -> None:
    """Replay on a database what the migrations told the first one."""
    database = engine.Database(url)
    key = database.dialect, revision
    try:
        if key in _told:
            with database.write() as conn:
                for statement, values in _told[key]:
                    conn.exec_driver_sql(statement, values)
        else:
            _told[key] = _heard(database, revision)
            if database.dialect == _MARIADB:
                _told[key] = _definitions(database)
    finally:
        database.dispose()


def _heard(
    database: engine.Database, revision: str
) -> list[tuple[str, object]]:
    """Run the migrations; return what they have told the database."""
    heard: list[tuple[str, object]] = []

    @sa.event.listens_for(database.engine, "before_cursor_execute")
    def hear(_: object, __: object, statement: str, *more: object) -> None:
        if not statement.lstrip().startswith(_ASKING):
            heard.append((statement, more[0]))

    migrate.upgrade(database, revision)
    return heard


def _definitions(database: engine.Database) -> list[tuple[str, object]]:
    """Return what makes the tables of a MariaDB as they are, without rows.

    The revision is the only row that migrations store.
    """
    with database.read() as conn:
        names = conn.exec_driver_sql("SHOW TABLES").scalars().all()
        tables = [
            conn.exec_driver_sql(f"SHOW CREATE TABLE {name}").one()[1]
            for name in names
        ]
        (version,) = conn.exec_driver_sql(
            "SELECT version_num FROM alembic_version"
        ).scalars()
    store = "INSERT INTO alembic_version VALUES (%s)", (version,)
    return [*((each, ()) for each in tables), store]


def write(path: pathlib.Path, revision: str = _NEWEST) -> None:
    """Write the file of a database on SQLite.

    :raises FileExistsError: there is one
    """
    with path.open("xb") as file:
        file.write(_content(revision))


@functools.cache
def _content(revision: str) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "orch.sqlite")
        database = engine.Database(f"{_SQLITE}{path}")
        try:
            migrate.upgrade(database, revision)
        finally:
            database.dispose()
        journals = [each.name for each in path.parent.iterdir()]
        assert journals == [path.name], journals
        return path.read_bytes()
