"""Databases as an earlier revision has them, to be migrated."""

import sqlalchemy as sa
import testscenarios

from orch.db import encryption
from orch.db import engine
from orch.db import migrate
from orch.db import types
from orch.engine import credentials
from tests import base
from tests.functional import databases
from tests.support import tables


class MigratingTestCase(testscenarios.TestWithScenarios, base.TestCase):
    """Two databases in one: they have one key, and the first one seals.

    :cvar revision: which they have
    """

    revision = ""
    scenarios = databases.SCENARIOS

    def setUp(self) -> None:
        super().setUp()
        url = self.useFixture(self.kind()).url
        tables.make(url, self.revision)
        key = credentials.new_key()
        self.databases = [
            engine.Database(
                url, cipher=encryption.Cipher([key], seals=is_sealing)
            )
            for is_sealing in (True, False)
        ]
        for each in self.databases:
            self.addCleanup(each.dispose)
        self.database = self.databases[0]

    def upgrade_once(self) -> None:
        """Bring the tables to the revision after the one they have.

        The later ones take longer, and a test of this one's rows needs none
        of them; a test that reads by the repositories does.
        """
        migrate.upgrade(self.database, "+1")

    def put(
        self,
        database: engine.Database,
        name: str,
        *rows: dict[str, object],
    ) -> None:
        """Store rows as the revision has them; maps are sealed."""
        cipher = encryption.cipher_of(database.engine.dialect)
        with database.write() as conn:
            table = sa.Table(name, sa.MetaData(), autoload_with=conn)
            empty = {
                each.name: "{}" if isinstance(each.type, sa.String) else 0
                for each in table.columns
                if not each.nullable
            }
            conn.execute(
                table.insert(),
                [
                    empty
                    | {
                        key: cipher.seal(types.dump(value))
                        if isinstance(value, dict)
                        else value
                        for key, value in row.items()
                    }
                    for row in rows
                ],
            )

    def read(self, name: str, *columns: str) -> list[list[object]]:
        """Return these columns of all rows by key, documents opened."""
        cipher = encryption.cipher_of(self.database.engine.dialect)
        with self.database.read() as conn:
            table = sa.Table(name, sa.MetaData(), autoload_with=conn)
            found = conn.execute(
                sa.select(*(table.c[each] for each in columns)).order_by(
                    *table.primary_key.columns
                )
            )
            return [
                [
                    types.load(cipher.open(each))
                    if isinstance(each, str)
                    else each
                    for each in row
                ]
                for row in found
            ]
