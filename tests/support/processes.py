"""Orch's executables as real processes, and the signals that hurt them.

Needs nothing of the test libraries, since the demo uses it too.
"""

import collections.abc
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import typing

import requests

from tests.support import waiting

_END_S = 20


class Running(typing.Protocol):
    """A process that was started: what we need of ``subprocess.Popen``."""

    @property
    def pid(self) -> int:
        """Return its process id."""

    def poll(self) -> int | None:
        """Return the exit code, ``None`` while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code once it has ended.

        :raises subprocess.TimeoutExpired: it has not, in so many seconds
        """


class Launch(typing.Protocol):
    """How a script becomes a process in a session of its own."""

    def __call__(
        self,
        command: collections.abc.Sequence[str],
        environment: collections.abc.Mapping[str, str],
        output: typing.IO[bytes],
        errors: typing.IO[bytes] | None = None,
    ) -> Running:
        """Start it, with nothing to read.

        :param command: the path of the script, and its arguments
        :param environment: all of it
        :param errors: where these go, if not to the output
        """


def execute(
    command: collections.abc.Sequence[str],
    environment: collections.abc.Mapping[str, str],
    output: typing.IO[bytes],
    errors: typing.IO[bytes] | None = None,
) -> Running:
    """Start it as an operator does: the system runs the script."""
    return subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors or subprocess.STDOUT,
        start_new_session=True,
    )


def find(program: str) -> str:
    """Return the path of a script that is installed beside Python."""
    return str(pathlib.Path(sys.executable).with_name(program))


class NotReadyError(AssertionError):
    """A process ended before it was ready, or is late; shows its output.

    :ivar program: its name
    :ivar log: the file with its output
    :ivar last_line: of that output
    :ivar timeout_s: it was late after so many seconds; ``None``: it ended
    """

    def __init__(self, process: "Process", timeout_s: float | None) -> None:
        text = process.tail()
        what = "ended" if timeout_s is None else "is not ready"
        super().__init__(f"{process.program} {what}:\n{text}")
        self.program = process.program
        self.log = process.log
        self.last_line = text.strip().rpartition("\n")[2]
        self.timeout_s = timeout_s


class Process:
    """One executable of Orch with its arguments; it may run many times.

    Its output goes to a file beside the others, so that a test which fails
    can show it. Whoever makes one closes it.

    :param launch: how it is started, :func:`execute` by default
    :ivar log: the file with the output of all its runs
    """

    def __init__(
        self,
        program: str,
        *arguments: str,
        log: pathlib.Path,
        environment: collections.abc.Mapping[str, str] | None = None,
        launch: Launch = execute,
    ) -> None:
        self.program = program
        self.arguments = arguments
        self.log = log
        self._environment = os.environ | dict(environment or {})
        self._launch = launch
        self._running: Running | None = None

    @property
    def pid(self) -> int:
        """Return the process id of the run under way."""
        assert self._running is not None, f"{self.program} does not run"
        return self._running.pid

    def start(self) -> None:
        """Start it; it need not be ready when this returns."""
        assert self._running is None, f"{self.program} runs already"
        command = (find(self.program), *self.arguments)
        with self.log.open("ab") as output:
            self._running = self._launch(command, self._environment, output)

    def is_running(self) -> bool:
        """Answer whether it was started and has not ended."""
        return self._running is not None and self._running.poll() is None

    def wait_until(
        self,
        is_ready: collections.abc.Callable[[], bool],
        *,
        timeout_s: float = 30,
    ) -> None:
        """Return once ``is_ready`` answers true.

        :raises NotReadyError: the process ended before, or is late
        """
        pace = waiting.Pace()
        while not is_ready():
            if not self.is_running():
                raise NotReadyError(self, None)
            if pace.waited_s() > timeout_s:
                raise NotReadyError(self, timeout_s)
            pace.pause()

    def freeze(self) -> None:
        """Stop it as a stalled machine would (SIGSTOP)."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on (SIGCONT)."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kill it at once (SIGKILL); one that does not run stays so."""
        self._end(signal.SIGKILL)

    def stop(self) -> int | None:
        """Ask it to end (SIGTERM) and wait.

        :returns: the exit code, ``None`` when it did not run
        :raises subprocess.TimeoutExpired: it did not end in time
        """
        return self._end(signal.SIGTERM)

    def close(self) -> None:
        """End it, in good order if it can; never raises."""
        close((self,))

    def tail(self, lines: int = 30) -> str:
        """Return the last lines of its output."""
        if not self.log.exists():
            return ""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def send_signal(self, how: signal.Signals) -> None:
        """Send it a signal that ends it, and wait for nothing."""
        if not self.is_running():
            return
        os.kill(self.pid, how)
        if how is signal.SIGTERM:
            # One that was frozen must wake to hear it.
            os.kill(self.pid, signal.SIGCONT)

    def wait(self) -> int | None:
        """Wait for the end of one that was told to end.

        :returns: the exit code, ``None`` when it did not run
        :raises subprocess.TimeoutExpired: it did not end in time
        """
        if self._running is None:
            return None
        code = self._running.wait(_END_S)
        self._running = None
        return code

    def _end(self, how: signal.Signals) -> int | None:
        self.send_signal(how)
        return self.wait()


def close(running: collections.abc.Iterable[Process]) -> None:
    """End all of them, in good order if they can; never raises.

    Each is told first, so that they take as long as the slowest.
    """
    told = tuple(running)
    for each in told:
        each.send_signal(signal.SIGTERM)
    for each in told:
        try:
            each.wait()
        except subprocess.TimeoutExpired:
            each.kill()


def kill(running: collections.abc.Iterable[Process]) -> None:
    """Kill all of them at once."""
    killed = tuple(running)
    for each in killed:
        each.send_signal(signal.SIGKILL)
    for each in killed:
        each.wait()


def answers(url: str) -> bool:
    """Answer whether a GET of the URL gives a status below 400."""
    try:
        return requests.get(url, timeout=2).ok
    except requests.RequestException:
        return False


class Done(typing.NamedTuple):
    """How a script ended, and what it wrote."""

    code: int
    output: str
    errors: str


def complete(
    command: collections.abc.Sequence[str],
    environment: collections.abc.Mapping[str, str],
    *,
    timeout_s: float = 60,
    launch: Launch = execute,
) -> Done:
    """Run a script to its end.

    :raises subprocess.TimeoutExpired: it did not end in time; it is killed
    """
    with (
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        running = launch(command, environment, output, errors)
        try:
            code = running.wait(timeout_s)
        except subprocess.TimeoutExpired:
            os.kill(running.pid, signal.SIGKILL)
            running.wait(_END_S)
            raise
        return Done(code, _text(output), _text(errors))


def _text(stream: typing.IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def run(
    program: str,
    *arguments: str,
    timeout_s: float = 60,
    launch: Launch = execute,
) -> str:
    """Run one of Orch's executables to its end; return what it printed.

    :raises AssertionError: it exited with another code than 0
    """
    done = complete(
        (find(program), *arguments),
        os.environ,
        timeout_s=timeout_s,
        launch=launch,
    )
    if done.code:
        raise AssertionError(f"{program} {arguments}:\n{done.errors}")
    return done.output
