"""A database server of a test's own, to stop and start again.

It needs the server's files, not the machine's server. Under root it runs as
a user of its own, since servers refuse to run as root.
"""

import abc
import collections.abc
import os
import pathlib
import signal
import subprocess
import time

import fixtures

from tests.support import accounts
from tests.support import ports

_STOP_S = 30


class DatabaseServer(fixtures.Fixture, abc.ABC):
    """A running server with one empty database; both go after the test.

    :ivar url: of the database, for SQLAlchemy
    """

    user: str
    """Whom the server runs as under root."""
    start_s: float
    """How long it may take to start."""
    stopped_by: signal.Signals
    """What ends it without a shutdown."""
    url: str

    @abc.abstractmethod
    def make(self) -> None:
        """Find the programs, and make the files of the server.

        :raises unittest.SkipTest: it is not installed
        """

    @abc.abstractmethod
    def command(self) -> collections.abc.Sequence[str]:
        """Return what runs the server on its files."""

    @abc.abstractmethod
    def create_database(self) -> None:
        """Make the database."""

    @abc.abstractmethod
    def is_answering(self) -> bool:
        """Answer whether it takes connections."""

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self._as_user = accounts.prefix(self.user)
        self.home = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        accounts.give(self.home, self.user)
        self.port = ports.find_free()
        self._process: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.kill)
        self.make()
        self.start()
        self.create_database()

    def run(self, *command: str) -> None:
        """Run a program as the server's user.

        :raises AssertionError: it fails; with all that it has written
        """
        done = subprocess.run(
            (*self._as_user, *command),
            cwd=self.home,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=self.start_s,
        )
        if done.returncode:
            text = done.stdout.decode(errors="replace")
            raise AssertionError(f"{command[0]} failed:\n{text}")

    def start(self) -> None:
        """Start the server on its files; return once it answers."""
        log = self.home / "output"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                (*self._as_user, *self.command()),
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        limit = time.monotonic() + self.start_s
        while not self.is_answering():
            if time.monotonic() > limit:
                raise TimeoutError(log.read_text(encoding="utf-8"))
            time.sleep(0.05)

    def stop_at_once(self) -> None:
        """End it without a shutdown."""
        self.kill()

    def kill(self) -> None:
        """End it in any case; a second call changes nothing."""
        if self._process is None:
            return
        if self._process.poll() is None:
            os.kill(self._process.pid, self.stopped_by)
        self._process.wait(_STOP_S)
        self._process = None
