"""The local file of a process, in a folder that no other process has."""

import contextlib
import fcntl
import os
import pathlib
import time
import typing

from orch import errors
from orch.search.index import formats
from orch.search.index.sqlite import index as sqlite_index

_FILE: typing.Final = "search.db"
_MAX_PROCESSES: typing.Final = 256
_UNUSED_S: typing.Final = 3600.0


class Folder:
    """An index in the first folder that no process has.

    It holds nothing but what is filled from the rows: at any time it may be
    deleted.

    :ivar index: in the folder
    """

    def __init__(self, parent: pathlib.Path, readers: int) -> None:
        """Lock a folder, and open the index in it.

        :param readers: how many search at the same time
        :raises orch.errors.Unavailable: none can be made or opened
        """
        self._parent = parent
        try:
            self._lock, path = _claim(parent)
        except OSError as e:
            raise errors.Unavailable(
                f"The folder {parent} of the search index cannot be used:"
                f" {e}. Set [search] folder to a directory that this process"
                " may write to."
            ) from e
        file = path / _FILE
        self.index = sqlite_index.SQLiteIndex(
            file, readers=readers, is_copy=True
        )
        try:
            self._prepare(file)
        except BaseException:
            self.close()
            raise

    def _prepare(self, file: pathlib.Path) -> None:
        try:
            self.index.prepare()
        except formats.NewerFormat:
            file.unlink()
            self.index.prepare()

    def remove_unused(self) -> None:
        """Delete files of other folders that no process has had for an hour.

        What has been forgotten in the rows since is still in them.
        """
        # The hour of this one begins here, should its process be killed.
        os.utime(self._lock)
        for each in self._parent.iterdir():
            # Another process has it, or alone may delete it.
            with contextlib.suppress(OSError):
                _remove_unused(each)

    def close(self) -> None:
        """Close the index, and leave the folder to another process."""
        self.index.close()
        os.utime(self._lock)
        os.close(self._lock)


def _remove_unused(folder: pathlib.Path) -> None:
    path = folder / "lock"
    if path.stat().st_mtime >= time.time() - _UNUSED_S:
        return
    lock = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for each in folder.glob(f"{_FILE}*"):
            each.unlink(missing_ok=True)
    finally:
        os.close(lock)


def stored_bytes(parent: pathlib.Path) -> int:
    """Return how many bytes the files of all processes have."""
    total = 0
    for each in parent.glob(f"*/{_FILE}*"):
        with contextlib.suppress(FileNotFoundError):
            total += each.stat().st_size
    return total


def _claim(parent: pathlib.Path) -> tuple[int, pathlib.Path]:
    """Lock the first folder that no process has.

    :returns: the open lock, and the folder
    """
    parent.mkdir(parents=True, exist_ok=True)
    for number in range(_MAX_PROCESSES):
        path = parent / str(number)
        path.mkdir(mode=0o700, exist_ok=True)
        lock = os.open(path / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        return lock, path
    raise errors.Unavailable(
        f"All {_MAX_PROCESSES} folders of the search index in {parent} are in"
        " use by other processes. Stop those that are not needed."
    )
