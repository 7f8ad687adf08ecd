"""Saved searches in a database: one table, beside those of the index.

On SQLite it is in a file of its own, since that of the index may be deleted.
"""

import os
import pathlib
import threading
import typing

import sqlalchemy as sa
from oslo_config import cfg
from oslo_db import exception
from sqlalchemy.dialects import mysql

from orch.db import engine
from orch.db import schema_lock
from orch.search.index import port
from orch.search.index.shared import faults
from orch.search.index.sqlite import index as sqlite_index

_LOCK: typing.Final = "orch.search.saved"
_RETRIES: typing.Final = 6

_METADATA = sa.MetaData()
_TABLE = sa.Table(
    "search_saved",
    _METADATA,
    sa.Column("key", sa.String(200), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column(
        "text",
        sa.Text().with_variant(mysql.LONGTEXT(), "mysql"),
        nullable=False,
    ),
    mysql_engine="InnoDB",
    mysql_charset="utf8mb4",
    mysql_collate="utf8mb4_bin",
)
_ROW = _TABLE.c


def from_url(url: str, conf: cfg.ConfigOpts) -> port.SavedStore:
    """Return the store in a database, or beside the file of an index.

    :raises orch.errors.Invalid: no file is named
    """
    if not url.startswith("sqlite"):
        return DatabaseStore(url, conf.search.threads)
    index = sqlite_index.path_of(url)
    path = index.with_name(f"{index.stem}-saved{index.suffix}")
    address = sa.URL.create("sqlite", database=str(path))
    return DatabaseStore(str(address), conf.search.threads, path)


class DatabaseStore:
    """A table of texts; it is created where it is missing."""

    def __init__(
        self, url: str, threads: int, path: pathlib.Path | None = None
    ) -> None:
        """Name the database; nothing is opened yet.

        :param url: of SQLAlchemy
        :param threads: how many use it at the same time
        :param path: of its file; ``None`` for a database server
        """
        self._url = url
        self._threads = threads
        self._path = path
        self._lock = threading.Lock()
        self._database: engine.Database | None = None

    def read(self, key: str) -> port.StoredText | None:
        """Return the text that was last written under a key."""
        statement = sa.select(_ROW.text, _ROW.version).where(_ROW.key == key)
        with faults.translated(self._url):
            found = self._connect().query(
                lambda connection: connection.execute(statement).first()
            )
        return None if found is None else port.StoredText(*found)

    def write(self, key: str, text: str, version: int) -> bool:
        """Write a text, unless another was written since a version."""
        if version:
            statement: sa.Update | sa.Insert = (
                sa.update(_TABLE)
                .where(_ROW.key == key, _ROW.version == version)
                .values(text=text, version=version + 1)
            )
        else:
            statement = sa.insert(_TABLE).values(key=key, text=text, version=1)
        with faults.translated(self._url):
            try:
                return self._connect().run(
                    lambda connection: (
                        connection.execute(statement).rowcount == 1
                    )
                )
            except exception.DBDuplicateEntry:
                return False

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._database:
                self._database.dispose()
                self._database = None

    def _connect(self) -> engine.Database:
        with self._lock:
            if self._database is None:
                if self._path:
                    _create_file(self._path)
                database = engine.Database(
                    self._url,
                    max_pool_size=self._threads,
                    max_retries=_RETRIES,
                )
                try:
                    if not database.query(_has_table):
                        with schema_lock.locked(database, _LOCK) as connection:
                            _METADATA.create_all(connection)
                except BaseException:
                    database.dispose()
                    raise
                self._database = database
            return self._database


def _has_table(connection: sa.Connection) -> bool:
    return sa.inspect(connection).has_table(_TABLE.name)


def _create_file(path: pathlib.Path) -> None:
    """Create an empty file, for its owner alone, where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
