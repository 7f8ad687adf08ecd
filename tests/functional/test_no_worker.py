"""Requests while no worker is there, and while one is only slow."""

import os
import signal
import time
import typing

import requests

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting

_LATE_S: typing.Final = 20.0
"""Far less than the minute that a call may take."""


class NoWorkerTests(base.TestCase):
    limit_s = 180

    def setUp(self) -> None:
        super().setUp()
        found = self.useFixture(
            running.Distributed(serving.options(), workers=1)
        )
        self.system = found.system
        (self.engine,) = self.system.engines

    def is_ready(self) -> bool:
        url = f"http://127.0.0.1:{self.system.port}/readiness"
        return requests.get(url, timeout=30).status_code == 200

    def ask(self) -> tuple[str, float]:
        """Return what a refused request is told, and after how long."""
        begun = time.monotonic()
        error = self.assertRaises(
            rest.RefusedError, self.system.client.get, "/stacks", "stacks"
        )
        self.assertEqual(503, error.status)
        return error.message, time.monotonic() - begun

    def test_all_is_told_soon_and_works_again_with_one(self) -> None:
        self.assertTrue(self.is_ready())
        self.engine.kill()

        waiting.wait_for(lambda: not self.is_ready(), "it is not ready")
        said, first_s = self.ask()
        _, next_s = self.ask()

        self.assertIn("no orch-engine takes requests", said)
        self.assertIn("Start one", said)
        self.assertLess(first_s, _LATE_S)
        self.assertLess(next_s, first_s)
        self.engine.start()
        waiting.wait_for(self.is_ready, "it is ready", 60)
        self.assertEqual([], self.system.client.get("/stacks", "stacks"))

    def test_one_that_is_slow_is_waited_for(self) -> None:
        os.kill(self.engine.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.engine.pid, signal.SIGCONT)
        session = requests.Session()
        url = f"{self.system.endpoint}/stacks"

        # Longer than after which a missing one is told.
        self.assertRaises(requests.ReadTimeout, session.get, url, timeout=8)
        self.assertTrue(self.is_ready())
        os.kill(self.engine.pid, signal.SIGCONT)
        self.assertEqual(200, session.get(url, timeout=60).status_code)
