"""A copied database is as the migrations make one, on a server too."""

import sqlalchemy as sa

from orch.db import engine
from orch.db import migrate
from tests import base
from tests.functional import databases
from tests.support import tables

_REVISION = "0002"


class MariadbTests(base.TestCase):
    limit_s = 180

    def open(self) -> engine.Database:
        database = engine.Database(self.useFixture(databases.MariaDB()).url)
        self.addCleanup(database.dispose)
        return database

    def make(self) -> engine.Database:
        database = self.open()
        tables.make(str(database.engine.url), _REVISION)
        return database

    def read(self, database: engine.Database) -> list[object]:
        """Return how each table is defined, and the revision."""
        with database.read() as conn:
            names = conn.execute(sa.text("SHOW TABLES")).scalars().all()
            found: list[object] = [
                conn.execute(sa.text(f"SHOW CREATE TABLE {name}")).one()[1]
                for name in names
            ]
            version = conn.execute(sa.text("SELECT * FROM alembic_version"))
            return [*found, *version.scalars()]

    def test_a_copy_is_what_the_migrations_make(self) -> None:
        migrated = self.open()
        migrate.upgrade(migrated, _REVISION)

        first, second = self.make(), self.make()

        self.assertIn(_REVISION, self.read(migrated))
        self.assertEqual(self.read(migrated), self.read(first))
        self.assertEqual(self.read(migrated), self.read(second))
