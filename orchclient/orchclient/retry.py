"""Retries requests while the service is unavailable, up to a limit."""

import collections.abc
import typing

from orchclient import errors

Answer = typing.TypeVar("Answer")

_FIRST_PAUSE_S: typing.Final = 0.2
_MAX_PAUSE_S: typing.Final = 2.0


class Clock(typing.Protocol):
    """What is needed of the module ``time``."""

    def monotonic(self) -> float:
        """Return monotonic seconds."""

    def sleep(self, seconds: float, /) -> None:
        """Wait for some seconds."""


class RetryPolicy:
    """Retries while the service is away, as when it restarts.

    :param limit_s: how long; from the first request that had no answer
    """

    def __init__(self, limit_s: float, clock: Clock) -> None:
        self._limit_s = limit_s
        self._clock = clock

    def ask(self, question: collections.abc.Callable[[], Answer]) -> Answer:
        """Return the answer to a request that changes nothing.

        :raises orchclient.errors.ConnectError: there was none in time
        :raises orchclient.errors.UnavailableError: nor was this one
        """
        began = self._clock.monotonic()
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                return question()
            except (errors.ConnectError, errors.UnavailableError):
                if self._clock.monotonic() - began > self._limit_s:
                    raise
            self._clock.sleep(pause_s)
            pause_s = min(2 * pause_s, _MAX_PAUSE_S)
