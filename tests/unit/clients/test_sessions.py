"""Logins that somebody describes, and connections made of them."""

from keystoneauth1 import identity

from orch.clients import egress
from orch.clients import sessions
from orch.plugin import clouds
from tests import base

_SECRET = "do not tell"
_GOOD = {
    "auth_type": "v3applicationcredential",
    "auth": {
        "auth_url": "http://127.0.0.1:1/v3",
        "application_credential_id": "a",
        "application_credential_secret": _SECRET,
    },
}


class PluginTests(base.TestCase):
    def _refused(self, login: dict[str, object]) -> str:
        error = self.assertRaises(
            clouds.BadLogin, sessions.build_plugin, login
        )
        self.assertNotIn(_SECRET, error.message)
        return error.message

    def test_a_login_is_understood(self) -> None:
        found = sessions.build_plugin(_GOOD)
        self.assertIsInstance(found, identity.V3ApplicationCredential)

    def test_a_plug_in_that_nobody_knows_is_told(self) -> None:
        self.assertIn("magic", self._refused({**_GOOD, "auth_type": "magic"}))

    def test_an_option_that_nobody_knows_is_told(self) -> None:
        wrong = {**_GOOD["auth"], "colour": _SECRET}
        self.assertIn("colour", self._refused({**_GOOD, "auth": wrong}))

    def test_a_missing_option_is_told(self) -> None:
        message = self._refused({**_GOOD, "auth": {}})
        self.assertIn("application credential ID", message)

    def test_what_is_no_login_is_told(self) -> None:
        for wrong in ({}, {"auth_type": 1, "auth": {}}, {"auth": _SECRET}):
            self.assertIn("auth_type", self._refused(wrong))


class ConnectionTests(base.TestCase):
    def test_a_connection_asks_nothing_before_its_first_request(self) -> None:
        settings = sessions.Settings(region_name="one", interface="internal")
        held = sessions.open_session(sessions.build_plugin(_GOOD), settings)
        made = sessions.connect(held, settings, None)
        self.assertEqual("one", made.config.get_region_name())
        self.assertEqual("internal", made.config.get_interface("compute"))
        other = sessions.connect(held, settings, "two")
        self.assertEqual("two", other.config.get_region_name())

    def test_a_text_that_is_no_certificate_is_told(self) -> None:
        auth = sessions.build_plugin(_GOOD)
        for wrong in ("", "no certificate", "é"):
            self.assertRaises(
                clouds.BadLogin,
                sessions.open_session,
                auth,
                sessions.Settings(),
                ca_cert=wrong,
            )

    def test_a_login_that_users_gave_stays_within_bounds(self) -> None:
        held = sessions.open_session(
            sessions.build_plugin(_GOOD),
            sessions.Settings(),
            within=egress.Egress(),
        )

        self.assertRaises(egress.EgressRefused, held.get_token)
