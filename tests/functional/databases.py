"""An empty database on each of the three systems, gone after the test.

Each is a fixture with a ``url``. Where a server is missing the test is
skipped and says which one.
"""

import atexit
import functools
import pathlib
import typing
import uuid

import fixtures
import psycopg2
import pymysql

from tests.support import services


class SQLite(fixtures.Fixture):
    """A file that does not exist yet, in a directory of its own."""

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.path = directory / "orch.sqlite"
        self.url = f"sqlite:///{self.path}"


class PostgreSQL(fixtures.Fixture):
    """A database on the PostgreSQL server of this machine."""

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        services.require("PostgreSQL")
        pool = _pool()
        self.name = pool.take()
        self.addCleanup(pool.give_back, self.name)
        where = "{user}@{host}:{port}".format(**services.POSTGRESQL)
        self.url = f"postgresql+psycopg2://{where}/{self.name}"


class Pool:
    """Databases on PostgreSQL that one test of this process has at a time.

    To remove one takes half a second, in which the server writes all that it
    has to the disk. So each is emptied after a test and renamed: whoever
    still knows it by its old name finds nothing. All go with the process.
    """

    def __init__(self) -> None:
        """Make none yet."""
        self._spare: list[str] = []
        self._made: list[str] = []

    def take(self) -> str:
        """Return the name of an empty one that nobody else gets."""
        if self._spare:
            return self._spare.pop()
        name = _new_name()
        _execute(f"CREATE DATABASE {name}")
        self._made.append(name)
        # A commit shall not wait for the disk: no test ends this server.
        _execute(f"ALTER DATABASE {name} SET synchronous_commit TO off")
        return name

    def give_back(self, name: str) -> None:
        """End what uses one, and empty it for the next test."""
        new = _new_name()
        _execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE datname = '{name}'"
        )
        try:
            _execute(f"ALTER DATABASE {name} RENAME TO {new}")
        except psycopg2.OperationalError:
            # Somebody has come back.
            return
        self._made[self._made.index(name)] = new
        _execute(_EMPTY, new)
        self._spare.append(new)

    def remove(self) -> None:
        """Remove all of them."""
        for name in self._made:
            _execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


_EMPTY: typing.Final = """
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT nspname FROM pg_namespace
    WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
  LOOP EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP;
END $$;
CREATE SCHEMA public;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""


def _execute(statement: str, database: str = "postgres") -> None:
    connection = psycopg2.connect(**services.POSTGRESQL, dbname=database)
    connection.autocommit = True
    try:
        connection.cursor().execute(statement)
    finally:
        connection.close()


@functools.cache
def _pool() -> Pool:
    """Return this process's pool; it is emptied when the process ends."""
    pool = Pool()
    atexit.register(pool.remove)
    return pool


class MariaDB(fixtures.Fixture):
    """A database on the MariaDB server of this machine."""

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        services.require("MariaDB")
        self.name = _new_name()
        # A default of the server that does not do: the tables have to bring
        # their own.
        self._execute(f"CREATE DATABASE {self.name} CHARACTER SET latin1")
        self.addCleanup(self._execute, f"DROP DATABASE IF EXISTS {self.name}")
        where = "{user}@{host}:{port}".format(**services.MARIADB)
        self.url = f"mysql+pymysql://{where}/{self.name}?ssl_disabled=true"

    def _execute(self, statement: str) -> None:
        connection = pymysql.connect(**services.MARIADB)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET SESSION lock_wait_timeout = 10")
                cursor.execute(statement)
        finally:
            connection.close()


SCENARIOS: typing.Final = [
    (kind.__name__, {"kind": kind}) for kind in (SQLite, PostgreSQL, MariaDB)
]
"""For testscenarios: ``kind`` is one of the fixtures."""


def _new_name() -> str:
    return f"orch_test_{uuid.uuid4().hex[:12]}"
