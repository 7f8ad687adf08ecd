"""Credentials that stacks are left, on each database."""

import testscenarios

from orch import clock
from orch import ids
from orch.db import functions
from orch.db import rows
from orch.db.models import stacks as tables
from orch.db.repositories import credentials
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.model import credential
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

_ROWS = rows.Rows(credential.Credential, tables.CREDENTIALS)
_PENDING = credential.State.PENDING
_ACTIVE = credential.State.ACTIVE
_STALE = credential.State.STALE


class CredentialsTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack = base.make_stack()
        with self.database.write() as conn:
            stacks.insert(conn, self.stack)

    def store_credential(self, **more: object) -> str:
        """Store a credential of the stack, and return its id."""
        with self.database.write() as conn:
            now = functions.read_clock(conn)
            value = credential.Credential(
                id=ids.new(),
                root_id=more.pop("root_id", self.stack.id),
                project_id="p",
                user_id="u",
                method=credential.Method.APPLICATION,
                created_at=clock.Timestamp(now - more.pop("age_s", 0.0)),
                due_at=now,
                **more,
            )
            credentials.insert(conn, value)
        return value.id

    def find(self, credential_id: str) -> credential.Credential | None:
        with self.database.read() as conn:
            return _ROWS.first(
                conn.execute(_ROWS.by("id"), {"key_id": credential_id})
            )

    def state(self, credential_id: str) -> credential.State:
        found = self.find(credential_id)
        assert found is not None
        return found.state

    def claim(self) -> list[str]:
        with self.database.write() as conn:
            credentials.retire(conn, 10.0)
            return [each.id for each in credentials.claim(conn, 10, 60.0)]

    def activate(self, credential_id: str) -> bool:
        with self.database.write() as conn:
            return credentials.activate(conn, credential_id, self.stack.id)

    def test_a_tree_has_one_at_a_time(self) -> None:
        old, new = self.store_credential(), self.store_credential()

        self.assertTrue(self.activate(old))
        self.assertTrue(self.activate(new))

        self.assertEqual((_STALE, _ACTIVE), (self.state(old), self.state(new)))
        with self.database.read() as conn:
            found = credentials.find_active(conn, self.stack.id)
        assert found is not None
        self.assertEqual(new, found.id)
        self.assertFalse(self.activate(old))

    def test_a_second_time_nothing_changes(self) -> None:
        one = self.store_credential()

        self.assertTrue(self.activate(one))
        self.assertTrue(self.activate(one))

        self.assertEqual(_ACTIVE, self.state(one))
        self.assertEqual([], self.claim())

    def test_one_that_nobody_took_is_claimed_once(self) -> None:
        left, fresh = (
            self.store_credential(age_s=11.0),
            self.store_credential(),
        )

        self.assertEqual([left], self.claim())
        self.assertEqual([], self.claim())

        self.assertEqual(_PENDING, self.state(fresh))
        self.assertEqual(_STALE, self.state(left))

    def test_one_of_a_stack_that_is_gone_is_claimed(self) -> None:
        one, other = (
            self.store_credential(),
            self.store_credential(root_id=ids.new(), state=_ACTIVE),
        )
        self.activate(one)
        self.assertEqual([other], self.claim())
        with self.database.write() as conn:
            stacks.update(conn, self.stack.id, deleted_at=base.NOW)

        self.assertEqual([one], self.claim())

    def test_one_in_use_is_left_alone(self) -> None:
        old, new = self.store_credential(), self.store_credential()
        self.activate(old)
        running = base.make_operation(stack_id=self.stack.id)
        with self.database.write() as conn:
            operations.insert(conn, running)
        self.activate(new)

        self.assertEqual([], self.claim())
        with self.database.write() as conn:
            conn.exec_driver_sql("UPDATE operations SET state = 'COMPLETE'")

        self.assertEqual([old], self.claim())

    def test_one_that_could_not_be_removed_comes_again(self) -> None:
        one = self.store_credential(state=_STALE, stale_at=base.NOW)
        self.assertEqual([one], self.claim())
        with self.database.write() as conn:
            credentials.postpone(conn, one, -1.0)

        self.assertEqual([one], self.claim())

        found = self.find(one)
        assert found is not None
        self.assertEqual(1, found.tries)
        with self.database.write() as conn:
            credentials.forget(conn, one)
        self.assertIsNone(self.find(one))

    def test_what_was_sealed_again_meanwhile_stays(self) -> None:
        one = self.store_credential(sealed="a")
        with self.database.write() as conn:
            credentials.replace_sealed(conn, one, "b", "c")
            (found,) = credentials.list_sealed(conn, "", 10)
            self.assertEqual("a", found.sealed)
            credentials.replace_sealed(conn, one, "a", "c")
            (found,) = credentials.list_sealed(conn, "", 10)
            self.assertEqual("c", found.sealed)
            self.assertEqual([], credentials.list_sealed(conn, one, 10))

    def test_a_row_that_is_gone_takes_nothing(self) -> None:
        with self.database.write() as conn:
            self.assertFalse(credentials.update(conn, ids.new(), sealed="x"))
        one = self.store_credential()
        with self.database.write() as conn:
            self.assertTrue(credentials.update(conn, one, sealed="x"))
