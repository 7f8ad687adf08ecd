"""A copied database is as the migrations make one."""

import contextlib
import pathlib
import sqlite3

from orch.db import engine
from orch.db import migrate
from tests import base
from tests.support import tables


class TablesTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()

    def schema(self, path: pathlib.Path) -> list[object]:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            mode = connection.execute("PRAGMA journal_mode").fetchall()
            rows = connection.execute(
                "SELECT type, name, sql FROM sqlite_master ORDER BY name"
            ).fetchall()
            at = connection.execute("SELECT * FROM alembic_version").fetchall()
        return [mode, rows, at]

    def test_a_copy_is_what_the_migrations_make(self) -> None:
        for revision in ("head", "0009"):
            migrated = self.directory / f"migrated-{revision}"
            database = engine.Database(f"sqlite:///{migrated}")
            self.addCleanup(database.dispose)
            migrate.upgrade(database, revision)
            database.dispose()
            copied = self.directory / f"copied-{revision}"

            tables.make(f"sqlite:///{copied}", revision)

            self.assertEqual(self.schema(migrated), self.schema(copied))

    def test_no_copy_is_written_over_a_database(self) -> None:
        path = self.directory / "kept"
        path.write_bytes(b"rows")

        self.assertRaises(FileExistsError, tables.write, path)

        self.assertEqual(b"rows", path.read_bytes())
