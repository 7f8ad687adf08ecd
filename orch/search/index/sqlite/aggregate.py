"""Aggregations of a set of documents in SQLite, level by level."""

import itertools
import sys
import typing

import cachetools

from orch.search.index import aggregating
from orch.search.index import port
from orch.search.index.sqlite import evaluate as evaluating
from orch.search.index.sqlite import facets
from orch.search.query import nodes

_CACHED_BYTES: typing.Final = 32_000_000
"""Of sets that are looked up in a search; one may have 100 KB."""


def aggregate(
    evaluation: evaluating.Evaluation, tally: facets.Tally, query: port.Query
) -> port.Aggregated:
    """Return the aggregations of a query.

    :param tally: of all hits
    :raises orch.errors.Invalid: there would be too many buckets
    """
    histograms = aggregating.list_histograms(query.aggregations)
    edges = aggregating.find_edges(
        query.aggregations,
        {
            field: tally.extent(field)
            for field in {each.field for each in histograms}
        },
    )
    return _Level(evaluation, edges).aggregate(query.aggregations, tally)


class _Level:
    """Aggregates sets of documents, and those of each bucket again."""

    def __init__(
        self,
        evaluation: evaluating.Evaluation,
        edges: aggregating.Edges,
    ) -> None:
        self._evaluation = evaluation
        self._edges = edges
        self._known = facets.Known()
        self._found: cachetools.LRUCache[tuple[str, str] | nodes.Range, int]
        self._found = cachetools.LRUCache(_CACHED_BYTES, sys.getsizeof)

    def aggregate(
        self, aggregations: port.Aggregations, tally: facets.Tally
    ) -> port.Aggregated:
        """Return the aggregations of a set, by their names."""
        return {
            name: self._one(each, tally) for name, each in aggregations.items()
        }

    def _one(
        self, aggregation: port.Aggregation, tally: facets.Tally
    ) -> tuple[port.Bucket, ...] | port.Statistics | int:
        match aggregation.kind:
            case port.TERMS:
                return self._terms(aggregation, tally)
            case port.HISTOGRAM:
                return self._histogram(aggregation, tally)
            case port.CARDINALITY:
                every = port.Facet(aggregation.field, sys.maxsize)
                return len(tally.facet(every))
            case _:
                return tally.statistics(aggregation.field)

    def _terms(
        self, aggregation: port.Aggregation, tally: facets.Tally
    ) -> tuple[port.Bucket, ...]:
        facet = port.Facet(aggregation.field, aggregation.size)
        return tuple(
            port.Bucket(
                value,
                count,
                self._children(
                    aggregation, tally.hits & self._having(facet.field, value)
                )
                if aggregation.children
                else {},
            )
            for value, count in tally.facet(facet)
        )

    def _histogram(
        self, aggregation: port.Aggregation, tally: facets.Tally
    ) -> tuple[port.Bucket, ...]:
        buckets = []
        for start, end in itertools.pairwise(self._edges[aggregation.grid]):
            within = nodes.Range(aggregation.field, start, end, True, False)
            found = tally.hits & self._during(within)
            children = self._children(aggregation, found)
            buckets.append(port.Bucket(start, found.bit_count(), children))
        return aggregating.shown_buckets(aggregation, buckets)

    def _children(
        self, aggregation: port.Aggregation, hits: int
    ) -> port.Aggregated:
        if not hits or not aggregation.children:
            return aggregating.empty(aggregation.children)
        # What is known already is counted without any statement.
        self._evaluation.check_time()
        tally = facets.Tally(self._evaluation, hits, self._known)
        return self.aggregate(aggregation.children, tally)

    def _having(self, field: str, value: str) -> int:
        """Return what has a value; those of late are not looked up again."""
        found = self._found.get((field, value))
        if found is None:
            found = self._evaluation.any_of(field, frozenset({value}))
            self._found[field, value] = found
        return found

    def _during(self, within: nodes.Range) -> int:
        """Return what has a moment in an interval; as :meth:`_having`."""
        found = self._found.get(within)
        if found is None:
            found = self._found[within] = self._evaluation.between(within)
        return found
