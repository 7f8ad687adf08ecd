"""What a worker leaves in Keystone when it dies is found and removed."""

import pathlib
import typing

import fixtures

from orch import ids
from orch.clients import identity
from orch.conf import load
from orch.context import request
from orch.db import engine as db_engine
from orch.db import migrate
from orch.db.repositories import credentials as rows
from orch.engine import credentials
from orch.engine.credentials import assembly
from orch.engine.credentials import cipher
from orch.engine.credentials import revocation
from orch.engine.credentials import stored_credentials
from orch.model import credential
from orch.model import states
from tests import base
from tests.support import keystone
from tests.support import systems

_CREATE = states.Action.CREATE


class DeathError(BaseException):
    """The worker ends here."""


class _Dying(identity.Keystone):
    """Makes it, and dies before anybody hears of it."""

    def create_trust(
        self, giver: identity.Grantor, mark: str
    ) -> identity.Secret:
        super().create_trust(giver, mark)
        raise DeathError

    def create_application(
        self,
        giver: identity.Grantor,
        secret: identity.Secret,
        *,
        unrestricted: bool,
    ) -> None:
        super().create_application(giver, secret, unrestricted=unrestricted)
        raise DeathError


class TestLeftOver(base.TestCase):
    """Each step of leaving a credential, and nothing after it."""

    limit_s = 240

    def setUp(self) -> None:
        super().setUp()
        self.keystone = keystone.shared()
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        config = directory / "orch.conf"
        systems.write_config(config, self.keystone.options())
        self.conf = load.load([], [str(config)], prog="orch-engine")
        self.database = db_engine.Database(f"sqlite:///{directory}/orch.db")
        self.addCleanup(self.database.dispose)
        migrate.upgrade(self.database)
        self.keys = [credentials.new_key()]
        self.stack_id = ids.new()

    def _make_credentials(
        self,
        kind: type[identity.Keystone] = identity.Keystone,
        method: credential.Method = credential.Method.TRUST,
    ) -> stored_credentials.StoredCredentials:
        found = kind(self.conf, assembly.settings_of(self.conf))
        return stored_credentials.StoredCredentials(
            self.database,
            found,
            cipher.Cipher(self.keys),
            stored_credentials.Settings(method=method),
        )

    def _context(self, user: str = "member") -> request.RequestContext:
        return request.RequestContext(
            auth_token=self.keystone.token(user),
            user_id=self.keystone.users[user],
            project_id=self.keystone.projects["demo"],
            roles=["member", "reader"],
        )

    def _look(self, unused_s: float = 0.0) -> None:
        found = revocation.Revocation(
            self.database, self._make_credentials(), 0.1, unused_s
        )
        found.look()

    def _rows(self) -> list[tuple[object, ...]]:
        with self.database.read() as connection:
            return [
                tuple(each)
                for each in connection.exec_driver_sql(
                    "SELECT state, sealed, tries FROM credentials"
                )
            ]

    def _applications(self) -> list[str]:
        member = self.keystone.login("member").connect()
        found = member.identity.application_credentials(
            self.keystone.users["member"]
        )
        return [each.name for each in found]

    def test_a_trust_whose_answer_was_lost_is_found(self) -> None:
        before = self.keystone.trusts()
        self.assertRaises(
            DeathError,
            self._make_credentials(_Dying).provide,
            self._context(),
            self.stack_id,
            _CREATE,
        )
        self.assertEqual(1, len(set(self.keystone.trusts()) - set(before)))
        self.assertEqual([("PENDING", "", 0)], self._rows())
        self._look(unused_s=3600)
        self.assertEqual(1, len(self._rows()))
        self._look()
        self.assertEqual(before, self.keystone.trusts())
        self.assertEqual([], self._rows())

    def test_an_application_credential_is_found_too(self) -> None:
        method = credential.Method.APPLICATION
        before = self._applications()
        self.assertRaises(
            DeathError,
            self._make_credentials(_Dying, method).provide,
            self._context(),
            self.stack_id,
            _CREATE,
        )
        self.assertEqual(1, len(set(self._applications()) - set(before)))
        self._look()
        self.assertEqual(before, self._applications())
        self.assertEqual([], self._rows())

    def test_one_that_was_never_made_is_forgotten(self) -> None:
        with self.database.write() as connection:
            rows.insert(connection, self._row())
        self._look()
        self.assertEqual([], self._rows())

    def test_one_that_no_operation_took_is_removed(self) -> None:
        before = self.keystone.trusts()
        given = self._make_credentials().provide(
            self._context(), self.stack_id, _CREATE
        )
        self.assertRegex(str(given), "^[0-9a-f-]{36}$")
        self._look()
        self.assertEqual(before, self.keystone.trusts())
        with self.database.write() as connection:
            taken = rows.activate(
                connection, str(given), ids.StackId(self.stack_id)
            )
        self.assertFalse(taken)

    def test_what_comes_after_the_row_is_gone_is_removed(self) -> None:
        before = self.keystone.trusts()
        look = self._look

        class Slow(identity.Keystone):
            def create_trust(
                self, giver: identity.Grantor, mark: str
            ) -> identity.Secret:
                look()
                return super().create_trust(giver, mark)

        self.assertRaises(
            identity.Unreachable,
            self._make_credentials(Slow).provide,
            self._context(),
            self.stack_id,
            _CREATE,
        )
        self.assertEqual(before, self.keystone.trusts())

    def test_what_cannot_be_removed_is_tried_again(self) -> None:
        self._make_credentials().provide(
            self._context(), self.stack_id, _CREATE
        )
        before = self.keystone.trusts()
        right = self.conf.trustee.password
        self.conf.set_override("password", "wrong", group="trustee")
        self._look()
        (row,) = self._rows()
        self.assertEqual("STALE", row[0])
        self.assertEqual(1, row[2])
        self.assertEqual(before, self.keystone.trusts())
        self.conf.set_override("password", right, group="trustee")
        with self.database.write() as connection:
            rows.postpone(connection, self._only(), 0.0)
        self._look()
        self.assertEqual([], self._rows())

    def test_nothing_is_made_for_stacks_that_are_not_there(self) -> None:
        given = self._make_credentials().provide(
            self._context(), self.stack_id, states.Action.UPDATE
        )
        self.assertIsNone(given)
        self.assertEqual([], self._rows())

    def test_a_changed_key_still_opens(self) -> None:
        self._make_credentials().provide(
            self._context(), self.stack_id, _CREATE
        )
        old = self.keys[0]
        self.keys = [credentials.new_key(), old]
        (row,) = self._rows()
        again = cipher.Cipher(self.keys).rotated(str(row[1]))
        self.assertIn("trust_id", cipher.Cipher(self.keys[:1]).open(again))
        self.assertRaises(
            cipher.Unreadable, cipher.Cipher(self.keys[:1]).open, str(row[1])
        )
        self._look()

    def _only(self) -> str:
        with self.database.read() as connection:
            return str(
                connection.exec_driver_sql(
                    "SELECT id FROM credentials"
                ).scalar_one()
            )

    def _row(self) -> credential.Credential:
        return credential.Credential(
            id=ids.new(),
            root_id=ids.StackId(self.stack_id),
            project_id=self.keystone.projects["demo"],
            user_id=self.keystone.users["member"],
            method=credential.Method.TRUST,
            created_at=typing.cast(typing.Any, 0.0),
            due_at=typing.cast(typing.Any, 0.0),
        )


class TestWrongOptions(base.TestCase):
    """A worker that cannot keep credentials does not start."""

    def test_no_key_is_told(self) -> None:
        error = self.assertRaises(cipher.BadKey, cipher.Cipher, [])
        self.assertIn("credential-key new", error.message)

    def test_a_wrong_key_is_told_and_not_shown(self) -> None:
        error = self.assertRaises(cipher.BadKey, cipher.Cipher, ["secret"])
        self.assertNotIn("'secret'", error.message)

    def test_a_missing_trustee_is_told(self) -> None:
        conf = load.load([], [], prog="orch-engine")
        error = self.assertRaises(
            identity.Misconfigured,
            identity.Keystone,
            conf,
            assembly.settings_of(conf),
        )
        self.assertIn("[trustee]", error.message)
