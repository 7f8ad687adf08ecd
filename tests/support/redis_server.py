"""A Redis server of a test's own, to kill and start again."""

import pathlib
import shutil
import subprocess
import unittest

import fixtures
import redis

from tests.support import ports
from tests.support import waiting


class RedisServer(fixtures.Fixture):
    """A running server that keeps nothing on disk.

    :ivar url: of it
    """

    url: str

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        program = shutil.which("redis-server") or shutil.which("valkey-server")
        if program is None:
            raise unittest.SkipTest("redis-server is not installed")
        home = self.useFixture(fixtures.TempDir()).path
        port = ports.find_free()
        self.url = f"redis://127.0.0.1:{port}/0"
        self._command = [
            program,
            *("--port", str(port)),
            *("--bind", "127.0.0.1"),
            *("--save", ""),
            *("--dir", home),
            *("--logfile", str(pathlib.Path(home) / "log")),
        ]
        self._process: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.kill)
        self.start()

    def start(self) -> None:
        """Return once the server answers."""
        self._process = subprocess.Popen(self._command)
        with self.client() as client:
            waiting.wait_for(lambda: _answers(client), "the Redis server")

    def client(self) -> redis.Redis:
        """Return what speaks with the server; who asks closes it."""
        return redis.Redis.from_url(self.url)

    def kill(self) -> None:
        """Kill the server; what it knew is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
