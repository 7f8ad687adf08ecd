"""Small files in a directory, each written atomically, and their locks."""

import collections.abc
import contextlib
import fcntl
import json
import os
import secrets
import time
import typing

from orch import errors

Record = collections.abc.Mapping[str, object]

_TIMEOUT_S: typing.Final = 2.0
_WAIT_S: typing.Final = 0.02


def read_record(directory: int, name: str) -> Record | None:
    """Return a record, or ``None`` when there is none.

    :param directory: open descriptor of the directory
    """
    try:
        number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=directory)
    except FileNotFoundError:
        return None
    with os.fdopen(number, encoding="utf-8") as stream:
        found = json.load(stream)
    return found if isinstance(found, dict) else None


def write_record(directory: int, name: str, record: Record) -> None:
    """Put a record on disk, in place of an older one of that name."""
    content = json.dumps(record).encode()
    with write_temporary(directory, name, content) as temporary:
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)


def add_record(directory: int, name: str, record: Record) -> None:
    """Put a record on disk, unless there is one of that name."""
    content = json.dumps(record).encode()
    with (
        write_temporary(directory, name, content) as temporary,
        contextlib.suppress(FileExistsError),
    ):
        os.link(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)


def remove_record(directory: int, name: str) -> None:
    """Remove a record; none is success."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=directory)


def sweep_temporaries(directory: int, name: str) -> None:
    """Remove what writers of a name left who died while they wrote."""
    for found in os.listdir(directory):
        if found.startswith(f".{name}."):
            remove_record(directory, found)


@contextlib.contextmanager
def write_temporary(
    directory: int, name: str, content: bytes, mode: int = 0o600
) -> collections.abc.Iterator[str]:
    """Give a file that is whole on disk, under an unused name.

    :func:`sweep_temporaries` finds it when the writer dies.
    """
    temporary = f".{name}.{secrets.token_hex(4)}"
    number = os.open(
        temporary,
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
        0o600,
        dir_fd=directory,
    )
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(number, mode)
            os.fsync(number)
        yield temporary
    finally:
        remove_record(directory, temporary)


@contextlib.contextmanager
def lock_file(
    directory: int, name: str, busy: str
) -> collections.abc.Iterator[int]:
    """Keep other workers from an act while the caller is at it.

    :param busy: what to say when another worker holds the lock
    :returns: descriptor of the lock, which ends with the last process that
        has it open
    :raises orch.errors.Transient: it is held on and on
    """
    number = os.open(
        name,
        os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC,
        0o600,
        dir_fd=directory,
    )
    try:
        last = time.monotonic() + _TIMEOUT_S
        while not _try_lock(number):
            if time.monotonic() > last:
                raise errors.Transient(busy)
            time.sleep(_WAIT_S)
        yield number
    finally:
        os.close(number)


def _try_lock(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
