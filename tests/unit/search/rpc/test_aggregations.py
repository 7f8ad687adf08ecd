"""Requests of aggregations, as the search service reads them."""

import typing

from orch import clock
from orch import errors
from orch.search.index import port
from orch.search.query import intervals
from orch.search.rpc import aggregations
from tests import base

_TERMS: typing.Final = {"kind": "terms", "field": "type"}


def _read(given: object) -> port.Aggregations:
    return aggregations.read_aggregations(given, lambda name, _: str(name))


class ReadingTest(base.TestCase):
    def test_each_level_is_read(self) -> None:
        found = _read(
            {
                "days": {
                    "kind": "date_histogram",
                    "field": "created_at",
                    "interval": "day",
                    "min_count": 2,
                    "children": {"types": {**_TERMS, "size": 3}},
                }
            }
        )

        self.assertEqual(
            {
                "days": port.Aggregation(
                    kind=port.HISTOGRAM,
                    field="created_at",
                    place="aggregations.days.date_histogram",
                    interval=intervals.parse_interval("day"),
                    min_count=2,
                    children={
                        "types": port.Aggregation(
                            kind=port.TERMS,
                            field="type",
                            place="aggregations.days.aggregations.types.terms",
                            size=3,
                        )
                    },
                )
            },
            found,
        )

    def test_what_makes_no_sense_is_refused_with_its_place(self) -> None:
        three = {
            **_TERMS,
            "children": {"b": {**_TERMS, "children": {"c": _TERMS}}},
        }
        _read({"a": three})
        for wrong, place in (
            ([], ""),
            ({"a": 1}, ".a"),
            ({"a": {"field": "x"}}, ".a"),
            ({"a": {"kind": ["terms"], "field": "x"}}, ".a"),
            ({"a": {**_TERMS, "size": 0}}, ".a.terms.size"),
            ({"a": {**_TERMS, "size": True}}, ".a.terms.size"),
            ({"a": {**_TERMS, "interval": "1d"}}, ".a.terms.interval"),
            (
                {"a": {"kind": "stats", "field": "x", "children": {}}},
                ".a.stats.children",
            ),
            (
                {"a": {"kind": "date_histogram", "field": "x"}},
                ".a.date_histogram.interval",
            ),
            (
                {"a": {**_TERMS, "children": {"b": three}}},
                ".a.aggregations.b.aggregations.b.aggregations",
            ),
            ({f"a{number}": three for number in range(7)}, ""),
        ):
            error = self.assertRaises(errors.Invalid, _read, wrong)
            self.assertEqual(
                f"aggregations{place}", error.problems[0].path, repr(wrong)
            )

    def test_what_was_found_travels(self) -> None:
        start = clock.Timestamp(86400.0)
        found = aggregations.facts_of(
            {
                "days": (port.Bucket(start, 2, {"n": 1}),),
                "sizes": port.Statistics(2, 1.0, 3.0, 4.0),
            }
        )

        self.assertEqual(
            {
                "days": {
                    "buckets": [
                        {
                            "key": 86400.0,
                            "count": 2,
                            "children": {"n": {"value": 1}},
                        }
                    ]
                },
                "sizes": {
                    "statistics": {
                        "count": 2,
                        "min": 1.0,
                        "max": 3.0,
                        "sum": 4.0,
                        "avg": 2.0,
                    }
                },
            },
            found,
        )
