"""Keys that seal the credentials of stacks."""

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db.models import stacks
from orch.db.repositories import credentials as rows
from orch.engine.credentials import cipher
from orch.model import credential
from tests.unit.cmd import test_manage

_COUNT = 3


class CredentialKeysTest(test_manage.ManageTest):
    def setUp(self) -> None:
        super().setUp()
        self.run_manage("db", "sync")
        self.old = self.run_manage("credential-key", "new")[1].strip()
        self.new = self.run_manage("credential-key", "new")[1].strip()

    def use_keys(self, *keys: str) -> None:
        text = self.file.read_text().partition("[credentials]")[0]
        listed = ",".join(keys)
        self.file.write_text(
            f"{text}[credentials]\nencryption_keys = {listed}\n"
        )

    def store_credential(self, secret: str) -> str:
        value = credential.Credential(
            id=ids.new(),
            root_id=ids.StackId(ids.new()),
            project_id="p",
            user_id="u",
            method=credential.Method.TRUST,
            sealed=cipher.Cipher([self.old]).seal({"trust_id": secret}),
            created_at=clock.Timestamp(0),
            due_at=clock.Timestamp(0),
        )
        self.database.run(lambda connection: rows.insert(connection, value))
        return value.id

    def opened(self, credential_id: str, key: str) -> dict[str, str]:
        table = stacks.CREDENTIALS
        with self.database.read() as connection:
            sealed = connection.execute(
                sa.select(table.c.sealed).where(table.c.id == credential_id)
            ).scalar_one()
        return cipher.Cipher([key]).open(sealed)

    def test_all_are_sealed_with_the_first_key(self) -> None:
        kept = {
            self.store_credential(f"t{each}"): f"t{each}"
            for each in range(_COUNT)
        }
        self.use_keys(self.new, self.old)

        code, said = self.run_manage("credential-key", "rotate")

        self.assertEqual((0, True), (code, said.startswith(f"{_COUNT} ")))
        for credential_id, secret in kept.items():
            self.assertEqual(
                {"trust_id": secret}, self.opened(credential_id, self.new)
            )

    def test_without_the_old_key_nothing_is_changed(self) -> None:
        kept = self.store_credential("t")
        self.use_keys(self.new)

        self.assertRaises(
            cipher.Unreadable, self.run_manage, "credential-key", "rotate"
        )

        self.assertEqual({"trust_id": "t"}, self.opened(kept, self.old))

    def test_without_a_key_it_says_how_to_get_one(self) -> None:
        error = self.assertRaises(
            cipher.BadKey, self.run_manage, "credential-key", "rotate"
        )

        self.assertIn("credential-key new", error.message)
