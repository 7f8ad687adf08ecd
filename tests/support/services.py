"""Which real servers this machine offers to the tests, and why not.

The tests use what listens on localhost with the credentials below; nothing
here starts or changes a server (``tools/services`` does).
"""

import collections.abc
import dataclasses
import functools
import unittest

import kombu
import psycopg2
import pymysql

from tests.support import ports

RABBIT_URL = "amqp://guest:guest@127.0.0.1:5672/"
POSTGRESQL = {"host": "127.0.0.1", "port": 5432, "user": "postgres"}
MARIADB = {"host": "127.0.0.1", "port": 3306, "user": "root"}
_TIMEOUT_S = 3


def _knock_rabbitmq() -> None:
    with kombu.Connection(RABBIT_URL, connect_timeout=_TIMEOUT_S) as broker:
        broker.connect()


def _knock_postgresql() -> None:
    psycopg2.connect(
        **POSTGRESQL, dbname="postgres", connect_timeout=_TIMEOUT_S
    ).close()


def _knock_mariadb() -> None:
    pymysql.connect(**MARIADB, connect_timeout=_TIMEOUT_S).close()


@dataclasses.dataclass(frozen=True)
class Server:
    """One server that tests may need.

    :ivar package: the Debian package that brings it
    :ivar unit: the name of its service
    :ivar login: how the tests log in, for people
    """

    name: str
    package: str
    unit: str
    login: str
    port: int
    knock: collections.abc.Callable[[], None]

    def is_listening(self) -> bool:
        """Answer whether something has the server's port."""
        return ports.is_open(self.port)

    def find_fault(self) -> str | None:
        """Log in once; return why that failed, or ``None``."""
        try:
            self.knock()
        except Exception as fault:
            text = " ".join(str(fault).split())
            return f"{type(fault).__name__}: {text}"[:200]
        return None


SERVERS = (
    Server(
        "RabbitMQ",
        "rabbitmq-server",
        "rabbitmq-server",
        "guest/guest at 127.0.0.1:5672",
        5672,
        _knock_rabbitmq,
    ),
    Server(
        "PostgreSQL",
        "postgresql",
        "postgresql",
        "postgres without a password at 127.0.0.1:5432",
        5432,
        _knock_postgresql,
    ),
    Server(
        "MariaDB",
        "mariadb-server",
        "mariadb",
        "root without a password at 127.0.0.1:3306",
        3306,
        _knock_mariadb,
    ),
)


@functools.cache
def why_missing(name: str) -> str | None:
    """Return why the tests cannot use a server, or ``None``.

    Asked of the server once a process.

    :param name: ``RabbitMQ``, ``PostgreSQL`` or ``MariaDB``
    """
    server = next(server for server in SERVERS if server.name == name)
    fault = server.find_fault()
    return fault and f"no {server.name} ({server.login}): {fault}"


def require(*names: str) -> None:
    """Skip the running test where one of these servers is missing."""
    for name in names:
        reason = why_missing(name)
        if reason:
            raise unittest.SkipTest(reason)
