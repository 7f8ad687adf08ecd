"""A PostgreSQL server of a test's own, to stop and start again.

It needs the server's files, not the machine's server. Under root it runs as
the user ``postgres``, since PostgreSQL refuses to run as root.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import fixtures
import psycopg2

from tests.support import accounts
from tests.support import ports

_USER = "postgres"
_DEBIAN = "/usr/lib/postgresql"
_START_S = 30
_STOP_S = 30


def find_program(name: str) -> pathlib.Path | None:
    """Return a program of the newest server here, ``None`` without one."""
    found = sorted(pathlib.Path(_DEBIAN).glob(f"*/bin/{name}"))
    if found:
        return found[-1]
    on_path = shutil.which(name)
    return pathlib.Path(on_path) if on_path else None


class PostgresServer(fixtures.Fixture):
    """A running server with one empty database; both go after the test.

    :ivar url: of the database, for SQLAlchemy
    """

    url: str

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        initdb, program = find_program("initdb"), find_program("postgres")
        if initdb is None or program is None:
            raise unittest.SkipTest("the PostgreSQL server is not installed")
        self._program = program
        self._as_user = accounts.prefix(_USER)
        self._home = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        accounts.give(self._home, _USER)
        self._port = ports.find_free()
        self.url = f"postgresql+psycopg2://{_USER}@127.0.0.1:{self._port}/orch"
        self._process: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.kill)
        self._run(
            str(initdb),
            *("--pgdata", str(self._home / "data")),
            *("--username", _USER, "--auth", "trust", "--encoding", "UTF8"),
            "--no-sync",
        )
        self.start()
        self._create_database()

    def _run(self, *command: str) -> None:
        subprocess.run(
            (*self._as_user, *command),
            cwd=self._home,
            check=True,
            capture_output=True,
            timeout=_START_S,
        )

    def start(self) -> None:
        """Start the server on its files; return once it answers."""
        options = {
            "listen_addresses": "127.0.0.1",
            "port": self._port,
            "unix_socket_directories": self._home,
            # A crash of the server, not of the machine, is what tests want.
            "fsync": "off",
        }
        log = self._home / "output"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                (
                    *self._as_user,
                    str(self._program),
                    *("-D", str(self._home / "data")),
                    *(f"--{name}={value}" for name, value in options.items()),
                ),
                cwd=self._home,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        limit = time.monotonic() + _START_S
        while not self._is_answering():
            if time.monotonic() > limit:
                raise TimeoutError(log.read_text(encoding="utf-8"))
            time.sleep(0.05)

    def stop_at_once(self) -> None:
        """End it without a shutdown, as ``pg_ctl -m immediate`` does."""
        self._end(signal.SIGQUIT)

    def kill(self) -> None:
        """End it in any case; a second call changes nothing."""
        self._end(signal.SIGQUIT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        if self._process.poll() is None:
            os.kill(self._process.pid, how)
        self._process.wait(_STOP_S)
        self._process = None

    def _create_database(self) -> None:
        connection = self._connect()
        connection.autocommit = True
        try:
            connection.cursor().execute("CREATE DATABASE orch")
        finally:
            connection.close()

    def _connect(self) -> psycopg2.extensions.connection:
        return psycopg2.connect(
            host="127.0.0.1",
            port=self._port,
            user=_USER,
            dbname="postgres",
            connect_timeout=3,
        )

    def _is_answering(self) -> bool:
        try:
            self._connect().close()
        except psycopg2.OperationalError:
            return False
        return True
