"""Servers are started where that is allowed, and never taken over."""

import dataclasses
import socket

import fixtures

from tests import base
from tests.support import ports
from tests.support import services as support
from tools import services


def refuse() -> None:
    """Fail as a server does that does not want us."""
    raise ConnectionError("go away")


class ProvideTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.started: list[str] = []
        self.useFixture(
            fixtures.MonkeyPatch("tools.services.bring_up", self.note_start)
        )
        self.server = dataclasses.replace(
            support.SERVERS[0], port=ports.find_free(), knock=refuse
        )

    def note_start(self, server: support.Server) -> None:
        self.started.append(server.name)

    def allow(self, answer: bool) -> None:
        self.useFixture(
            fixtures.MonkeyPatch("tools.services.may_install", lambda: answer)
        )

    def test_a_server_that_lets_us_in_is_left_as_it_is(self) -> None:
        self.allow(True)
        server = dataclasses.replace(self.server, knock=lambda: None)

        self.assertIsNone(services.provide(server))
        self.assertEqual([], self.started)

    def test_a_server_that_refuses_us_is_left_alone(self) -> None:
        self.allow(True)
        listener = socket.create_server(("127.0.0.1", self.server.port))
        self.addCleanup(listener.close)

        fault = services.provide(self.server)

        self.assertIn("it listens and refuses", str(fault))
        self.assertIn("go away", str(fault))
        self.assertEqual([], self.started)

    def test_nothing_is_installed_without_the_right_to(self) -> None:
        self.allow(False)

        fault = services.provide(self.server)

        self.assertIn("go away", str(fault))
        self.assertEqual([], self.started)

    def test_a_missing_server_is_brought_up(self) -> None:
        self.allow(True)
        self.useFixture(
            fixtures.MonkeyPatch("tools.services._wait", lambda server: None)
        )

        self.assertIsNone(services.provide(self.server))
        self.assertEqual([self.server.name], self.started)
