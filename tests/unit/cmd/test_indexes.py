"""``orch-manage search`` asks about an index, and changes none by asking."""

import contextlib
import io
import pathlib
import sqlite3

import fixtures

from orch.cmd import manage
from orch.cmd import process
from orch.search.index import formats
from orch.search.index.sqlite import index as sqlite_index
from orch.search.index.sqlite import schema
from orch.search.indexing import full_scan_state
from tests import base
from tests.contract.search import samples


class IndexesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.state: pathlib.Path = self.make_directory()
        self.config = self.make_directory() / "orch.conf"
        self.config.write_text("")
        self.path = self.state / "search.db"

    def manage(self, verb: str, state: pathlib.Path | None = None) -> str:
        self.useFixture(
            fixtures.MonkeyPatch(
                "sys.argv",
                [
                    *("orch-manage", "--config-file", str(self.config)),
                    *("search", verb, "--state-dir", str(state or self.state)),
                ],
            )
        )
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(0, manage._run())
        return said.getvalue()

    def refused(self, verb: str, state: pathlib.Path | None = None) -> str:
        error = self.assertRaises(
            (process.Failure, formats.NewerFormat), self.manage, verb, state
        )
        return str(error)

    def fill(self, add: int = 0) -> None:
        """Make an index with a document, of a format so much newer."""
        index = sqlite_index.SQLiteIndex(self.path)
        index.put([samples.stacked(samples.resource("a"))])
        full_scan_state.finish_scan(
            index, full_scan_state.FullScan(full_scan_state.FILL), 1.0
        )  # type: ignore[arg-type]
        index.close()
        with sqlite3.connect(self.path) as connection:
            connection.execute(f"PRAGMA user_version = {schema.FORMAT + add}")
        connection.close()

    def rows(self) -> tuple[int, int]:
        """Return the format, and how many documents there are."""
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            (count,) = connection.execute(
                "SELECT count(*) FROM documents"
            ).fetchone()
        return found, count

    def test_the_state_of_an_index_is_told(self) -> None:
        self.fill()

        said = self.manage("status")

        self.assertIn("1 stacks, 1 documents", said)
        self.assertIn("filled at 1970-01-01", said)

    def test_where_there_is_none_none_is_made(self) -> None:
        self.assertIn("There is no search index in", self.refused("status"))

        self.assertEqual([], list(self.state.iterdir()))

    def test_a_mistyped_directory_is_not_made(self) -> None:
        wrong = self.state / "wrnog"
        for verb in ("status", "refill", "rebuild"):
            said = self.refused(verb, wrong)
            self.assertIn(f"There is no directory {wrong}", said)

        self.assertFalse(wrong.exists())

    def test_what_another_release_has_made_is_left_as_it_is(self) -> None:
        for add, told in ((-1, "older release"), (1, "newer release")):
            self.path.unlink(missing_ok=True)
            self.fill(add)

            self.assertIn(told, self.refused("status"))

            self.assertEqual((schema.FORMAT + add, 1), self.rows())

    def test_an_older_index_is_made_anew_by_a_refill(self) -> None:
        self.fill(-1)

        self.assertIn("reads all stacks again", self.manage("refill"))

        self.assertEqual((schema.FORMAT, 0), self.rows())

    def test_a_newer_index_is_not_filled_by_an_older_release(self) -> None:
        self.fill(1)
        for verb in ("refill", "rebuild"):
            self.assertIn("newer release", self.refused(verb))

        self.assertEqual((schema.FORMAT + 1, 1), self.rows())
