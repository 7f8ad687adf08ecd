"""Memory and work of aggregations in SQLite."""

import collections.abc
import dataclasses
import tracemalloc

from orch.search.index import port
from orch.search.index.sqlite import aggregate
from orch.search.index.sqlite import evaluate as evaluating
from orch.search.index.sqlite import facets
from orch.search.index.sqlite import index as sqlite_index
from orch.search.index.sqlite import schema
from orch.search.query import intervals
from tests import base
from tests.contract.search import samples

_VALUES = 40
_FAR = 1 << 16_000_000
"""A set takes as many bits as the greatest ordinal in it: 2 MB."""


class _Evaluation(evaluating.Evaluation):
    def any_of(self, field: str, wanted: frozenset[str]) -> int:
        return super().any_of(field, wanted) | _FAR


class CostTest(base.TestCase):
    def open(
        self, count: int, check_time: collections.abc.Callable[[], None]
    ) -> _Evaluation:
        """Return an evaluation of so many resources."""
        path = self.make_directory() / "search.db"
        index = sqlite_index.SQLiteIndex(path)
        self.addCleanup(index.close)
        index.put(
            [
                samples.stacked(
                    *(
                        samples.resource(
                            f"r{each}", created_at=samples.at(each)
                        )
                        for each in range(count)
                    )
                )
            ]
        )
        connection = schema.connect(path, 1000, 30.0)
        self.addCleanup(connection.close)
        return _Evaluation(
            connection, samples.USER, evaluating.Cache(), check_time
        )

    def test_buckets_alone_are_not_looked_into(self) -> None:
        checks: list[bool] = []
        evaluation = self.open(5, lambda: checks.append(True))
        seconds = port.Aggregation(
            kind=port.HISTOGRAM,
            field="created_at",
            place="s",
            interval=intervals.parse_interval("1s"),
        )

        for aggregation, expected in (
            (seconds, 0),
            (dataclasses.replace(seconds, children={"again": seconds}), 5),
        ):
            checks.clear()
            aggregated = aggregate.aggregate(
                evaluation,
                facets.Tally(evaluation, (1 << 5) - 1),
                samples.query(aggregations={"seconds": aggregation}),
            )
            buckets = aggregated["seconds"]
            assert isinstance(buckets, tuple)
            self.assertEqual([1] * 5, [each.count for each in buckets])
            self.assertEqual(expected, len(checks))

    def test_few_of_many_large_sets_are_in_memory(self) -> None:
        evaluation = self.open(_VALUES, lambda: None)
        kinds = port.Aggregation(kind=port.TERMS, field="kind", place="k")
        names = port.Aggregation(
            kind=port.TERMS,
            field="name",
            place="n",
            size=_VALUES,
            children={"kinds": kinds},
        )
        query = samples.query(aggregations={"names": names})
        tally = facets.Tally(evaluation, (1 << _VALUES) - 1)
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)

        aggregated = aggregate.aggregate(evaluation, tally, query)

        _, peak = tracemalloc.get_traced_memory()
        buckets = aggregated["names"]
        assert isinstance(buckets, tuple)
        self.assertEqual(_VALUES, len(buckets))
        self.assertLess(peak, 45_000_000)
