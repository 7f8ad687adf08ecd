"""The index on Tantivy keeps the contract, its rows on SQLite."""

import pathlib
import sqlite3

from orch.search.index import port
from orch.search.index.tantivy import index as tantivy_index
from tests.contract.search import contract
from tests.contract.search import formats


class TantivyIndexTest(contract.Contract, formats.Formats):
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
