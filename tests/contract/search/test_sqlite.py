"""The index in a file of SQLite keeps the contract."""

import pathlib
import sqlite3

from orch import errors
from orch.search.index import port
from orch.search.index.sqlite import index as sqlite_index
from orch.search.query import nodes
from tests.contract.search import contract
from tests.contract.search import formats
from tests.contract.search import samples
from tests.contract.search.samples import resource
from tests.contract.search.samples import words


class SQLiteIndexTest(contract.Contract, formats.Formats):
    def make_index(self) -> port.Index:
        self.path: pathlib.Path = self.make_directory() / "search.db"
        index = sqlite_index.SQLiteIndex(self.path)
        index.prepare()
        return index

    def reopen(self) -> port.Index:
        index = sqlite_index.SQLiteIndex(self.path)
        self.addCleanup(index.close)
        return index

    def write_format(self, add: int) -> None:
        self.index.close()
        with sqlite3.connect(self.path) as connection:
            (now,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute(f"PRAGMA user_version = {now + add}")
        connection.close()

    def open_nothing(self) -> port.Index:
        self.nowhere: pathlib.Path = self.make_directory() / "no" / "x.db"
        return sqlite_index.SQLiteIndex(self.nowhere)

    def test_a_look_makes_no_file(self) -> None:
        self.index_state(self.open_nothing())

        self.assertFalse(self.nowhere.parent.exists())

    def test_a_look_moves_nothing_aside(self) -> None:
        self.index.close()
        note = self.path.with_name("search.db.damaged")
        note.touch()
        self.assertRaises(errors.Unavailable, self.index_state)
        note.unlink()
        self.path.write_bytes(b"no database at all" * 1000)
        self.assertRaises(errors.Unavailable, self.index_state)
        self.path.unlink()
        with sqlite3.connect(self.path) as connection:
            connection.execute("CREATE TABLE theirs (x)")
        connection.close()
        self.assertRaises(errors.Unavailable, self.index_state)

        found = list(self.path.parent.glob("search.db.*"))
        self.assertEqual([], [each for each in found if each != note])

    def test_s6_the_score_is_the_same_in_every_order(self) -> None:
        self.put(
            resource("a", description="a pump that is red", path="x/a"),
            resource("b", name="pump", tags=("red",), path="x/b"),
            resource("c", path="x/pump/c", reason="red"),
        )
        pump, red = words("pump"), nodes.Term("reason", "red")
        for node in (pump, nodes.And((pump, words("red"))), red):
            scores = [
                {
                    each.document.id: each.score
                    for each in self.index.search(
                        samples.query(node, sort=sort)
                    ).hits
                }
                for sort in ((), (port.Sort("name"),))
            ]
            self.assertEqual(scores[0], scores[1])
            self.assertTrue(all(scores[0].values()))

    def test_what_came_since_is_in_sets_that_were_kept(self) -> None:
        many = (resource(f"a{each}", name="pump") for each in range(2100))
        self.put(*many)
        total = samples.query(words("pump"), limit=1)
        for _ in range(2):
            self.assertEqual(2100, self.index.search(total).total)

        for number in (1, 2):
            late = resource(f"late{number}", name="pump")
            self.index.put([samples.stacked(late, stack_id=f"late{number}")])
            found = self.index.search(total).total
            self.assertEqual(2100 + number, found)
