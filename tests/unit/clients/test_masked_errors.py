"""What logs in is not told by what goes wrong."""

import logging
import typing

import fixtures
import keystoneauth1.exceptions
from keystoneauth1 import access
from keystoneauth1 import identity
from keystoneauth1 import noauth
from keystoneauth1 import session as sessions

from orch.clients import masked_errors
from tests import base

_WORD = "trust-9f1c"
_TOLD = f"Could not find trust: {_WORD}."


class _Refused(identity.BaseIdentityPlugin):
    """Keystone says whom it does not find."""

    def __init__(self) -> None:
        super().__init__(auth_url="http://127.0.0.1:1/v3")

    def get_auth_ref(self, session: sessions.Session) -> access.AccessInfo:
        raise keystoneauth1.exceptions.NotFound(
            _TOLD, details=_TOLD, http_status=404
        )


class MaskedTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.login = typing.cast(
            masked_errors.RedactingLogin,
            masked_errors.redact_login(_Refused(), [_WORD, "other"]),
        )

    def check(self, error: keystoneauth1.exceptions.ClientException) -> None:
        self.assertIn("Could not find trust: ***.", str(error))
        self.assertNotIn(_WORD, f"{error!r} {vars(error)}")
        self.assertIsNone(error.__cause__)

    def test_a_login_that_is_refused(self) -> None:
        error = self.assertRaises(
            keystoneauth1.exceptions.NotFound,
            self.login.get_access,
            masked_errors.open_session(self.login),
        )
        self.check(error)
        self.assertEqual(404, error.http_status)

    def test_a_request_that_needs_the_login(self) -> None:
        error = self.assertRaises(
            keystoneauth1.exceptions.NotFound,
            masked_errors.open_session(self.login).get,
            "http://127.0.0.1:1/",
        )
        self.check(error)

    def test_what_the_log_shows_of_a_request(self) -> None:
        log = self.useFixture(
            fixtures.FakeLogger("keystoneauth.session", level=logging.DEBUG)
        )
        self.assertRaises(
            keystoneauth1.exceptions.ClientException,
            masked_errors.open_session(self.login).get,
            f"http://127.0.0.1:1/{_WORD}",
            authenticated=False,
        )
        self.assertIn("http://127.0.0.1:1/***", log.output)
        self.assertNotIn(_WORD, log.output)

    def test_another_login_in_its_place_keeps_the_words(self) -> None:
        error = self.assertRaises(
            keystoneauth1.exceptions.NotFound,
            self.login.around(_Refused()).get_access,
            sessions.Session(),
        )
        self.check(error)

    def test_what_needs_no_mask_is_as_it_was(self) -> None:
        plain = noauth.NoAuth()
        self.assertIs(plain, masked_errors.redact_login(plain, [_WORD]))
        self.assertIs(
            sessions.Session, type(masked_errors.open_session(plain))
        )
