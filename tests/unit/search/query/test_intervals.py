"""Intervals of histograms, and where their buckets begin."""

import datetime

from orch.search.query import intervals
from tests import base


def _seconds(text: str) -> float:
    return datetime.datetime.fromisoformat(f"{text}+00:00").timestamp()


class IntervalsTest(base.TestCase):
    def starts(self, text: str, first: str, last: str) -> list[str]:
        interval = intervals.parse_interval(text)
        assert interval is not None
        return [
            datetime.datetime.fromtimestamp(each, datetime.UTC)
            .isoformat()
            .removesuffix("+00:00")
            .removesuffix(":00")
            for each in interval.starts(_seconds(first), _seconds(last))
        ]

    def test_they_begin_where_the_calendar_or_1970_says(self) -> None:
        for text, first, last, expected in (
            ("day", "2026-01-31T23:59", "2026-02-01", "01-31 02-01 02-02"),
            ("week", "2026-01-01", "2026-01-05", "12-29 01-05 01-12"),
            ("1w", "2026-01-01", "2026-01-01", "12-29 01-05"),
            ("7d", "2026-01-01", "2026-01-01", "01-01 01-08"),
            ("month", "2025-12-31", "2026-01-01", "12-01 01-01 02-01"),
            ("quarter", "2025-12-31", "2026-01-01", "10-01 01-01 04-01"),
            ("1y", "2025-12-31", "2026-01-01", "01-01 01-01 01-01"),
            ("day", "1969-12-31T01:00", "1969-12-31T02:00", "12-31 01-01"),
            ("month", "1969-12-31T01:00", "1969-12-31T02:00", "12-01 01-01"),
        ):
            found = self.starts(text, first, last)
            self.assertEqual(
                expected.split(),
                [each[5:10] for each in found],
                (text, found),
            )
            self.assertEqual({"T00:00"}, {each[10:] for each in found})
        self.assertEqual(
            ["2026-01-01T12:00", "2026-01-02T00:00"],
            self.starts("12h", "2026-01-01T23:00", "2026-01-01T23:30"),
        )

    def test_other_texts_are_none(self) -> None:
        for text in ("", "0d", "2M", "2y", "d", "days", "1.5h", "-1d", "1x"):
            self.assertIsNone(intervals.parse_interval(text), text)

    def test_what_is_in_no_calendar_is_an_error(self) -> None:
        last = _seconds("9999-12-31")
        for text, first, end in (
            ("year", last, last),
            ("999999999w", 0.0, 1e12),
            ("999999999w", -1.0, 0.0),
            ("day", float("-inf"), float("inf")),
            ("day", float("nan"), float("nan")),
        ):
            interval = intervals.parse_interval(text)
            assert interval is not None
            found = interval.starts(first, end)
            self.assertRaises(OverflowError, list, found)
