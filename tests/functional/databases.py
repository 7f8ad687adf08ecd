"""An empty database on each of the three systems, gone after the test.

Each is a fixture with a ``url``. Where a server is missing the test is
skipped and says which one.
"""

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
        self.name = _new_name()
        self._execute(f"CREATE DATABASE {self.name}")
        self.addCleanup(
            self._execute, f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)"
        )
        # A commit shall not wait for the disk: no test ends this server.
        self._execute(
            f"ALTER DATABASE {self.name} SET synchronous_commit TO off"
        )
        where = "{user}@{host}:{port}".format(**services.POSTGRESQL)
        self.url = f"postgresql+psycopg2://{where}/{self.name}"

    def _execute(self, statement: str) -> None:
        connection = psycopg2.connect(**services.POSTGRESQL, dbname="postgres")
        connection.autocommit = True
        try:
            connection.cursor().execute(statement)
        finally:
            connection.close()


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
