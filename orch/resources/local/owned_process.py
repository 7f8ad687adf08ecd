"""A process of ours, and its files: identity, log, exit.

It is started once, whichever process dies; see ``launcher``.
"""

import collections.abc
import contextlib
import dataclasses
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import typing

from orch import errors
from orch.resources.local import launcher
from orch.resources.local import proc
from orch.resources.local import records
from orch.resources.local import root

PROCESSES: typing.Final = "processes"
"""Where they are, below ``.orch``."""
RECORD, LOCK, LOG, EXIT = "json", "lock", "log", "exit"
REST: typing.Final = "rest"
"""The endings of the files that are kept; ``rest``: it was put to rest."""

_LINES: typing.Final = 10
_MARK: typing.Final = "mark"
"""Of an adopted process: the token in its environment."""
_START_S: typing.Final = 10.0
_PASSED_ON: typing.Final = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER")
_UMASK: typing.Final = 0o022
"""What commands begin with, whatever the worker has for its own files."""
_EXIT_S: typing.Final = 0.5
_WAIT_S: typing.Final = 0.02


@dataclasses.dataclass(frozen=True, slots=True)
class OwnedProcess:
    """A process, and the files of the token that it may belong to.

    :ivar directory: open descriptor of the directory of all such files
    :ivar physical_id: names the process; ``None`` before there is one
    :ivar max_log_bytes: how much of a log may be quoted
    """

    directory: int
    token: str
    physical_id: str | None
    max_log_bytes: int

    @property
    def identity(self) -> proc.Identity:
        """Return the process that the physical id names.

        :raises root.LocalRefused: it names none
        """
        process = proc.parse_identity(self.physical_id or "")
        if process is None:
            raise root.LocalRefused(
                f"{self.physical_id!r} names no process; it should be a"
                " process id and its start time"
            )
        return process

    def name(self, ending: str) -> str:
        """Return the name of one of the files."""
        return f"{self.token}.{ending}"

    def open(self, ending: str, flags: int) -> int:
        """Return a descriptor of one of the files; the caller closes it."""
        return os.open(
            self.name(ending),
            flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o600,
            dir_fd=self.directory,
        )

    def remove(self, ending: str) -> None:
        """Remove one of the files; none is success."""
        records.remove_record(self.directory, self.name(ending))

    def find_recorded(self) -> proc.Identity | None:
        """Return the process that was started or adopted last.

        It may be dead. No other process is this resource's.
        """
        record = records.read_record(self.directory, self.name(RECORD)) or {}
        if record.get("boot") != proc.boot_id():
            return None
        return proc.Identity(
            typing.cast("int", record["pid"]),
            typing.cast("int", record["started"]),
        )

    def find_running(self) -> proc.Identity | None:
        """Return the process if it runs."""
        process = self.find_recorded()
        return process if process and proc.is_alive(process) else None

    def start(
        self,
        lock: int,
        command: object,
        environment: collections.abc.Mapping[str, str],
        place: int,
    ) -> proc.Identity:
        """Start a command; it is recorded before it runs.

        :param lock: descriptor of the lock of the records, which is held
        :param place: descriptor of the directory that it starts in
        :raises root.LocalRefused: it cannot be run
        :raises orch.errors.Transient: the machine is too slow
        """
        self.remove(RECORD)
        passed_on = {
            name: os.environ[name] for name in _PASSED_ON if name in os.environ
        }
        order = {
            "store": self.directory,
            "lock": lock,
            "record": self.name(RECORD),
            "boot": proc.boot_id(),
            "command": command,
            "environment": {
                **passed_on,
                **environment,
                proc.TOKEN: self.token,
            },
        }
        log = self.open(LOG, os.O_WRONLY | os.O_TRUNC | os.O_APPEND)
        with os.fdopen(log, "wb"):
            child = subprocess.Popen(  # noqa: S603 - our own launcher
                [sys.executable, "-I", "-S", launcher.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=f"/proc/self/fd/{place}",
                pass_fds=(self.directory, lock),
                start_new_session=True,
                umask=_UMASK,
            )
        report = self.open(EXIT, os.O_WRONLY | os.O_TRUNC)
        threading.Thread(
            target=_collect,
            args=(child, report),
            name="orch-reaper",
            daemon=True,
        ).start()
        problem = _send_order(child, json.dumps(order).encode())
        process = self.find_recorded()
        if problem or process is None:
            raise root.LocalRefused(
                problem or "the process could not be recorded"
            )
        return process

    def record(self) -> records.Record:
        """Return the record of the process, empty where it is not ours."""
        if self.identity != self.find_recorded():
            return {}
        return records.read_record(self.directory, self.name(RECORD)) or {}

    def owner(self) -> str | None:
        """Return by which token the process was started or adopted here."""
        if self.record():
            return self.token
        return next((each.token for each in self._find_others()), None)

    def is_leader_ours(self) -> bool:
        """Whether the process runs and is ours."""
        return self.find_running() == self.identity

    def find_children(self) -> list[int]:
        """Return the others of its session that this resource has started.

        They know the token of the resource that started the first, also where
        that was adopted since.
        """
        if self.owner() not in (self.token, None):
            return []
        mark = self.record().get(_MARK) or self.token
        return proc.list_children(self.identity, str(mark))

    def check_alive(self, when: str = "") -> None:
        """Raise if it has ended.

        :param when: when it ended if it has, such as ``before it served``
        :raises root.Gone: it has; the text has its last words
        """
        if not proc.is_alive(self.identity):
            code = self.find_exit_code()
            how = "it ended"
            if code is not None:
                how = f"it ended with exit code {code}"
            if code is not None and code < 0:
                how = f"it was ended by signal {-code}"
            raise root.Gone(f"{how}{when and f' {when}'}{self.last_words()}")

    def check_owned(self) -> None:
        """Raise LocalRefused if no resource has started it."""
        if self.owner() is None:
            raise root.LocalRefused(
                f"process {self.physical_id} was not started by a resource of"
                " this installation; only such a process can be adopted or"
                " read"
            )

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process and to all of its session."""
        if self.is_leader_ours():
            proc.send_signal(self.identity, number)
        proc.send_all(self.find_children(), number)

    def adopt(self) -> None:
        """Make the process ours, and no longer another resource's.

        It may be called again after a crash.

        :raises root.LocalRefused: no resource has started it
        """
        self.check_owned()
        for other in self._find_others():
            record = {_MARK: other.token, **other.record()}
            records.write_record(self.directory, self.name(RECORD), record)
            for ending in (LOG, EXIT, REST):
                with contextlib.suppress(FileNotFoundError):
                    os.rename(
                        other.name(ending),
                        self.name(ending),
                        src_dir_fd=self.directory,
                        dst_dir_fd=self.directory,
                    )
            other.forget()

    def find_exit_code(self) -> int | None:
        """Return how an ended process ended, negative for a signal.

        :returns: ``None`` when the worker that started it had ended before
        """
        last = time.monotonic() + _EXIT_S
        while time.monotonic() < last:
            text = self._read(EXIT)
            if text:
                return int(text)
            time.sleep(_WAIT_S)
        return None

    def last_words(self) -> str:
        """Return the end of its log as the end of a sentence, or nothing."""
        lines = self.last_lines()
        return f"; its last lines: {' | '.join(lines)}" if lines else ""

    def last_lines(self) -> list[str]:
        """Return the last lines that it printed."""
        return self._read(LOG).splitlines()[-_LINES:]

    def is_at_rest(self) -> bool:
        """Whether it was put to rest and not woken since."""
        return root.find_stat(self.directory, self.name(REST)) is not None

    def forget(self) -> None:
        """Remove all that is kept, the log too."""
        for ending in (RECORD, f"{RECORD}.new", LOCK, LOG, EXIT, REST):
            self.remove(ending)

    def _read(self, ending: str) -> str:
        """Return the end of a file."""
        number = self.open(ending, os.O_RDONLY)
        with os.fdopen(number, "rb") as stream:
            size = os.fstat(number).st_size
            stream.seek(max(0, size - self.max_log_bytes))
            return stream.read().decode("utf-8", "replace")

    def _find_others(self) -> "list[OwnedProcess]":
        """Return the same process as it is another token's."""
        others = [
            dataclasses.replace(
                self, token=entry.name.removesuffix(f".{RECORD}")
            )
            for entry in os.scandir(self.directory)
            if entry.name.endswith(f".{RECORD}")
        ]
        return [
            other
            for other in others
            if other.token != self.token and other.record()
        ]


def _send_order(child: subprocess.Popen[bytes], order: bytes) -> str:
    """Give the launcher its order.

    :returns: what went wrong, empty when the command runs
    :raises orch.errors.Transient: the launcher did not come to an end
    """
    assert child.stdin is not None
    assert child.stdout is not None
    with contextlib.suppress(BrokenPipeError), child.stdin:
        child.stdin.write(order)
    with child.stdout:
        ready, _, _ = select.select([child.stdout], [], [], _START_S)
        if not ready:
            child.kill()
            raise errors.Transient(
                f"the process was not started within {_START_S:g} seconds;"
                " the machine may be overloaded, retry"
            )
        return child.stdout.read().decode("utf-8", "replace")


def _collect(child: subprocess.Popen[bytes], report: int) -> None:
    """Write down how a child ends, so that it is no zombie then.

    :param report: descriptor that gets the exit code as digits, negative for
        a signal; it is closed
    """
    code = child.wait()
    with contextlib.suppress(OSError), os.fdopen(report, "wb") as stream:
        stream.write(str(code).encode())
