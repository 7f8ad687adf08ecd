"""Waits for what a test needs to be so."""

import collections.abc
import time
import typing

END_S = 20
_PAUSE_S = 0.01

Answer = typing.TypeVar("Answer")


def wait_for(
    ask: collections.abc.Callable[[], Answer],
    what: object,
    limit_s: float = END_S,
) -> Answer:
    """Return the first answer that is true.

    :param what: told when there is none in time
    :raises AssertionError: there is none in time
    """
    limit = time.monotonic() + limit_s
    while True:
        found = ask()
        if found:
            return found
        if time.monotonic() > limit:
            raise AssertionError(f"timed out: {what}")
        time.sleep(_PAUSE_S)
