"""Records of a process: its identity, its log, its exit."""

import contextlib
import os
import time
import typing

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
_EXIT_S: typing.Final = 0.5
_WAIT_S: typing.Final = 0.02


class ProcessRecords:
    """The files of the process of one token, in an open directory."""

    def __init__(self, directory: int, token: str, max_log_bytes: int) -> None:
        """Look into this directory; the caller closes it.

        :param max_log_bytes: how much of a log may be quoted
        """
        self.directory = directory
        self.token = token
        self._max_log_bytes = max_log_bytes

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

    def record_of(self, process: proc.Identity) -> records.Record:
        """Return the record of a process, empty where it is another one's."""
        if process != self.find_recorded():
            return {}
        return records.read_record(self.directory, self.name(RECORD)) or {}

    def find_children(self, process: proc.Identity) -> list[int]:
        """Return the others of its session that this resource has started.

        They know the token of the resource that started the first, also where
        that was adopted since.
        """
        if self.find_token(process) not in (self.token, None):
            return []
        mark = self.record_of(process).get(_MARK) or self.token
        return proc.list_children(process, str(mark))

    def find_token(self, process: proc.Identity) -> str | None:
        """Return by which token a process was started or adopted here."""
        if self.find_recorded() == process:
            return self.token
        return next((each.token for each in self._find_others(process)), None)

    def adopt(self, process: proc.Identity) -> bool:
        """Make a process this resource's, and no longer another one's.

        It may be called again after a crash.

        :returns: whether one of this directory's owners had it
        """
        for other in self._find_others(process):
            record = {_MARK: other.token, **other.record_of(process)}
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
        return self.find_recorded() == process

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

    def describe_exit(self, when: str = "") -> str:
        """Return how a process ended, and its last words.

        :param when: such as ``before it served``
        """
        code = self.find_exit_code()
        how = "it ended"
        if code is not None:
            how = f"it ended with exit code {code}"
        if code is not None and code < 0:
            how = f"it was ended by signal {-code}"
        return f"{how}{when and f' {when}'}{self.last_words()}"

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
            stream.seek(max(0, size - self._max_log_bytes))
            return stream.read().decode("utf-8", "replace")

    def _find_others(self, process: proc.Identity) -> list["ProcessRecords"]:
        """Return the records of other tokens that name a process."""
        others = [
            ProcessRecords(
                self.directory,
                entry.name.removesuffix(f".{RECORD}"),
                self._max_log_bytes,
            )
            for entry in os.scandir(self.directory)
            if entry.name.endswith(f".{RECORD}")
        ]
        return [
            each
            for each in others
            if each.token != self.token and each.find_recorded() == process
        ]
