import argparse
import base64
import typing

import requests
from keystoneauth1 import noauth
from keystoneauth1 import session

import orchclient
from orchclient import connection
from orchclient import errors
from tests.unit.orchclient import answering
from tests.unit.orchclient import settings

_ENDPOINT = answering.ENDPOINT


class ConnectionTestCase(settings.SettingsTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = answering.Service()
        self.service.lay(
            "GET /build_info",
            answering.Answer(
                {"api": {"revision": "1"}, "engine": {"revision": "2"}}
            ),
        )

    def headers(self, client: object) -> typing.Mapping[str, str]:
        """Return the headers of a request that a client sends."""
        sender = client._sender  # type: ignore[attr-defined]
        sender._adapter.session.session.mount("http://", self.service)
        self.assertEqual("2", client.services.revisions().engine)  # type: ignore[attr-defined]
        return self.service.requests[-1].headers


class ConnectTests(ConnectionTestCase):
    def test_an_endpoint_alone_needs_no_login(self) -> None:
        self.set("OS_AUTH_URL", "http://keystone.test/v3")

        with orchclient.connect(endpoint=_ENDPOINT) as client:
            self.headers(client)

        self.assertEqual(["GET /build_info"], self.service.paths())

    def test_a_name_and_a_password_are_sent(self) -> None:
        client = orchclient.connect(
            endpoint=_ENDPOINT,
            auth_type="http_basic",
            username="ann",
            password="word",
        )

        sent = self.headers(client)["Authorization"]

        self.assertEqual(b"ann:word", base64.b64decode(sent.split()[1]))

    def test_clouds_yaml_is_read(self) -> None:
        clouds = {
            "other": {"auth_type": "none", "auth": {"endpoint": "http://no"}},
            "here": {"auth_type": "none", "auth": {"endpoint": _ENDPOINT}},
        }
        self.write("clouds.yaml", {"clouds": clouds})

        self.headers(orchclient.connect("here"))

    def test_variables_are_read(self) -> None:
        self.set("OS_AUTH_TYPE", "none")
        self.set("OS_ENDPOINT", _ENDPOINT)

        self.headers(orchclient.connect())

    def test_a_cloud_that_is_not_there_is_an_error_of_ours(self) -> None:
        self.assertRaises(errors.LoginError, orchclient.connect, "nowhere")

    def test_missing_settings_are_an_error_of_ours(self) -> None:
        error = self.assertRaises(
            errors.LoginError, orchclient.connect, auth_type="password"
        )

        self.assertIn("auth_url", str(error).lower())

    def test_unknown_settings_are_refused(self) -> None:
        self.assertRaises(
            errors.LoginError,
            orchclient.connect,
            endpoint=_ENDPOINT,
            passwort="x",
        )

    def test_no_variable_counts_where_none_shall(self) -> None:
        self.set("OS_AUTH_TYPE", "none")
        self.set("OS_ENDPOINT", "http://other.test")

        client = orchclient.connect(
            endpoint=_ENDPOINT,
            auth_type="http_basic",
            username="ann",
            password="word",
            load_envvars=False,
        )

        self.assertIn("Authorization", self.headers(client))


class ArgumentsTests(ConnectionTestCase):
    def parse(self, *argv: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        connection.add_arguments(parser, list(argv))
        return parser.parse_args(argv)

    def test_arguments_say_all_that_settings_do(self) -> None:
        options = self.parse(
            *("--os-auth-type", "none"), *("--os-endpoint", _ENDPOINT)
        )

        self.headers(connection.from_arguments(options))

    def test_arguments_that_say_too_little_are_an_error_of_ours(self) -> None:
        options = self.parse("--os-auth-type", "password")

        self.assertRaises(
            errors.LoginError, connection.from_arguments, options
        )


class SessionTests(ConnectionTestCase):
    def test_a_session_stays_its_owners(self) -> None:
        inner = requests.Session()
        inner.mount("http://", self.service)
        outer = session.Session(
            auth=noauth.NoAuth(endpoint="http://catalog.test"), session=inner
        )
        closed: list[str] = []
        inner.close = lambda: closed.append("closed")  # type: ignore[method-assign]

        with orchclient.from_session(outer, endpoint=_ENDPOINT) as client:
            self.assertEqual("1", client.services.revisions().api)

        self.assertEqual([], closed)
