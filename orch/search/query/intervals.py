"""Intervals of histograms over time.

``day`` or ``1d`` is a day of the calendar, ``12h`` a span of so many seconds
that is counted from 1970. All is UTC; a week begins on Monday.
"""

import collections.abc
import dataclasses
import datetime
import itertools
import re
import typing

from orch import clock

CALENDAR: typing.Final = {
    "second": "s",
    "minute": "m",
    "hour": "h",
    "day": "d",
    "week": "w",
    "month": "M",
    "quarter": "q",
    "year": "y",
}
EXPECTED: typing.Final = (
    f"{', '.join(CALENDAR)}, or a number with s, m, h, d or w, such as 12h"
)

_MONTHS: typing.Final = {"M": 1, "q": 3, "y": 12}
_SECONDS: typing.Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_WRITTEN: typing.Final = re.compile(r"([1-9][0-9]{0,8})([smhdwMqy])")
_FIRST_MONDAY: typing.Final = 4 * 86400
"""Seconds since 1970."""


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    """The length of the buckets of a histogram.

    :ivar months: of the calendar; 0 for a number of seconds
    :ivar seconds: 0 for months
    :ivar origin: where one of them begins, seconds since 1970
    """

    months: int = 0
    seconds: int = 0
    origin: int = 0

    def starts(
        self, first: float, last: float
    ) -> collections.abc.Iterator[clock.Timestamp]:
        """Yield where buckets begin: that of a moment, to one after another.

        :raises OverflowError: the calendar does not have them
        """
        day, _ = _date_of(first), _date_of(last)
        if self.seconds:
            number = int((first - self.origin) // self.seconds)
            _date_of(self.origin + number * self.seconds)
            for count in itertools.count(number):
                start = clock.Timestamp(self.origin + count * self.seconds)
                yield start
                if start > last:
                    return
        month = day.year * 12 + day.month - 1
        month -= month % self.months
        for count in itertools.count(month, self.months):
            start = _start_of_month(count)
            yield start
            if start > last:
                return


def _date_of(moment: float) -> datetime.datetime:
    try:
        return datetime.datetime.fromtimestamp(moment, datetime.UTC)
    except (OSError, ValueError) as error:
        raise OverflowError(str(error)) from error


def _start_of_month(count: int) -> clock.Timestamp:
    year, month = divmod(count, 12)
    try:
        found = datetime.datetime(year, month + 1, 1, tzinfo=datetime.UTC)
    except ValueError as error:
        raise OverflowError(str(error)) from error
    return clock.Timestamp(found.timestamp())


def parse_interval(text: str) -> Interval | None:
    """Return the interval that a text names; ``None`` where it is none."""
    found = _WRITTEN.fullmatch(
        f"1{CALENDAR[text]}" if text in CALENDAR else text
    )
    if found is None:
        return None
    count, unit = int(found[1]), found[2]
    if unit in _SECONDS:
        origin = _FIRST_MONDAY if unit == "w" else 0
        return Interval(seconds=count * _SECONDS[unit], origin=origin)
    return Interval(months=_MONTHS[unit]) if count == 1 else None
