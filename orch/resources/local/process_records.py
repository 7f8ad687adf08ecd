"""Records of a process: its identity, its log, its exit."""

import collections.abc
import contextlib
import os
import time
import typing

from orch.resources.local import locking
from orch.resources.local import proc
from orch.resources.local import records
from orch.resources.local import root

_LINES: typing.Final = 10


PROCESSES: typing.Final = "processes"
RECORD, LOCK, LOG, EXIT = "json", "lock", "log", "exit"
REST: typing.Final = "rest"
"""The endings of the files that are kept; ``rest``: it was put to rest."""

_MARK: typing.Final = "mark"
"""Of an adopted process: the token in its environment."""
_EXIT_S: typing.Final = 0.5
_WAIT_S: typing.Final = 0.02


class ProcessRecords:
    """The files of the process of one token, in an open directory."""

    def __init__(self, directory: int, token: str) -> None:
        """Look into this directory; the caller closes it."""
        self.directory = directory
        self.token = token

    def open(self, ending: str, flags: int) -> int:
        """Return a descriptor of one of the files; the caller closes it."""
        return os.open(
            f"{self.token}.{ending}",
            flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o600,
            dir_fd=self.directory,
        )

    def read(self, ending: str, max_bytes: int) -> str:
        """Return the end of a file, at most so many bytes of it."""
        number = self.open(ending, os.O_RDONLY)
        with os.fdopen(number, "rb") as stream:
            size = os.fstat(number).st_size
            stream.seek(max(0, size - max_bytes))
            return stream.read(max_bytes).decode("utf-8", "replace")

    def find_recorded(self) -> proc.Identity | None:
        """Return the process that was started or adopted last.

        It may be dead. No other process is this resource's.
        """
        return _recorded(self._record())

    def _record(self) -> records.Record | None:
        return records.read_record(self.directory, f"{self.token}.{RECORD}")

    def find_command(self, process: proc.Identity) -> object:
        """Return what a process was started with.

        :returns: a list of texts; ``None`` where another one, or none, is
            recorded
        """
        record = self._record()
        return record.get("command") if _names(record, process) else None

    def find_leader(self, process: proc.Identity) -> proc.Identity | None:
        """Return a process if it runs and is this resource's."""
        return process if process == self.find_running() else None

    def find_children(self, process: proc.Identity) -> list[int]:
        """Return the others of its session that this resource has started.

        They know the token of the resource that started the first, also where
        that was adopted since.
        """
        record = self._record()
        if _names(record, process):
            mark = str(record.get(_MARK) or self.token)
        elif self._find_others(process):
            return []
        else:
            mark = self.token
        return proc.list_children(process, mark)

    def find_token(self, process: proc.Identity) -> str | None:
        """Return by which token a process was started or adopted here."""
        if self.find_recorded() == process:
            return self.token
        return next(iter(self._find_others(process)), None)

    def adopt(self, process: proc.Identity) -> bool:
        """Make a process this resource's, and no longer another one's.

        It may be called again after a crash.

        :returns: whether one of this directory's owners had it
        """
        for other in self._find_others(process):
            had = ProcessRecords(self.directory, other)
            record = had._record()
            if not _names(record, process):
                continue
            mark = record.get(_MARK) or other
            name = f"{self.token}.{RECORD}"
            records.write_record(self.directory, name, {**record, _MARK: mark})
            for ending in (LOG, EXIT, REST):
                with contextlib.suppress(FileNotFoundError):
                    os.rename(
                        f"{other}.{ending}",
                        f"{self.token}.{ending}",
                        src_dir_fd=self.directory,
                        dst_dir_fd=self.directory,
                    )
            had.forget()
        return self.find_recorded() == process

    def _find_others(self, process: proc.Identity) -> list[str]:
        """Return the other tokens whose record names a process."""
        tokens = (
            name.removesuffix(f".{RECORD}")
            for name in root.names_in(self.directory)
            if name.endswith(f".{RECORD}")
        )
        return [
            token
            for token in tokens
            if token != self.token
            and ProcessRecords(self.directory, token).find_recorded()
            == process
        ]

    def find_running(self) -> proc.Identity | None:
        """Return the process if it runs."""
        process = self.find_recorded()
        if process is None or not proc.is_alive(process):
            return None
        return process

    def find_exit_code(self) -> int | None:
        """Return how an ended process ended, negative for a signal.

        :returns: ``None`` when the worker that started it had ended before
        """
        last = time.monotonic() + _EXIT_S
        while time.monotonic() < last:
            text = self.read(EXIT, 16)
            if text:
                return int(text)
            time.sleep(_WAIT_S)
        return None

    def note_rest(self) -> None:
        """Remember that it was put to rest."""
        os.close(self.open(REST, os.O_WRONLY))

    def note_wake(self) -> None:
        """Remember that it is to be awake."""
        records.remove_record(self.directory, f"{self.token}.{REST}")

    def is_at_rest(self) -> bool:
        """Whether it was put to rest and not woken since."""
        name = f"{self.token}.{REST}"
        return root.find_stat(self.directory, name) is not None

    def forget(self) -> None:
        """Remove all that is kept, the log too."""
        for ending in (RECORD, f"{RECORD}.new", LOCK, LOG, EXIT, REST):
            records.remove_record(self.directory, f"{self.token}.{ending}")


def _recorded(record: records.Record | None) -> proc.Identity | None:
    if record is None or record["boot"] != proc.boot_id():
        return None
    return proc.Identity(
        typing.cast("int", record["pid"]),
        typing.cast("int", record["started"]),
    )


def _names(
    record: records.Record | None, process: proc.Identity
) -> typing.TypeGuard[records.Record]:
    """Whether a record is that of a process."""
    return _recorded(record) == process


@contextlib.contextmanager
def open_records(
    root_: root.Root, token: str
) -> collections.abc.Iterator[ProcessRecords]:
    """Give what is kept of a token's process."""
    with root_.private(PROCESSES) as directory:
        yield ProcessRecords(directory, token)


@contextlib.contextmanager
def lock_records(stored: ProcessRecords) -> collections.abc.Iterator[int]:
    """Keep others from starting the same process, and be kept by them.

    :returns: descriptor of the lock; it also ends with the last process
        that has it open
    :raises orch.errors.Transient: another start goes on and on
    """
    lock = stored.open(LOCK, os.O_RDWR)
    try:
        locking.lock_file(
            lock, "the process is being started by another worker; retry"
        )
        yield lock
    finally:
        os.close(lock)


def write_exit_report(files: ProcessRecords, when: str, max_bytes: int) -> str:
    """Return how a process ended, and its last words.

    :param when: such as ``before it served``
    :param max_bytes: bytes of its log that may be quoted
    """
    code = files.find_exit_code()
    how = "it ended"
    if code is not None and code < 0:
        how = f"it was ended by signal {-code}"
    elif code is not None:
        how = f"it ended with exit code {code}"
    return f"{how}{when and f' {when}'}{last_words(files, max_bytes)}"


def last_words(files: ProcessRecords, max_bytes: int) -> str:
    """Return the end of its log as the end of a sentence, or nothing."""
    lines = last_lines(files, max_bytes)
    return f"; its last lines: {' | '.join(lines)}" if lines else ""


def last_lines(files: ProcessRecords, max_bytes: int) -> list[str]:
    """Return the last lines that it printed."""
    return files.read(LOG, max_bytes).splitlines()[-_LINES:]
