"""A PostgreSQL server of a test's own, to stop and start again."""

import pathlib
import shutil
import signal
import unittest

import psycopg2

from tests.support import database_server

_DEBIAN = "/usr/lib/postgresql"


def find_program(name: str) -> pathlib.Path | None:
    """Return a program of the newest server here, ``None`` without one."""
    found = sorted(pathlib.Path(_DEBIAN).glob(f"*/bin/{name}"))
    if found:
        return found[-1]
    on_path = shutil.which(name)
    return pathlib.Path(on_path) if on_path else None


class PostgresServer(database_server.DatabaseServer):
    """A running PostgreSQL with one empty database."""

    user = "postgres"
    start_s = 30
    # As ``pg_ctl -m immediate`` does.
    stopped_by = signal.SIGQUIT

    def make(self) -> None:
        initdb, program = find_program("initdb"), find_program("postgres")
        if initdb is None or program is None:
            raise unittest.SkipTest("the PostgreSQL server is not installed")
        self._program = program
        place = f"{self.user}@127.0.0.1:{self.port}"
        self.url = f"postgresql+psycopg2://{place}/orch"
        self.run(
            str(initdb),
            *("--pgdata", str(self.home / "data")),
            *("--username", self.user, "--auth", "trust"),
            *("--encoding", "UTF8"),
            "--no-sync",
        )

    def command(self) -> tuple[str, ...]:
        options = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self.home,
            # A crash of the server, not of the machine, is what tests want.
            "fsync": "off",
        }
        return (
            str(self._program),
            *("-D", str(self.home / "data")),
            *(f"--{name}={value}" for name, value in options.items()),
        )

    def create_database(self) -> None:
        connection = self._connect()
        connection.autocommit = True
        try:
            connection.cursor().execute("CREATE DATABASE orch")
        finally:
            connection.close()

    def is_answering(self) -> bool:
        try:
            self._connect().close()
        except psycopg2.OperationalError:
            return False
        return True

    def _connect(self) -> psycopg2.extensions.connection:
        return psycopg2.connect(
            host="127.0.0.1",
            port=self.port,
            user=self.user,
            dbname="postgres",
            connect_timeout=3,
        )
