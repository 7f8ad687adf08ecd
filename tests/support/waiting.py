"""Waits for what a test needs to be so."""

import collections.abc
import time
import typing

END_S = 20
_PAUSE_S = 0.01
# Who is asked works for the answer too, on the processors that the test
# waits for: a stack that is shown by one process takes it ten milliseconds,
# by a worker behind an API three times as much.
_LONGEST_PAUSE_S = 0.2
_SHARE = 0.1
_COST = 3

Answer = typing.TypeVar("Answer")


def wait_for(
    ask: collections.abc.Callable[[], Answer],
    what: object,
    limit_s: float = END_S,
) -> Answer:
    """Return the first answer that is true, asked for at a :class:`Pace`.

    :param what: told when there is none in time
    :raises AssertionError: there is none in time
    """
    pace = Pace()
    while True:
        found = ask()
        if found:
            return found
        if pace.waited_s() > limit_s:
            raise AssertionError(f"timed out: {what}")
        pace.pause()


class Pace:
    """When to ask again for what is waited for since this was made.

    A question that takes long is asked less often, and so is one that was
    asked for long. No pause is longer than a fifth of a second.
    """

    def __init__(self) -> None:
        """Begin the wait, and its first question."""
        self._began_at = self._asked_at = time.monotonic()

    def waited_s(self) -> float:
        """Return how long the wait has taken so far."""
        return time.monotonic() - self._began_at

    def pause(self) -> None:
        """Return when the next question is due."""
        now = time.monotonic()
        pause_s = max(
            _PAUSE_S,
            _COST * (now - self._asked_at),
            _SHARE * (now - self._began_at),
        )
        time.sleep(min(pause_s, _LONGEST_PAUSE_S))
        self._asked_at = time.monotonic()
