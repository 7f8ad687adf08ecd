"""Time, passed in so that tests own it.

Moments are seconds since 1970-01-01T00:00:00Z as a float, the form in which
the database keeps them too: comparing, adding and storing them needs no
conversion. Text is made where people read it, by :func:`isoformat`.
"""

import datetime
import time
import typing

Timestamp = typing.NewType("Timestamp", float)

_MAX_DOUBLINGS: typing.Final = 16


class Clock(typing.Protocol):
    """What we need of time: the wall clock and one that never jumps."""

    def now(self) -> Timestamp:
        """Return the moment, UTC, of this machine."""

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; it never goes back."""


class SystemClock:
    """The clock of this machine."""

    def now(self) -> Timestamp:
        """Return the moment, UTC, of this machine."""
        return Timestamp(time.time())

    def monotonic(self) -> float:
        """Return seconds that no clock adjustment touches."""
        return time.monotonic()


def growing_pause_s(times: int, first_s: float, longest_s: float) -> float:
    """Return for how long to pause after so many failures in a row.

    :param times: how often it was paused before, from 0 to any number
    :param first_s: the first pause; each one after it is twice as long
    :param longest_s: no pause is longer
    """
    return min(first_s * 2.0 ** min(times, _MAX_DOUBLINGS), longest_s)


def isoformat(moment: Timestamp) -> str:
    """Return the moment as Heat writes it, ``YYYY-MM-DDTHH:MM:SSZ``."""
    when = datetime.datetime.fromtimestamp(moment, datetime.UTC)
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
