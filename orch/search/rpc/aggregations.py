"""Parses and checks aggregations, and shows what they have found."""

import collections.abc
import typing

from orch import errors
from orch.rpc import contract
from orch.rpc.contract import search_limits
from orch.search.index import port
from orch.search.query import intervals
from orch.search.rpc import checks

_KEYS: typing.Final = {
    port.TERMS: frozenset({"kind", "field", "size", "children"}),
    port.HISTOGRAM: frozenset(
        {"kind", "field", "interval", "min_count", "children"}
    ),
    port.STATISTICS: frozenset({"kind", "field"}),
    port.CARDINALITY: frozenset({"kind", "field"}),
}
_KINDS: typing.Final = tuple(_KEYS)

_ReadField: typing.TypeAlias = collections.abc.Callable[[object, str], str]
"""Takes the name of a field, and its place; raises ``Invalid``."""


def read_aggregations(
    given: object, read_field: _ReadField
) -> port.Aggregations:
    """Return the aggregations of a request.

    :raises orch.errors.Invalid: with what is wrong, where, and what to do
    """
    found = _read_level(given, "aggregations", read_field, 1)
    count = _count(found)
    if count > search_limits.AGGREGATIONS:
        raise errors.invalid_at(
            "aggregations",
            f"there are {count}, {search_limits.AGGREGATIONS} at most",
        )
    return found


def _count(aggregations: port.Aggregations) -> int:
    return sum(1 + _count(each.children) for each in aggregations.values())


def _read_level(
    given: object, place: str, read_field: _ReadField, level: int
) -> port.Aggregations:
    if not isinstance(given, collections.abc.Mapping):
        raise errors.invalid_at(place, "it is no map")
    if given and level > search_limits.AGGREGATION_LEVELS:
        raise errors.invalid_at(
            place,
            f"there are more than {search_limits.AGGREGATION_LEVELS} levels",
        )
    return {
        name: _read_one(each, f"{place}.{name}", read_field, level)
        for name, each in given.items()
    }


def _read_one(
    given: object, place: str, read_field: _ReadField, level: int
) -> port.Aggregation:
    if not isinstance(given, collections.abc.Mapping):
        raise errors.invalid_at(place, "it is no map")
    kind = given.get("kind")
    if kind not in _KINDS:
        raise errors.invalid_at(place, f"it is none of {', '.join(_KINDS)}")
    inside = f"{place}.{kind}"
    for key in sorted(set(given) - _KEYS[kind]):
        raise errors.invalid_at(f"{inside}.{key}", "there is no such key")
    interval = None
    if kind == port.HISTOGRAM:
        text = given.get("interval")
        interval = (
            intervals.parse_interval(text) if isinstance(text, str) else None
        )
        if interval is None:
            raise errors.invalid_at(
                f"{inside}.interval",
                f"{str(text)[:40]!r} is no interval",
                f"give {intervals.EXPECTED}",
            )
    return port.Aggregation(
        kind=kind,
        field=read_field(given.get("field"), f"{inside}.field"),
        place=inside,
        size=checks.whole(
            given.get("size", search_limits.DEFAULT_VALUES),
            f"{inside}.size",
            1,
            search_limits.VALUES,
        ),
        interval=interval,
        min_count=checks.whole(
            given.get("min_count", 0),
            f"{inside}.min_count",
            0,
            search_limits.MAX_MIN_COUNT,
        ),
        children=_read_level(
            given.get("children", {}),
            f"{place}.aggregations",
            read_field,
            level + 1,
        ),
    )


def facts_of(
    aggregated: port.Aggregated,
) -> dict[str, contract.AggregationFacts]:
    """Return what aggregations have found, by their names."""
    return {name: _facts_of(each) for name, each in aggregated.items()}


def _facts_of(
    found: tuple[port.Bucket, ...] | port.Statistics | int,
) -> contract.AggregationFacts:
    match found:
        case port.Statistics():
            return {"statistics": statistics_of(found)}
        case int():
            return {"value": found}
    return {
        "buckets": [
            {
                "key": each.key,
                "count": each.count,
                "children": facts_of(each.children),
            }
            for each in found
        ]
    }


def statistics_of(found: port.Statistics) -> contract.StatisticsFacts:
    """Return statistics as they travel."""
    return {
        "count": found.count,
        "min": found.least,
        "max": found.greatest,
        "sum": found.total,
        "avg": found.mean,
    }
