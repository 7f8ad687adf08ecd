"""A MariaDB server of a test's own, to kill and start again."""

import os
import pathlib
import shutil
import signal
import unittest

import pymysql

from tests.support import database_server

_PLACES = ("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin")
# What all servers of one user may lock for it together is soon used up.
_WITHOUT_AIO = "--innodb-use-native-aio=0"


def find_program(name: str) -> pathlib.Path | None:
    """Return where a program of the server is, ``None`` where it is not."""
    found = shutil.which(name, path=os.pathsep.join(_PLACES))
    return pathlib.Path(found) if found else None


class MariadbServer(database_server.DatabaseServer):
    """A running MariaDB with one empty database."""

    user = "mysql"
    start_s = 60
    stopped_by = signal.SIGKILL

    def make(self) -> None:
        install = find_program("mariadb-install-db")
        program = find_program("mariadbd")
        if install is None or program is None:
            raise unittest.SkipTest("the MariaDB server is not installed")
        self._program = program
        self.url = f"mysql+pymysql://root@127.0.0.1:{self.port}/orch"
        self.run(
            str(install),
            "--no-defaults",
            f"--datadir={self.home / 'data'}",
            _WITHOUT_AIO,
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve",
        )

    def command(self) -> tuple[str, ...]:
        return (
            str(self._program),
            "--no-defaults",
            _WITHOUT_AIO,
            f"--datadir={self.home / 'data'}",
            f"--socket={self.home / 'socket'}",
            f"--pid-file={self.home / 'pid'}",
            "--bind-address=127.0.0.1",
            f"--port={self.port}",
            "--skip-name-resolve",
            # The server shall crash in tests, never the machine.
            "--innodb-flush-log-at-trx-commit=2",
        )

    def create_database(self) -> None:
        connection = self._connect()
        with connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE orch CHARACTER SET utf8mb4")

    def is_answering(self) -> bool:
        try:
            self._connect().close()
        except pymysql.MySQLError:
            return False
        return True

    def _connect(self) -> pymysql.Connection:
        return pymysql.connect(
            host="127.0.0.1", port=self.port, user="root", connect_timeout=3
        )
