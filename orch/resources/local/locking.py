"""Locks on open files, against concurrent acts of two workers."""

import fcntl
import time
import typing

from orch import errors

_TIMEOUT_S: typing.Final = 2.0
_WAIT_S: typing.Final = 0.02


def lock_file(number: int, busy: str) -> None:
    """Lock an open file; the lock ends with the last descriptor of it.

    :param number: descriptor of the file
    :param busy: what to say when another worker holds it
    :raises orch.errors.Transient: it is held on and on
    """
    last = time.monotonic() + _TIMEOUT_S
    while not _try_lock(number):
        if time.monotonic() > last:
            raise errors.Transient(busy)
        time.sleep(_WAIT_S)


def _try_lock(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
