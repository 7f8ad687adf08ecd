"""How the files of Tantivy follow the rows, in several processes."""

import pathlib
import sqlite3
import threading
import time

from orch import errors
from orch.db import engine
from orch.search.index import port
from orch.search.index.tantivy import index as tantivy_index
from orch.search.index.tantivy import rows
from orch.search.query import nodes
from tests import base
from tests.contract.search import samples
from tests.functional import databases

_WAIT_S = 60


class FollowingTest(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.directory: pathlib.Path = self.make_directory()
        self.url = f"sqlite:///{self.directory / 'search.db'}"

    def open(
        self,
        folder: str = "files",
        interval_s: float = 0,
        limit_s: float = _WAIT_S,
        *,
        is_prepared: bool = True,
    ) -> tantivy_index.TantivyIndex:
        index = tantivy_index.TantivyIndex(
            self.url,
            self.directory / folder,
            commit_interval_s=interval_s,
            limit_s=limit_s,
        )
        if is_prepared:
            index.prepare()
        self.addCleanup(index.close)
        return index

    def names(self, index: tantivy_index.TantivyIndex) -> list[str]:
        found = index.search(samples.query())
        self.assertEqual(len(found.hits), found.total)
        return [each.document.name for each in found.hits]

    def wait_for(
        self, index: tantivy_index.TantivyIndex, expected: list[str]
    ) -> None:
        end = time.monotonic() + _WAIT_S
        while (found := self.names(index)) != expected:
            self.assertLess(time.monotonic(), end, f"it shows {found}")
            time.sleep(0.02)

    def test_what_was_put_is_found_by_and_by_in_each_process(self) -> None:
        one, other = self.open(interval_s=0.05), self.open(interval_s=0.05)
        self.assertEqual([], self.names(one))

        one.put([samples.stacked(samples.resource("a"))])
        self.wait_for(one, ["a"])
        self.wait_for(other, ["a"])

        other.put([samples.stacked(samples.resource("b"), version=2)])
        self.wait_for(one, ["b"])

    def test_each_process_has_a_folder_of_its_own(self) -> None:
        one, other = self.open(), self.open()
        one.put([samples.stacked(samples.resource("a"))])

        self.assertEqual(["a"], self.names(one))
        self.assertEqual(["a"], self.names(other))
        folders = sorted(x.name for x in (self.directory / "files").iterdir())
        self.assertEqual(["0", "1"], folders)

    def test_who_only_looks_takes_no_folder(self) -> None:
        one = self.open()
        one.put([samples.stacked(samples.resource("a"))])
        self.names(one)

        other = self.open(interval_s=0.05)
        self.assertEqual(1, other.counts().documents)
        self.assertTrue(other.index_state().is_ready)
        other.mark([port.Mark("s1")])

        folders = [x.name for x in (self.directory / "files").iterdir()]
        self.assertEqual(["0"], folders)

    def test_a_folder_is_taken_again_and_goes_on(self) -> None:
        one = self.open()
        one.put([samples.stacked(samples.resource("a"))])
        self.names(one)
        one.close()
        position = self.directory / "files" / "0" / "position.json"
        before = position.read_bytes()

        again = self.open()
        self.assertEqual(["a"], self.names(again))

        self.assertEqual(before, position.read_bytes())

    def test_files_that_are_gone_or_damaged_are_filled_again(self) -> None:
        one = self.open()
        one.put([samples.stacked(samples.resource("a", tags=("t",)))])
        one.put([samples.stacked(samples.resource("b"), version=2, read_at=9)])
        self.names(one)
        one.close()
        files = self.directory / "files" / "0"
        (files / "data" / "meta.json").write_text("{")

        again = self.open()
        self.assertEqual(["b"], self.names(again))
        found = again.search(samples.query(as_of=samples.at(5)))
        self.assertEqual(["a"], [x.document.name for x in found.hits])
        again.close()
        (files / "position.json").unlink()

        self.assertEqual(["b"], self.names(self.open()))

    def test_files_of_other_rows_are_not_believed(self) -> None:
        one = self.open()
        one.put([samples.stacked(samples.resource("a"))])
        self.names(one)
        one.close()
        (self.directory / "search.db").unlink()

        other = self.open()
        other.put([samples.stacked(samples.resource("b"))])

        self.assertEqual(["b"], self.names(other))

    def test_a_state_replaced_and_forgotten_unseen_is_gone(self) -> None:
        one = self.open()
        one.put([samples.stacked(samples.resource("a"))])
        self.assertEqual(["a"], self.names(one))

        one.put([samples.stacked(samples.resource("b"), version=2)])
        self.assertEqual(1, one.forget_history(samples.at(1000)))

        self.assertEqual(["b"], self.names(one))
        gone = samples.query(nodes.All(), as_of=samples.at(1))
        self.assertEqual(
            ["b"], [x.document.name for x in one.search(gone).hits]
        )

    def test_who_is_too_far_behind_fills_again(self) -> None:
        one = self.open()
        one.put([samples.stacked(samples.resource("a"))])
        self.assertEqual(["a"], self.names(one))
        one.put([samples.stacked(samples.resource("b"), version=2)])
        one.forget_history(samples.at(1000))
        with sqlite3.connect(self.directory / "search.db") as connection:
            connection.execute("DELETE FROM search_index_deleted")
            connection.execute(
                "UPDATE search_index_state SET refill_below = position"
            )
        connection.close()

        self.assertEqual(["b"], self.names(one))

    def test_a_number_that_means_another_document_now(self) -> None:
        one, other = self.open(), self.open()
        one.put([samples.stacked(samples.resource("a"))])
        other.clear()
        other.put([samples.stacked(samples.resource("b"))])

        self.assertEqual(["b"], self.names(one))
        self.assertEqual(["b"], self.names(other))

    def test_nothing_is_answered_before_it_is_filled(self) -> None:
        for interval_s in (0.01, 0):
            one = self.open(
                interval_s=interval_s, limit_s=0.1, is_prepared=False
            )

            error = self.assertRaises(errors.Unavailable, self.names, one)

            self.assertIn("search_index_state", error.message)
            self.assertIn("filled" if interval_s else "no answer", str(error))

    def test_a_file_that_is_no_database_is_named(self) -> None:
        path = self.directory / "search.db"
        path.write_bytes(b"no database at all" * 1000)
        one = self.open(is_prepared=False)

        for each in (one.prepare, one.index_state):
            error = self.assertRaises(errors.Unavailable, each)
            self.assertIn(str(path), error.message)
        self.assertTrue(path.read_bytes().startswith(b"no database"))


class PositionsTest(base.TestCase):
    """Writers that commit in another order than they began."""

    def test_a_writer_waits_for_who_has_the_position_before(self) -> None:
        for fixture in (databases.PostgreSQL, databases.MariaDB):
            with self.subTest(fixture.__name__):
                url = self.useFixture(fixture()).url
                self._check(url)

    def _check(self, url: str) -> None:
        index = tantivy_index.TantivyIndex(
            url, self.make_directory(), commit_interval_s=0
        )
        index.prepare()
        self.addCleanup(index.close)
        first = samples.stacked(samples.resource("a"))
        second = samples.stacked(
            samples.resource("b", stack_id="s2"), stack_id="s2"
        )
        database = engine.Database(url)
        self.addCleanup(database.dispose)
        writer = threading.Thread(target=index.put, args=([second],))
        with database.write() as connection:
            rows.replace_stacks(connection, {"s1": first})
            writer.start()
            # Nothing of the second may be seen while the first is open.
            for _ in range(5):
                self.assertEqual(0, index.search(samples.query()).total)
        writer.join()
        found = index.search(samples.query(sort=(port.Sort("name"),)))
        self.assertEqual(
            ["a", "b"], [each.document.name for each in found.hits]
        )
