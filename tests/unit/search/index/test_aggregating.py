"""Limits of the buckets of aggregations."""

import typing

from orch import errors
from orch.rpc.contract import search_limits
from orch.search.index import aggregating
from orch.search.index import port
from tests import base


def _terms(size: int, **children: port.Aggregation) -> port.Aggregation:
    return port.Aggregation(
        kind=port.TERMS,
        field="type",
        place=f"terms{size}",
        size=size,
        children=children,
    )


class BucketsTest(base.TestCase):
    def check(self, *aggregations: port.Aggregation) -> None:
        named = {str(at): each for at, each in enumerate(aggregations)}
        aggregating.find_edges(named, {})

    def refused_place(self, *aggregations: port.Aggregation) -> str:
        error: typing.Any = self.assertRaises(
            errors.Invalid, self.check, *aggregations
        )
        (problem,) = error.problems
        self.assertIn("10000 buckets", error.message)
        return str(problem.path)

    def test_those_of_all_aggregations_in_others_are_limited(self) -> None:
        self.assertEqual(10_000, search_limits.BUCKETS)
        alone = [_terms(1_000)] * search_limits.AGGREGATIONS
        half = _terms(50, names=_terms(100))
        self.check(*alone)
        self.check(half, half)

        self.assertEqual(
            "terms1",
            self.refused_place(half, half, _terms(2, names=_terms(1))),
        )
        self.assertEqual(
            "terms100", self.refused_place(half, _terms(51, names=_terms(100)))
        )

    def test_those_of_each_level_count(self) -> None:
        three = _terms(20, a=_terms(20, b=_terms(24)))
        self.check(three)

        more = _terms(20, a=_terms(20, b=_terms(25)))
        self.assertEqual("terms25", self.refused_place(more))

    def test_numbers_have_no_buckets(self) -> None:
        numbers = {
            str(at): port.Aggregation(kind=kind, field="size", place="numbers")
            for at, kind in enumerate((port.STATISTICS, port.CARDINALITY) * 9)
        }

        self.check(_terms(1_000, **numbers))
