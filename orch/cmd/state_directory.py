"""The state directory of ``orch-all``: its owner's alone, and one process's.

The database and the keys in it show every secret of every stack.
"""

import collections.abc
import contextlib
import fcntl
import os
import pathlib
import stat
import typing

from orch.cmd import indexes
from orch.cmd import process

DATABASE: typing.Final = "orch.db"
_LOCK: typing.Final = "lock"
_OURS: typing.Final = (_LOCK, DATABASE, indexes.FILE)
"""One of these is in each directory that has been a state directory."""
_DATABASES: typing.Final = (DATABASE, indexes.FILE)
_SQLITE_SUFFIXES: typing.Final = ("", "-journal", "-shm", "-wal")
_KEY_SUFFIX: typing.Final = ".key"
_MODE: typing.Final = 0o700
_OTHERS: typing.Final = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE: typing.Final = stat.S_IWGRP | stat.S_IWOTH


@contextlib.contextmanager
def lock_directory(directory: pathlib.Path) -> collections.abc.Iterator[None]:
    """Close a state directory to other users and to a second process.

    It is made when it is missing. The lock goes with the process, however it
    ends.

    :raises orch.cmd.process.Failure: another process has it, other users may
        change it, or it cannot be made
    """
    try:
        directory.mkdir(mode=_MODE, parents=True, exist_ok=True)
        _check_owner(directory)
        _close_to_others(directory)
        lock = (directory / _LOCK).open("w")
    except OSError as error:
        raise process.Failure(
            f"cannot use the state directory: {error}"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise process.Failure(
                f"another orch-all uses {directory}; stop it, or give this"
                " one its own with --state-dir"
            ) from error
        yield


def load_key(
    place: pathlib.Path, make: collections.abc.Callable[[], str]
) -> str:
    """Return the key that is kept there, the same each time.

    :raises orch.cmd.process.Failure: it cannot be read or kept
    """
    try:
        with contextlib.suppress(FileExistsError):
            place.touch(mode=0o600, exist_ok=False)
        if not place.stat().st_size:
            place.write_text(make())
        return place.read_text().strip()
    except OSError as error:
        raise process.Failure(
            f"cannot keep the key {place}: {error}"
        ) from error


def _check_owner(directory: pathlib.Path) -> None:
    """Return only if no other user but root can change what is in it."""
    facts = directory.stat()
    if facts.st_uid != os.geteuid():
        raise process.Failure(
            f"the state directory {directory} belongs to the user"
            f" {facts.st_uid}, who could read and replace what is in it; run"
            " orch-all as that user, or give it its own with --state-dir"
        )
    if facts.st_mode & _OTHERS_WRITE:
        raise process.Failure(
            f"other users may write to the state directory {directory}; check"
            f" what is in it, then chmod {_MODE:o} it, or give orch-all its"
            " own with --state-dir"
        )


def _close_to_others(directory: pathlib.Path) -> None:
    """Let none but its owner read the directory and the files in it.

    :raises orch.cmd.process.Failure: it has been used for something else
    """
    with os.scandir(directory) as entries:
        found = list(entries)
    if stat.S_IMODE(directory.stat().st_mode) & _OTHERS:
        names = {each.name for each in found}
        if names and names.isdisjoint(_OURS):
            raise process.Failure(
                f"other users may read the state directory {directory}, which"
                f" is not empty and not orch-all's; chmod {_MODE:o} it, or"
                " give orch-all its own with --state-dir"
            )
        directory.chmod(_MODE)
        # There is no log yet: its options come from files that are read later.
        print(f"other users may not read {directory} any more", flush=True)
    for each in found:
        path = pathlib.Path(each.path)
        if each.is_file(follow_symlinks=False):
            _close_file(path)
        elif each.is_symlink() and _is_secret(each.name):
            _close_target(path)


def _is_secret(name: str) -> bool:
    return name in _DATABASES or name.endswith(_KEY_SUFFIX)


def _close_target(link: pathlib.Path) -> None:
    """Let none but its owner read what a link leads to.

    SQLite makes its other files beside that, and as open as it is.

    :raises orch.cmd.process.Failure: it belongs to another user
    """
    target = os.path.realpath(link)
    suffixes = _SQLITE_SUFFIXES if link.name in _DATABASES else ("",)
    for each in suffixes:
        path = pathlib.Path(f"{target}{each}")
        with contextlib.suppress(FileNotFoundError):
            owner = path.stat().st_uid
            if owner != os.geteuid():
                raise process.Failure(
                    f"{link} leads to {path}, which belongs to the user"
                    f" {owner}, who can read and replace it; give orch-all a"
                    " copy of its own"
                )
            _close_file(path)


def _close_file(path: pathlib.Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _OTHERS:
        path.chmod(mode & ~_OTHERS)
