"""When a stack gets a new credential."""

import threading
import typing

import fixtures

from orch import clock
from orch import ids
from orch import project_slots
from orch.clients import identity
from orch.context import deadline
from orch.context import outside
from orch.context import request
from orch.db import engine
from orch.engine import credentials
from orch.engine.credentials import cipher
from orch.engine.credentials import stored_credentials
from orch.model import credential
from orch.model import stack as stack_model
from orch.model import states
from tests import base

_ROOT = ids.StackId("root")
_CALLER = request.RequestContext(
    auth_token="t", user_id="u", project_id="p", roles=["member"]
)


class _Database:
    """Knows one stack and what it has; the rows that are written are noted."""

    def __init__(self, held: credential.Credential | None) -> None:
        self._held = held
        self.writes = 0

    def query(self, work: object) -> object:
        stack = _Stack()
        return typing.cast(stack_model.Stack, stack), self._held

    def run(self, work: object) -> bool:
        deadline.check()
        self.writes += 1
        return True


class _Stack:
    project_id = "p"
    deleted_at = None
    root_id = _ROOT


class _Keystone:
    """Lets everybody log in, and leave a trust."""

    def __init__(self) -> None:
        self.marks: list[str] = []
        self.is_called = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()

    def is_good(self, auth: object) -> bool:
        self.is_called.set()
        self.may_answer.wait(60)
        return True

    def trust_login(self, trust_id: str) -> str:
        return trust_id

    def create_trust(
        self, giver: identity.Grantor, mark: str
    ) -> identity.Secret:
        self.marks.append(mark)
        return {"trust_id": "new"}


class StoredCredentialsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.keystone = _Keystone()
        self.addCleanup(self.keystone.may_answer.set)

    def _provided(self, sealed_by: str, *, opened_by: str) -> str | None:
        return self._make_credentials(sealed_by, opened_by).provide(
            _CALLER, _ROOT, states.Action.UPDATE
        )

    def _make_credentials(
        self, sealed_by: str, opened_by: str
    ) -> stored_credentials.StoredCredentials:
        sealed = cipher.Cipher([sealed_by]).seal({"trust_id": "old"})
        held = credential.Credential(
            id="old",
            root_id=_ROOT,
            project_id="p",
            user_id="u",
            method=credential.Method.TRUST,
            sealed=sealed,
            created_at=clock.Timestamp(1),
            due_at=clock.Timestamp(1),
        )
        self.database = _Database(held)
        return stored_credentials.StoredCredentials(
            typing.cast(engine.Database, self.database),
            typing.cast(identity.Keystone, self.keystone),
            cipher.Cipher([opened_by]),
            stored_credentials.Settings(method=credential.Method.TRUST),
        )

    def test_one_that_logs_in_is_kept(self) -> None:
        key = credentials.new_key()
        self.assertIsNone(self._provided(key, opened_by=key))

    def test_one_that_no_key_opens_is_replaced(self) -> None:
        found = self._provided(
            credentials.new_key(), opened_by=credentials.new_key()
        )
        self.assertNotIn(found, (None, "old"))

    def test_one_is_withdrawn_after_the_deadline(self) -> None:
        key = credentials.new_key()
        made = self._make_credentials(key, key)
        ctxt = request.RequestContext()
        ctxt.left = "mark"

        with deadline.limited(0):
            made.withdraw(ctxt)

        self.assertEqual(1, self.database.writes)

    def test_a_slow_keystone_holds_up_no_more_than_it_may(self) -> None:
        key = credentials.new_key()
        made = self._make_credentials(key, key)
        slots = outside.make_slots(2)

        def ask() -> str | None:
            calls = outside.OutsideCalls("p", slots, is_awaited=True)
            with outside.limited(calls):
                return made.provide(_CALLER, _ROOT, states.Action.UPDATE)

        self.keystone.may_answer.clear()
        first = threading.Thread(target=ask)
        first.start()
        self.addCleanup(first.join)
        self.addCleanup(self.keystone.may_answer.set)
        self.assertTrue(self.keystone.is_called.wait(30))
        self.useFixture(
            fixtures.MonkeyPatch("orch.context.outside.WAIT_S", 0.01)
        )
        self.assertRaises(project_slots.SlotsTaken, ask)
        # Known to be slow, it is not waited for at all.
        self.useFixture(
            fixtures.MonkeyPatch("orch.context.outside.WAIT_S", 1e6)
        )
        self.assertRaises(project_slots.SlotsTaken, ask)
        look = made.provide(_CALLER, _ROOT, states.Action.CHECK)
        self.assertIsNone(look)
        self.keystone.may_answer.set()
        first.join()
        self.assertIsNone(ask())


class _Refusing(_Keystone):
    """Lets nobody leave a trust, as of a login that was delegated."""

    def create_trust(
        self, giver: identity.Grantor, mark: str
    ) -> identity.Secret:
        raise identity.CredentialRefused("Log in with a password.")

    def find_lent(self, trust: object) -> None:
        return None


class RefusedTest(base.TestCase):
    """The caller may not leave a credential."""

    def setUp(self) -> None:
        super().setUp()
        self.credentials = stored_credentials.StoredCredentials(
            typing.cast(engine.Database, _Database(None)),
            typing.cast(identity.Keystone, _Refusing()),
            cipher.Cipher([credentials.new_key()]),
            stored_credentials.Settings(method=credential.Method.TRUST),
        )

    def test_a_stack_that_needs_none_goes_on_without(self) -> None:
        for action in states.Action:
            found = self.credentials.provide(_CALLER, _ROOT, action)
            self.assertIsNone(found, action)

    def test_one_that_needs_it_is_refused_and_the_types_are_told(self) -> None:
        error = self.assertRaises(
            identity.CredentialRefused,
            self.credentials.provide,
            _CALLER,
            _ROOT,
            states.Action.UPDATE,
            ("OS::Nova::Server", "Test::Cloud::Login"),
        )
        self.assertIn("Log in with a password.", error.message)
        self.assertIn("OS::Nova::Server, Test::Cloud::Login", error.message)
