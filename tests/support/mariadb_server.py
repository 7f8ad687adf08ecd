"""A MariaDB server of a test's own, to kill and start again.

It needs the server's files, not the machine's server. Under root it runs as
the user ``mysql``.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import fixtures
import pymysql

from tests.support import accounts
from tests.support import ports

_USER = "mysql"
_PLACES = ("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin")
_START_S = 60
_STOP_S = 30


def find_program(name: str) -> pathlib.Path | None:
    """Return where a program of the server is, ``None`` where it is not."""
    found = shutil.which(name, path=os.pathsep.join(_PLACES))
    return pathlib.Path(found) if found else None


class MariadbServer(fixtures.Fixture):
    """A running server with one empty database; both go after the test.

    :ivar url: of the database, for SQLAlchemy
    """

    url: str

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        install = find_program("mariadb-install-db")
        program = find_program("mariadbd")
        if install is None or program is None:
            raise unittest.SkipTest("the MariaDB server is not installed")
        self._program = program
        self._as_user = accounts.prefix(_USER)
        self._home = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        accounts.give(self._home, _USER)
        self._port = ports.find_free()
        self.url = f"mysql+pymysql://root@127.0.0.1:{self._port}/orch"
        self._process: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.kill)
        self._run(
            str(install),
            "--no-defaults",
            f"--datadir={self._home / 'data'}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve",
        )
        self.start()
        connection = self._connect()
        with connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE orch CHARACTER SET utf8mb4")

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
        log = self._home / "output"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                (
                    *self._as_user,
                    str(self._program),
                    "--no-defaults",
                    f"--datadir={self._home / 'data'}",
                    f"--socket={self._home / 'socket'}",
                    f"--pid-file={self._home / 'pid'}",
                    "--bind-address=127.0.0.1",
                    f"--port={self._port}",
                    "--skip-name-resolve",
                    # The server shall crash in tests, never the machine.
                    "--innodb-flush-log-at-trx-commit=2",
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
        """End it without a shutdown."""
        self._end(signal.SIGKILL)

    def kill(self) -> None:
        """End it in any case; a second call changes nothing."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        if self._process.poll() is None:
            os.kill(self._process.pid, how)
        self._process.wait(_STOP_S)
        self._process = None

    def _connect(self) -> pymysql.Connection:
        return pymysql.connect(
            host="127.0.0.1", port=self._port, user="root", connect_timeout=3
        )

    def _is_answering(self) -> bool:
        try:
            self._connect().close()
        except pymysql.MySQLError:
            return False
        return True
