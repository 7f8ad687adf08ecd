"""Memory of aggregations in SQLite."""

import tracemalloc

from orch.search.index import port
from orch.search.index.sqlite import aggregate
from orch.search.index.sqlite import evaluate as evaluating
from orch.search.index.sqlite import facets
from orch.search.index.sqlite import index as sqlite_index
from orch.search.index.sqlite import schema
from tests import base
from tests.contract.search import samples

_VALUES = 40
_FAR = 1 << 16_000_000
"""A set takes as many bits as the greatest ordinal in it: 2 MB."""


class _Evaluation(evaluating.Evaluation):
    def any_of(self, field: str, wanted: frozenset[str]) -> int:
        return super().any_of(field, wanted) | _FAR


class MemoryTest(base.TestCase):
    def test_few_of_many_large_sets_are_in_memory(self) -> None:
        path = self.make_directory() / "search.db"
        index = sqlite_index.SQLiteIndex(path)
        self.addCleanup(index.close)
        found = [samples.resource(f"r{each}") for each in range(_VALUES)]
        index.put([samples.stacked(*found)])
        connection = schema.connect(path, 1000, 30.0)
        self.addCleanup(connection.close)
        evaluation = _Evaluation(
            connection, samples.USER, evaluating.Cache(), lambda: None
        )
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
