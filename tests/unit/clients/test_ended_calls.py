"""Which failed requests to a service of a cloud may take effect later."""

import socket

import keystoneauth1.session
from keystoneauth1 import adapter
from keystoneauth1 import noauth

from orch import errors
from orch.clients import ended_calls
from orch.clients import rest
from tests import base
from tests.unit.resources.http import service

_RETRIES = 2


class CloudTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(service.Service())

    def failing(self, method: str, url: str | None = None) -> errors.Transient:
        """Return the error of a request."""
        plugin = noauth.NoAuth(endpoint=url or self.service.url)
        cloud = adapter.Adapter(
            keystoneauth1.session.Session(plugin, timeout=5),
            service_type="network",
            connect_retries=_RETRIES,
        )
        return self.assertRaises(
            errors.Transient, rest.send_request, cloud, method, "/nets"
        )

    def test_a_creation_without_an_answer_is_sent_once(self) -> None:
        self.service.answers["POST", "/nets"] = 0, None

        error = self.failing("POST")

        self.assertFalse(error.is_over)
        self.assertEqual(1, len(self.service.requests))

    def test_what_changes_nothing_is_sent_again(self) -> None:
        self.service.answers["GET", "/nets"] = 0, None

        self.failing("GET")

        self.assertEqual(1 + _RETRIES, len(self.service.requests))

    def test_what_was_never_sent_is_over(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]

        error = self.failing("POST", f"http://127.0.0.1:{port}")

        self.assertIsInstance(error, errors.Outage)
        self.assertTrue(error.is_over)

    def test_a_refusal_is_over_and_a_gateway_s_is_not(self) -> None:
        for status, kind, is_over in (
            (500, errors.Transient, True),
            (502, errors.Outage, False),
            (503, errors.Outage, True),
            (504, errors.Outage, False),
        ):
            self.service.answers["POST", "/nets"] = status, None
            error = self.failing("POST")
            self.assertIs(kind, type(error), status)
            self.assertEqual(is_over, error.is_over, status)


class StatusTests(base.TestCase):
    def test_only_gateways_give_up_what_goes_on(self) -> None:
        open_ = [
            each
            for each in range(400, 600)
            if not ended_calls.is_over_with(each)
        ]

        self.assertEqual([502, 504], open_)
