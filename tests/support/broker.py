"""A RabbitMQ node of a test's own, to stop, kill and start again.

It needs the server's files, not root, and it shares nothing with the
machine's broker but the port mapper daemon.
"""

import collections.abc
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest
import uuid

import fixtures

from tests.support import ports

_DEBIAN = "/usr/lib/rabbitmq/lib"
_START_S = 60
_STOP_S = 30


def find_program() -> pathlib.Path | None:
    """Return the server's start script, or ``None`` where it is missing.

    Debian's script on the PATH changes the user; the one behind it does not.
    """
    for found in pathlib.Path(_DEBIAN).glob("*/sbin/rabbitmq-server"):
        return found
    on_path = shutil.which("rabbitmq-server")
    return pathlib.Path(on_path) if on_path else None


class Broker(fixtures.Fixture):
    """A running node with an empty store; both go after the test.

    :ivar url: for oslo.messaging
    """

    url: str

    def __init__(
        self, options: collections.abc.Mapping[str, object] | None = None
    ) -> None:
        """Start nothing yet.

        :param options: of ``rabbitmq.conf``
        """
        super().__init__()
        self._options = options or {}

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        program = find_program()
        if program is None:
            raise unittest.SkipTest("rabbitmq-server is not installed")
        self._program = program
        self._home = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self._port = ports.find_free()
        self._environment = self._make_environment()
        self.url = f"rabbit://guest:guest@127.0.0.1:{self._port}/"
        self._process: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.kill)
        self.start()

    def _make_environment(self) -> dict[str, str]:
        cookie = self._home / ".erlang.cookie"
        cookie.write_text(uuid.uuid4().hex, encoding="ascii")
        cookie.chmod(0o400)
        (self._home / "own.conf").write_text(
            "".join(f"{key} = {each}\n" for key, each in self._options.items())
        )
        return os.environ | {
            "HOME": str(self._home),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": str(self._home / "own"),
            "RABBITMQ_DIST_PORT": str(ports.find_free()),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self._home / "plugins"),
            "RABBITMQ_LOG_BASE": str(self._home / "log"),
            "RABBITMQ_MNESIA_BASE": str(self._home / "data"),
            "RABBITMQ_NODENAME": f"orch{uuid.uuid4().hex[:8]}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self._port),
        }

    def start(self) -> None:
        """Start the node on its store; return once it accepts clients."""
        with (self._home / "output").open("ab") as output:
            self._process = subprocess.Popen(
                (str(self._program),),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        ports.wait_until_open(self._port, timeout_s=_START_S)

    def stop(self) -> None:
        """Stop the node in good order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the node at once; a second call changes nothing."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        # The node is a child of its start script, in the same session.
        os.killpg(self._process.pid, how)
        self._process.wait(_STOP_S)
        self._process = None
        limit = time.monotonic() + _STOP_S
        while ports.is_open(self._port):
            if time.monotonic() > limit:
                raise TimeoutError("the broker did not stop")
            time.sleep(0.1)
