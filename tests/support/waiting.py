"""Waits for what a test needs to be so."""

import collections.abc
import time
import typing

END_S = 20
_PAUSE_S = 0.01
# Who is asked works for the answer too, on the processors that the test
# waits for.
_LONGEST_PAUSE_S = 0.05
_SHARE = 0.1

Answer = typing.TypeVar("Answer")


def wait_for(
    ask: collections.abc.Callable[[], Answer],
    what: object,
    limit_s: float = END_S,
) -> Answer:
    """Return the first answer that is true.

    The longer it has waited, the longer it waits before it asks again.

    :param what: told when there is none in time
    :raises AssertionError: there is none in time
    """
    began = time.monotonic()
    while True:
        found = ask()
        if found:
            return found
        waited_s = time.monotonic() - began
        if waited_s > limit_s:
            raise AssertionError(f"timed out: {what}")
        time.sleep(_pause_s(waited_s))


def _pause_s(waited_s: float) -> float:
    """Return for how long not to ask, after so long a wait."""
    return min(max(_PAUSE_S, _SHARE * waited_s), _LONGEST_PAUSE_S)
