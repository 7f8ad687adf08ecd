"""What may hold a secret, encrypted on each database."""

import fixtures
import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db import encryption
from orch.db import engine
from orch.db.models import stacks
from orch.db.repositories import contents
from orch.db.repositories import forwarding
from orch.db.repositories import resources
from orch.db.repositories import sealed_values
from orch.db.repositories import secret_rows
from orch.db.repositories import stacks as stored_stacks
from orch.engine import credentials
from orch.model import resource
from tests.functional.db import base
from tests.functional.db import test_forwarding

load_tests = testscenarios.load_tests_apply_scenarios

_CANARY = "canary-7f3a"
_STACK = ids.StackId(ids.new())


class EncryptionTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.old, self.new = credentials.new_key(), credentials.new_key()
        self.sealing = self.with_keys(self.old)

    def with_keys(self, *keys: str, seals: bool = True) -> engine.Database:
        database = engine.Database(
            self.url, cipher=encryption.Cipher(keys, seals=seals)
        )
        self.addCleanup(database.dispose)
        return database

    def fill(self, database: engine.Database) -> resource.Resource:
        """Store what has a secret in it, and return the row."""
        row = base.make_resource(
            stack_id=_STACK,
            properties={"password": _CANARY},
            data={"key": _CANARY},
            desired_properties={"password": _CANARY},
        )
        with database.write() as conn:
            resources.save_many(conn, [row])
            contents.save_texts(conn, [f"admin_pass: {_CANARY}"])
            sealed = f"http://old/?Signature={_CANARY}"
            address = test_forwarding.make_address(
                resource_id=row.id, old_address=sealed, new_address=sealed
            )
            forwarding.insert(conn, [address])
        return row

    def read_texts(self, database: engine.Database) -> frozenset[str]:
        with database.read() as conn:
            return secret_rows.read_texts(conn, _STACK)

    def test_texts_of_encrypted_rows_are_read_and_read_again(self) -> None:
        self.fill(self.sealing)
        with self.database.write() as conn:
            stored_stacks.insert(
                conn, base.make_stack(id=_STACK, root_id=_STACK)
            )

        for _ in range(2):
            self.assertEqual({_CANARY}, self.read_texts(self.sealing))

    def dump(self) -> str:
        """Return all that stands in the database, as it stands there."""
        found = []
        with self.database.engine.connect() as conn:
            for table in (*sealed_values.tables(), stacks.CONTENTS):
                name = conn.dialect.identifier_preparer.format_table(table)
                rows = conn.exec_driver_sql(f"SELECT * FROM {name}")
                found += [repr(each) for row in rows for each in row]
        return "\n".join(found)

    def read(self, database: engine.Database) -> resource.Resource:
        with database.read() as conn:
            (found,) = resources.list_(conn, _STACK)
            text = contents.get_text(
                conn, contents.hash_of(f"admin_pass: {_CANARY}")
            )
            address = forwarding.find(conn, found.id)
        self.assertEqual(f"admin_pass: {_CANARY}", text)
        sealed = f"http://old/?Signature={_CANARY}"
        self.assertEqual(sealed, address.old_address)
        self.assertEqual(sealed, address.new_address)
        return found

    def renew(self, database: engine.Database, limit: int = 10) -> int:
        """Return how many rows were changed, in pages of ``limit`` rows."""
        changed = 0
        for table in sealed_values.tables():
            after = None
            while True:
                with database.write() as conn:
                    page = sealed_values.renew(conn, table, after, limit)
                if page.last is None:
                    break
                self.assertEqual(0, page.missed)
                changed, after = changed + page.changed, page.last
        return changed

    def test_what_is_stored_does_not_show_secrets(self) -> None:
        row = self.fill(self.sealing)

        self.assertNotIn(_CANARY, self.dump())
        self.assertEqual(row.properties, self.read(self.sealing).properties)
        self.assertEqual(
            row.desired_properties, self.read(self.sealing).desired_properties
        )

    def test_without_a_key_nothing_sealed_can_be_read(self) -> None:
        self.fill(self.sealing)

        for other in (self.database, self.with_keys(self.new)):
            self.assertRaises(encryption.Unreadable, self.read, other)

    def test_what_was_stored_in_clear_text_is_read_and_sealed_later(
        self,
    ) -> None:
        row = self.fill(self.database)
        self.assertIn(_CANARY, self.dump())
        self.assertEqual(row.properties, self.read(self.sealing).properties)

        self.assertEqual(3, self.renew(self.sealing))

        self.assertNotIn(_CANARY, self.dump())
        self.assertEqual(row.data, self.read(self.sealing).data)

    def test_another_key_takes_over_and_a_second_time_changes_nothing(
        self,
    ) -> None:
        row = self.fill(self.sealing)
        both = self.with_keys(self.new, self.old)
        self.assertEqual(row.properties, self.read(both).properties)

        self.assertEqual(3, self.renew(both, limit=1))

        alone = self.with_keys(self.new)
        self.assertEqual(row.properties, self.read(alone).properties)
        self.assertRaises(encryption.Unreadable, self.read, self.sealing)
        self.assertEqual(0, self.renew(both))

    def test_it_can_be_taken_back(self) -> None:
        row = self.fill(self.sealing)
        plain = self.with_keys(self.old, seals=False)
        self.assertEqual(row.properties, self.read(plain).properties)

        self.assertEqual(3, self.renew(plain))

        self.assertEqual(row.properties, self.read(self.database).properties)

    def test_what_somebody_writes_meanwhile_stays(self) -> None:
        self.fill(self.sealing)
        both = self.with_keys(self.new, self.old)
        seal = encryption.Cipher([self.new], seals=True).seal
        (table,) = (
            each for each in sealed_values.tables() if each.name == "resources"
        )
        later = {"properties": {"password": "later"}}

        with both.write() as conn:
            # Between the look at the row and its update.
            def write(*given: object) -> str:
                conn.execute(sa.update(table).values(later))
                return seal("{1}")

            with fixtures.MonkeyPatch(
                "orch.db.repositories.sealed_values._anew", write
            ):
                page = sealed_values.renew(conn, table, None, 10)

        self.assertEqual((0, 1), (page.changed, page.missed))
        self.assertEqual(later["properties"], self.read(both).properties)

    def test_all_rows_are_found_page_by_page(self) -> None:
        with self.database.write() as conn:
            contents.save_texts(
                conn, [f"text {number}" for number in range(7)]
            )

        self.assertEqual(7, self.renew(self.sealing, limit=2))
