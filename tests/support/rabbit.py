"""A virtual host of our own on the RabbitMQ of this machine.

A broker to stop and start while other tests go on is in
``tests.support.broker``.
"""

import atexit
import collections.abc
import fcntl
import functools
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
# An idle one costs the broker some memory.
_AT_A_TIME = 8


def may_administer() -> bool:
    """Answer whether this process may run ``rabbitmqctl``."""
    return os.geteuid() == 0 and shutil.which("rabbitmqctl") is not None


def insist() -> None:
    """Skip the test where there is no RabbitMQ that we may administer."""
    services.require("RabbitMQ")
    if not may_administer():
        raise unittest.SkipTest("this needs root and rabbitmqctl")


class Pool:
    """Virtual hosts that this process has made, for one test each.

    What makes or removes one starts a virtual machine of Erlang's, which
    takes a second of a processor; so several are made at a time, twice as
    many each time, and all are removed when the process ends.

    :param ctl: runs ``rabbitmqctl``
    """

    def __init__(self, ctl: collections.abc.Callable[..., None]) -> None:
        """Make none yet."""
        self._ctl = ctl
        self._spare: list[str] = []
        self._made: list[str] = []

    def take(self) -> str:
        """Return the name of an empty one that nobody else gets."""
        if not self._spare:
            number = min(len(self._made) or 1, _AT_A_TIME)
            self._spare = [_new_name() for _ in range(number)]
            self._made += self._spare
            self.make(self._spare)
        return self._spare.pop()

    def make(self, names: collections.abc.Collection[str]) -> None:
        """Make virtual hosts of these names, which the tests' user may use."""
        rights = dict.fromkeys(("configure", "write", "read"), ".*")
        self._ctl(
            "import_definitions",
            said={
                "vhosts": [{"name": name} for name in names],
                "permissions": [
                    {"user": _USER, "vhost": name, **rights} for name in names
                ],
            },
        )

    def remove(self) -> None:
        """Remove all of them, with all that is in them."""
        if not self._made:
            return
        names = ", ".join(f'<<"{name}">>' for name in self._made)
        self._ctl(
            "eval",
            '[catch rabbit_vhost:delete(Name, <<"the tests">>)'
            f" || Name <- [{names}]].",
        )
        self._spare, self._made = [], []


def _new_name() -> str:
    return f"orch-test-{uuid.uuid4().hex}"


@functools.cache
def _pool() -> Pool:
    """Return this process's pool; it is emptied when the process ends."""
    pool = Pool(_ctl)
    atexit.register(pool.remove)
    return pool


class VirtualHost(fixtures.Fixture):
    """An empty one; it goes, with all that is in it, with this process.

    Without the right to run ``rabbitmqctl`` it is the default one, held by a
    lock so that tests of several processes take turns, and without what an
    earlier test left in the engine's queue.

    :ivar name: empty for the default virtual host
    """

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        services.require("RabbitMQ")
        self.name = ""
        if may_administer():
            self.name = _pool().take()
        else:
            self._take_turn()

    def url(self, port: int = PORT) -> str:
        """Return the address for oslo.messaging, perhaps by a proxy."""
        return f"rabbit://{_USER}:{_USER}@{HOST}:{port}/{self.name}"

    def forget_everything(self) -> None:
        """Lose all queues, exchanges and messages, as a restart does."""
        insist()
        _ctl("delete_vhost", self.name)
        _pool().make([self.name])

    def drop_connections(self) -> None:
        """Cut every connection to this virtual host, as a fault would."""
        insist()
        _ctl("close_all_connections", "-p", self.name, "a test's fault")

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
