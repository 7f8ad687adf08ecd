"""Dates and times in queries.

A moment with parts left out is a span: ``2026-01`` is the whole month,
``2026-01-01`` the day, ``2026-01-01T10:00`` the minute. ``now`` is a moment
without a length, also with steps (``now-1h``, ``now-2d+30m``); after a ``/``
it is the span it is in (``now/d`` is today). All is UTC where no zone is
named.
"""

import datetime
import re
import typing

from orch import clock

_UNITS: typing.Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_MONTHS: typing.Final = {"M": 1, "y": 12}

_NOW = re.compile(r"now((?:[+-][0-9]{1,6}[smhdwMy]){0,8})(?:/([smhdwMy]))?")
_STEP = re.compile(r"([+-][0-9]+)([smhdwMy])")
_WRITTEN = re.compile(
    r"(?P<y>[0-9]{4})(?:-(?P<M>[0-9]{2})(?:-(?P<d>[0-9]{2})"
    r"(?:[T ](?P<h>[0-9]{2})(?::(?P<m>[0-9]{2})(?::(?P<s>[0-9]{2})"
    r"(?P<part>\.[0-9]{1,9})?)?)?)?"
    r"(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?)?)?"
)
_SMALLEST_FIRST: typing.Final = ("s", "m", "h", "d", "M", "y")

EXPECTED: typing.Final = (
    "a date such as 2026-01-31, a moment such as 2026-01-31T10:00:00Z, or"
    " now with steps such as now-1h or now-7d"
)


class Span(typing.NamedTuple):
    """A span of time, without its end.

    Both are the same where a single moment is meant.
    """

    start: clock.Timestamp
    end: clock.Timestamp


def parse_span(text: str, now: clock.Timestamp) -> Span | None:
    """Parse a span; ``None`` where the text is none.

    :raises ValueError: it looks like one, and there is no such moment
    """
    try:
        if found := _NOW.fullmatch(text):
            return _relative(found[1], found[2], now)
        if found := _WRITTEN.fullmatch(text):
            return _written(found)
    except OverflowError as e:
        raise ValueError(str(e)) from e
    return None


def _relative(steps: str, unit: str | None, now: clock.Timestamp) -> Span:
    when = datetime.datetime.fromtimestamp(now, datetime.UTC)
    for count, each in _STEP.findall(steps):
        when = _moved(when, int(count), each)
    if unit is None:
        return _span(when, when)
    start = _floor(when, unit)
    return _span(start, _moved(start, 1, unit))


def _written(found: re.Match[str]) -> Span:
    micros = int(float(found["part"] or 0) * 1_000_000)
    start = datetime.datetime(
        int(found["y"]),
        int(found["M"] or 1),
        int(found["d"] or 1),
        int(found["h"] or 0),
        int(found["m"] or 0),
        int(found["s"] or 0),
        micros,
        tzinfo=_zone(found),
    )
    if found["part"]:
        return _span(start, start)
    unit = next(each for each in _SMALLEST_FIRST if found[each])
    return _span(start, _moved(start, 1, unit))


def _zone(found: re.Match[str]) -> datetime.tzinfo:
    text = found["zone"]
    if not text or text == "Z":
        return datetime.UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    sign = -1 if text[0] == "-" else 1
    return datetime.timezone(sign * datetime.timedelta(minutes=minutes))


def _moved(
    when: datetime.datetime, count: int, unit: str
) -> datetime.datetime:
    if unit in _UNITS:
        return when + datetime.timedelta(seconds=count * _UNITS[unit])
    months = when.year * 12 + when.month - 1 + count * _MONTHS[unit]
    year, month = divmod(months, 12)
    following = datetime.date(
        year + (month == 11), (month + 1) % 12 + 1, 1
    ) - datetime.timedelta(days=1)
    return when.replace(
        year=year, month=month + 1, day=min(when.day, following.day)
    )


def _floor(when: datetime.datetime, unit: str) -> datetime.datetime:
    if unit in _MONTHS:
        month = 1 if unit == "y" else when.month
        return when.replace(
            month=month, day=1, hour=0, minute=0, second=0, microsecond=0
        )
    midnight = when.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "w":
        return midnight - datetime.timedelta(days=when.weekday())
    gone = int((when - midnight).total_seconds())
    return midnight + datetime.timedelta(seconds=gone - gone % _UNITS[unit])


def _span(start: datetime.datetime, end: datetime.datetime) -> Span:
    return Span(
        clock.Timestamp(start.timestamp()), clock.Timestamp(end.timestamp())
    )
