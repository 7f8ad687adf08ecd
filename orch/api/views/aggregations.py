"""What aggregations have found, as Elasticsearch shows it."""

import collections.abc

from orch.api.schemas import aggregations as schema
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def view(
    asked: schema.Aggregations,
    facts: collections.abc.Mapping[str, contract.AggregationFacts],
) -> View:
    """Return all aggregations by their names."""
    return {name: _one(each, facts[name]) for name, each in asked.items()}


def _one(asked: schema.Aggregation, facts: contract.AggregationFacts) -> View:
    if asked.kind == schema.TERMS:
        return {
            "doc_count_error_upper_bound": 0,
            "buckets": _buckets(asked, facts),
        }
    if asked.kind == schema.HISTOGRAM:
        return {"buckets": _buckets(asked, facts)}
    if asked.kind == schema.CARDINALITY:
        return {"value": facts["value"]}
    numbers: View = {**facts["statistics"]}
    if asked.kind == schema.STATISTICS:
        return numbers
    kind = "count" if asked.kind == "value_count" else asked.kind
    return {"value": numbers[kind]}


def _buckets(
    asked: schema.Aggregation, facts: contract.AggregationFacts
) -> list[View]:
    return [
        {
            **_key(each["key"]),
            "doc_count": each["count"],
            **view(asked.children, each["children"]),
        }
        for each in facts["buckets"]
    ]


def _key(key: str | float) -> View:
    """Return a value, or a moment in milliseconds and as a text."""
    if isinstance(key, str):
        return {"key": key}
    text = timestamps.format_time(key)
    assert text is not None
    return {
        "key_as_string": f"{text.removesuffix('Z')}.000Z",
        "key": int(key) * 1000,
    }
