"""A virtual host of our own on the RabbitMQ of this machine.

A broker to stop and start while other tests go on is in
``tests.support.broker``.
"""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import uuid

import fixtures
import kombu

from tests.support import services

HOST = "127.0.0.1"
PORT = 5672
_USER = "guest"


def may_administer() -> bool:
    """Answer whether this process may run ``rabbitmqctl``."""
    return os.geteuid() == 0 and shutil.which("rabbitmqctl") is not None


def insist() -> None:
    """Skip the test where there is no RabbitMQ that we may administer."""
    services.require("RabbitMQ")
    if not may_administer():
        raise unittest.SkipTest("this needs root and rabbitmqctl")


class VirtualHost(fixtures.Fixture):
    """Made empty, removed at the end with all that is in it.

    Without the right to run ``rabbitmqctl`` it is the default one, held by a
    lock so that tests of several processes take turns, and without what an
    earlier test left in the engine's queue.

    :ivar name: empty for the default virtual host
    """

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        services.require("RabbitMQ")
        self.name = ""
        if may_administer():
            self.name = f"orch-test-{uuid.uuid4().hex}"
            self._make()
            self.addCleanup(_ctl, "delete_vhost", self.name)
        else:
            self._take_turn()

    def url(self, port: int = PORT) -> str:
        """Return the address for oslo.messaging, perhaps by a proxy."""
        return f"rabbit://{_USER}:{_USER}@{HOST}:{port}/{self.name}"

    def forget_everything(self) -> None:
        """Lose all queues, exchanges and messages, as a restart does."""
        insist()
        _ctl("delete_vhost", self.name)
        self._make()

    def drop_connections(self) -> None:
        """Cut every connection to this virtual host, as a fault would."""
        insist()
        _ctl("close_all_connections", "-p", self.name, "a test's fault")

    def _make(self) -> None:
        # In one call, since each starts a virtual machine of Erlang's.
        _ctl(
            "import_definitions",
            said={
                "vhosts": [{"name": self.name}],
                "permissions": [
                    {
                        "user": _USER,
                        "vhost": self.name,
                        **dict.fromkeys(("configure", "write", "read"), ".*"),
                    }
                ],
            },
        )

    def _take_turn(self) -> None:
        path = pathlib.Path(tempfile.gettempdir(), "orch-test-rabbit.lock")
        turn = path.open("w")
        self.addCleanup(turn.close)
        fcntl.flock(turn, fcntl.LOCK_EX)
        with kombu.Connection(services.RABBIT_URL) as broker:
            broker.default_channel.queue_delete("orch-engine")


def _ctl(*args: str, said: object = None) -> None:
    subprocess.run(
        ["rabbitmqctl", "-q", *args],
        input=json.dumps(said).encode(),
        check=True,
        capture_output=True,
        timeout=60,
    )
