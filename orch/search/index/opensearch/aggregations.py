"""Aggregations of documents, level by level, and the answers to them.

What a field has is a nested fact: each level goes down to the facts, and from
those of a bucket back to their documents.
"""

import collections.abc
import itertools
import typing

from orch.search.index import aggregating
from orch.search.index import port
from orch.search.index.opensearch import queries

_PRECISION: typing.Final = 40_000
"""Different values up to which they are counted nearly exactly."""


def request_of(
    aggregations: port.Aggregations, edges: aggregating.Edges, is_admin: bool
) -> queries.Clause:
    """Return the aggregations of a search."""
    return {
        _name(number): queries.of_facts(
            each.field, is_admin, _counted(each, edges, is_admin)
        )
        for number, each in enumerate(aggregations.values())
        if not _is_empty(each, edges)
    }


def found_in(
    aggregations: port.Aggregations,
    edges: aggregating.Edges,
    counted: queries.Answer,
) -> port.Aggregated:
    """Return what an answer says of them, by their names."""
    return {
        name: ()
        if _is_empty(each, edges)
        else _read(each, edges, counted[_name(number)]["named"])
        for number, (name, each) in enumerate(aggregations.items())
    }


def _name(number: int) -> str:
    return f"aggregation{number}"


def _is_empty(aggregation: port.Aggregation, edges: aggregating.Edges) -> bool:
    """Whether no hit has a moment that a histogram could count."""
    return aggregation.kind == port.HISTOGRAM and not edges[aggregation.grid]


def _counted(
    aggregation: port.Aggregation, edges: aggregating.Edges, is_admin: bool
) -> queries.Clause:
    match aggregation.kind:
        case port.TERMS:
            found = queries.terms_of(aggregation.size)
        case port.HISTOGRAM:
            found = {
                "range": {
                    "field": "facts.number",
                    "ranges": [
                        {"from": start, "to": end}
                        for start, end in itertools.pairwise(
                            edges[aggregation.grid]
                        )
                    ],
                },
                "aggs": {"documents": {"reverse_nested": {}}},
            }
        case port.CARDINALITY:
            distinct = {
                "field": "facts.shown",
                "precision_threshold": _PRECISION,
            }
            return {"values": {"cardinality": distinct}}
        case _:
            return {"numbers": {"stats": {"field": "facts.number"}}}
    children = request_of(aggregation.children, edges, is_admin)
    if children:
        found["aggs"]["documents"]["aggs"] = children
    return {"values": found}


def _read(
    aggregation: port.Aggregation,
    edges: aggregating.Edges,
    counted: queries.Answer,
) -> tuple[port.Bucket, ...] | port.Statistics | int:
    match aggregation.kind:
        case port.CARDINALITY:
            return int(counted["values"]["value"])
        case port.STATISTICS:
            return queries.statistics_in(counted)
    keys: collections.abc.Iterable[typing.Any] = edges.get(
        aggregation.grid, ()
    )
    found = counted["values"]["buckets"]
    if aggregation.kind == port.TERMS:
        keys = [each["key"] for each in found]
    buckets = [
        port.Bucket(
            key,
            each["documents"]["doc_count"],
            found_in(aggregation.children, edges, each["documents"]),
        )
        for key, each in zip(keys, found, strict=False)
    ]
    if aggregation.kind == port.TERMS:
        return tuple(buckets)
    return aggregating.shown_buckets(aggregation, buckets)
