"""What all indexes share of aggregations: their buckets, and how many."""

import collections.abc
import typing

from orch import clock
from orch import errors
from orch.rpc.contract import search_limits
from orch.search.index import port

_Moments: typing.TypeAlias = tuple[clock.Timestamp, ...]
Edges: typing.TypeAlias = collections.abc.Mapping[port.Grid, _Moments]
"""Where the buckets of histograms begin, and where the last one ends."""


def list_histograms(
    aggregations: port.Aggregations,
) -> list[port.Aggregation]:
    """Return the histograms at all levels."""
    found = []
    for each in aggregations.values():
        if each.kind == port.HISTOGRAM:
            found.append(each)
        found += list_histograms(each.children)
    return found


def find_edges(
    aggregations: port.Aggregations,
    extents: collections.abc.Mapping[str, port.Extent | None],
) -> Edges:
    """Return the edges of all histograms.

    :param extents: of the fields of all histograms; ``None`` of those that
        no hit has
    :raises orch.errors.Invalid: there would be too many buckets
    """
    edges = {
        each.grid: _edges_of(each, extents[each.field])
        for each in list_histograms(aggregations)
    }
    left = search_limits.BUCKETS
    for each in aggregations.values():
        left = _take_buckets(each, edges, 1, left)
    return edges


def _edges_of(
    histogram: port.Aggregation, extent: port.Extent | None
) -> _Moments:
    if extent is None:
        return ()
    assert histogram.interval
    found = []
    try:
        for each in histogram.interval.starts(*extent):
            found.append(each)
            if len(found) > search_limits.HISTOGRAM_BUCKETS + 1:
                raise _too_many(
                    histogram, search_limits.HISTOGRAM_BUCKETS, "interval"
                )
    except OverflowError as error:
        raise errors.invalid_at(
            histogram.place,
            f"{histogram.field} has moments that are in no calendar",
            "narrow the query",
        ) from error
    return tuple(found)


def _take_buckets(
    aggregation: port.Aggregation, edges: Edges, parents: int, left: int
) -> int:
    """Return how many buckets are left for other aggregations.

    :param parents: buckets that have the aggregation
    :param left: buckets in others that there may still be
    :raises orch.errors.Invalid: there would be too many
    """
    count = parents
    if aggregation.kind == port.HISTOGRAM:
        count *= max(1, len(edges[aggregation.grid]) - 1)
    elif aggregation.kind == port.TERMS:
        count *= aggregation.size
    if parents > 1 and aggregation.kind in (port.HISTOGRAM, port.TERMS):
        left -= count
    if left < 0:
        raise _too_many(aggregation, search_limits.BUCKETS, "size or interval")
    for each in aggregation.children.values():
        left = _take_buckets(each, edges, count, left)
    return left


def _too_many(
    aggregation: port.Aggregation, maximum: int, what: str
) -> errors.Invalid:
    return errors.invalid_at(
        aggregation.place,
        f"there would be more than {maximum} buckets",
        f"give another {what}, or narrow the query",
    )


def empty(aggregations: port.Aggregations) -> port.Aggregated:
    """Return the aggregations of no documents."""
    none: dict[str, port.Statistics | int] = {
        port.STATISTICS: port.Statistics(0, None, None, 0.0),
        port.CARDINALITY: 0,
    }
    return {
        name: none.get(each.kind, ()) for name, each in aggregations.items()
    }


def shown_buckets(
    histogram: port.Aggregation, buckets: list[port.Bucket]
) -> tuple[port.Bucket, ...]:
    """Return the buckets of a histogram that have enough documents.

    Of empty ones only those between others.
    """
    full = [number for number, each in enumerate(buckets) if each.count]
    if not full:
        return ()
    return tuple(
        each
        for each in buckets[full[0] : full[-1] + 1]
        if each.count >= histogram.min_count
    )
