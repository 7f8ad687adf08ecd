"""What logins may not do: reveal ours, wait for ever, fill the memory."""

import http.server
import ipaddress
import json
import logging
import threading
import typing

import fixtures
import keystoneauth1.exceptions
from keystoneauth1 import identity
from keystoneauth1 import noauth
from keystoneauth1 import session

from orch.clients import egress
from orch.clients import key_manager
from orch.clients import sessions
from orch.plugin import clouds
from tests import base
from tests.unit.resources.heat import installations

_HERE = egress.Egress(allowed=(ipaddress.ip_network("127.0.0.0/8"),))
_SECRET = "do not tell"


class _Endless(http.server.BaseHTTPRequestHandler):
    """Answers with blanks, fast or slowly, until nobody listens."""

    def do_GET(self) -> None:
        is_slow = self.path == "/slow"
        self.send_response(200)
        self.end_headers()
        try:
            while not self.server.is_over.wait(0.05 if is_slow else 0):
                self.wfile.write(b" " * (1 if is_slow else 2**20))
        except OSError:
            return

    def log_message(self, *words: object) -> None:
        """Say nothing."""


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Endless)
        self.is_over = threading.Event()


class AnswerTests(base.TestCase):
    """Clouds that users have named."""

    def setUp(self) -> None:
        super().setUp()
        server = _Server()
        threading.Thread(
            target=server.serve_forever, args=(0.01,), daemon=True
        ).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(server.is_over.set)
        self.url = f"http://127.0.0.1:{server.server_port}"

    def _ask(self, path: str, timeout_s: float) -> None:
        held = sessions.open_session(
            noauth.NoAuth(endpoint=self.url),
            sessions.Settings(timeout_s=timeout_s),
            within=_HERE,
        )
        error = self.assertRaises(
            keystoneauth1.exceptions.UnknownConnectionError,
            held.get,
            self.url + path,
        )
        self.assertIn("answers more than", str(error))

    def test_an_answer_without_end_is_not_read_to_it(self) -> None:
        self._ask("/fast", 60)

    def test_one_that_trickles_is_not_waited_for(self) -> None:
        self._ask("/slow", 0.5)


class LoginTests(base.TestCase):
    def test_no_certificate_of_ours_is_shown_to_others(self) -> None:
        settings = sessions.Settings(cert=("ours.pem", "ours.key"))
        auth = noauth.NoAuth(endpoint="http://127.0.0.1:1")

        self.assertIsNone(
            sessions.open_session(auth, settings, within=_HERE).cert
        )
        self.assertEqual(
            settings.cert, sessions.open_session(auth, settings).cert
        )

    def test_our_login_trusts_only_what_the_operator_does(self) -> None:
        seen: list[session.Session] = []

        class Password(identity.V3Password):
            def get_auth_ref(
                self, session: session.Session
            ) -> typing.NoReturn:
                seen.append(session)
                raise keystoneauth1.exceptions.Unauthorized

        auth = Password("https://127.0.0.1:1/v3", user_id="a", password="b")
        held = sessions.open_session(auth, sessions.Settings(), insecure=True)

        self.assertRaises(
            keystoneauth1.exceptions.Unauthorized, held.get_token
        )
        self.assertFalse(held.verify)
        self.assertEqual([True], [each.verify for each in seen])

    def test_what_asks_a_person_is_refused(self) -> None:
        login = {
            "auth_type": "v3oidcdeviceauthz",
            "auth": {
                "auth_url": "http://127.0.0.1:1",
                "identity_provider": "a",
                "protocol": "b",
                "client_id": "c",
                "discovery_endpoint": "http://127.0.0.1:1",
            },
        }
        error = self.assertRaises(
            clouds.BadLogin, sessions.build_plugin, login
        )
        self.assertIn("person", error.message)

    def test_an_option_of_another_kind_is_told(self) -> None:
        login = {
            "auth_type": "v3multifactor",
            "auth": {"auth_url": "http://127.0.0.1:1", "auth_methods": 5},
        }
        error = self.assertRaises(
            clouds.BadLogin, sessions.build_plugin, login
        )
        self.assertIn("another kind", error.message)


class LogTests(base.TestCase):
    def test_a_secret_stands_in_no_log(self) -> None:
        logged = self.useFixture(fixtures.FakeLogger(level=logging.DEBUG))
        there = self.useFixture(installations.Installation())
        there.headers["Content-Type"] = "text/plain"
        there.answers["GET", "/secrets/s/payload"] = (
            200,
            {
                "auth_type": "v3password",
                "auth": {"password": _SECRET},
            },
        )
        cloud = self.useFixture(installations.Cloud(there.url))

        found = key_manager.read_login(
            cloud.connect(None, region_name=None), "s"
        )

        self.assertIn(_SECRET, json.dumps(found))
        self.assertNotIn(_SECRET, logged.output)
