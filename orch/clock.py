"""Time, passed in so that tests own it.

Moments are seconds since 1970-01-01T00:00:00Z as a float, the form in which
the database keeps them too: comparing, adding and storing them needs no
conversion. Text is made where people read it, by :func:`isoformat`.
"""

import datetime
import functools
import math
import time
import typing

Timestamp = typing.NewType("Timestamp", float)

_MAX_DOUBLINGS: typing.Final = 16
_STEADY: typing.Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Only Linux has the one that goes on while the machine is suspended."""


class Clock(typing.Protocol):
    """What we need of time: the wall clock and one that never jumps."""

    def now(self) -> Timestamp:
        """Return the moment, UTC, of this machine."""

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; it never goes back.

        The time that the machine was suspended for counts.
        """


class SystemClock:
    """The clock of this machine."""

    def now(self) -> Timestamp:
        """Return the moment, UTC, of this machine."""
        return Timestamp(time.time())

    def monotonic(self) -> float:
        """Return seconds that no clock adjustment touches."""
        return time.clock_gettime(_STEADY)


def growing_pause_s(times: int, first_s: float, longest_s: float) -> float:
    """Return for how long to pause after so many failures in a row.

    :param times: how often it was paused before, from 0 to any number
    :param first_s: the first pause; each one after it is twice as long
    :param longest_s: no pause is longer
    """
    return min(first_s * 2.0 ** min(times, _MAX_DOUBLINGS), longest_s)


def isoformat(moment: Timestamp) -> str:
    """Return the moment as Heat writes it, ``YYYY-MM-DDTHH:MM:SSZ``."""
    return _format_second(math.floor(moment))


@functools.lru_cache(maxsize=1024)
def _format_second(second: int) -> str:
    """Return a second as text; the moments of a list share a few."""
    when = datetime.datetime.fromtimestamp(second, datetime.UTC)
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
