"""The index on Tantivy keeps the contract, its rows on each database."""

import pathlib
import sqlite3

import sqlalchemy as sa

from orch.db import engine
from orch.search.index import port
from orch.search.index.tantivy import index as tantivy_index
from orch.search.index.tantivy import tables
from tests.contract.search import cases
from tests.contract.search import contract
from tests.contract.search import formats
from tests.contract.search import putting
from tests.contract.search import redaction
from tests.contract.search import storage
from tests.functional import databases


class TantivyIndexTest(contract.Contract, formats.Formats):
    """With rows on SQLite."""

    def make_index(self) -> port.Index:
        self.path: pathlib.Path = self.make_directory() / "search.db"
        index = self._open(self.path)
        index.prepare()
        return index

    def _open(self, path: pathlib.Path) -> tantivy_index.TantivyIndex:
        return tantivy_index.TantivyIndex(
            f"sqlite:///{path}", path.with_suffix(".d"), commit_interval_s=0
        )

    def reopen(self) -> port.Index:
        index = self._open(self.path)
        self.addCleanup(index.close)
        return index

    def write_format(self, add: int) -> None:
        self.index.close()
        with sqlite3.connect(self.path) as connection:
            connection.execute(
                "UPDATE search_index_state SET format = format + ?", (add,)
            )
        connection.close()

    def open_nothing(self) -> port.Index:
        self.nowhere: pathlib.Path = self.make_directory() / "no" / "x.db"
        return self._open(self.nowhere)

    def test_a_look_makes_no_file(self) -> None:
        self.index_state(self.open_nothing())

        self.assertFalse(self.nowhere.parent.exists())


class _ServerCase(cases.Case):
    """With rows on a database server: what depends on them."""

    fixture: type[databases.PostgreSQL | databases.MariaDB]

    def make_index(self) -> port.Index:
        self.url: str = self.useFixture(self.fixture()).url
        self.folder: pathlib.Path = self.make_directory()
        index = self._open(self.url)
        index.prepare()
        return index

    def _open(self, url: str) -> tantivy_index.TantivyIndex:
        return tantivy_index.TantivyIndex(
            url, self.folder, commit_interval_s=0
        )

    def reopen(self) -> port.Index:
        index = self._open(self.url)
        self.addCleanup(index.close)
        return index

    def write_format(self, add: int) -> None:
        database = engine.Database(self.url)
        self.addCleanup(database.dispose)
        state = tables.STATE
        with database.write() as connection:
            connection.execute(
                sa.update(state).values(format=state.c.format + add)
            )

    def open_nothing(self) -> port.Index:
        index = self._open(self.useFixture(self.fixture()).url)
        self.addCleanup(index.close)
        return index


class TantivyPostgreSQLTest(
    _ServerCase,
    putting.Putting,
    redaction.Redaction,
    storage.Storage,
    formats.Formats,
):
    fixture = databases.PostgreSQL


class TantivyMariaDBTest(
    _ServerCase,
    putting.Putting,
    redaction.Redaction,
    storage.Storage,
    formats.Formats,
):
    fixture = databases.MariaDB
