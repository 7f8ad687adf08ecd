"""The shared index keeps the contract, its rows on each database server."""

import pathlib

import sqlalchemy as sa

from orch.db import engine
from orch.search.index import port
from orch.search.index.shared import index as shared_index
from orch.search.index.shared import tables
from tests.contract.search import cases
from tests.contract.search import contract
from tests.contract.search import formats
from tests.contract.search import large
from tests.contract.search import putting
from tests.contract.search import redaction
from tests.contract.search import storage
from tests.contract.search import unchanged
from tests.functional import databases


class _Case(cases.Case):
    """A database, and a folder for the files of all who open it."""

    fixture: type[databases.PostgreSQL | databases.MariaDB]

    def make_index(self) -> port.Index:
        self.url: str = self.useFixture(self.fixture()).url
        self.folder: pathlib.Path = self.make_directory()
        index = shared_index.SharedIndex(self.url, self.folder)
        index.prepare()
        return index

    def reopen(self) -> port.Index:
        index = shared_index.SharedIndex(self.url, self.folder)
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
        url = self.useFixture(self.fixture()).url
        index = shared_index.SharedIndex(url, self.folder)
        self.addCleanup(index.close)
        return index


class SharedPostgreSQLTest(_Case, contract.Contract, formats.Formats):
    fixture = databases.PostgreSQL


class SharedMariaDBTest(
    _Case,
    putting.Putting,
    redaction.Redaction,
    storage.Storage,
    unchanged.Unchanged,
    large.Large,
    formats.Formats,
):
    """What depends on the rows; the rest is the local file's."""

    fixture = databases.MariaDB
