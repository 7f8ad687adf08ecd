"""Where tests write: to memory, where it has the capacity.

A server that runs in a test waits for the disk at each of its commits, and a
database server at each of its files. No test needs more than that what was
written outlives a kill. ``TMPDIR`` names another directory.
"""

import collections.abc
import contextlib
import os
import pathlib
import shutil
import tempfile

import psutil

_MEMORY = pathlib.Path("/dev/shm")  # noqa: S108 - a directory is made in it
_CAPACITY = 4 * 1024**3
# Database servers run as users of their own, with directories below it.
_FOR_ALL = 0o1777


@contextlib.contextmanager
def environment(
    memory: pathlib.Path = _MEMORY, capacity: int = _CAPACITY
) -> collections.abc.Iterator[dict[str, str]]:
    """Yield this process's variables, with a ``TMPDIR`` that goes at the end.

    It stays as it is where it is set, or where memory has no capacity.

    :param memory: a file system in memory
    :param capacity: so many bytes must be free there, and twice as many in all
    """
    if "TMPDIR" in os.environ or not _has_capacity(memory, capacity):
        yield dict(os.environ)
        return
    with tempfile.TemporaryDirectory(
        prefix="orch-", dir=memory, ignore_cleanup_errors=True
    ) as directory:
        pathlib.Path(directory).chmod(_FOR_ALL)
        yield os.environ | {"TMPDIR": directory}


def _has_capacity(memory: pathlib.Path, capacity: int) -> bool:
    """Whether files of tests fit there, and programs may run from there."""
    return (
        os.access(memory, os.W_OK)
        and not os.statvfs(memory).f_flag & os.ST_NOEXEC
        and shutil.disk_usage(memory).free >= capacity
        and psutil.virtual_memory().available >= 2 * capacity
    )
