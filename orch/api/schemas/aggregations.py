"""Aggregations in bodies of searches, as Elasticsearch has them.

https://www.elastic.co/guide/en/elasticsearch/reference/current/search-aggregations.html
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.api import web
from orch.api.schemas import checker
from orch.rpc import contract
from orch.rpc.contract import search_limits

TERMS: typing.Final = "terms"
HISTOGRAM: typing.Final = "date_histogram"
CARDINALITY: typing.Final = "cardinality"
STATISTICS: typing.Final = "stats"
NUMBERS: typing.Final = ("avg", "max", "min", STATISTICS, "sum", "value_count")
"""Statistics, and each of them alone."""

PATTERN: typing.Final = r"^[^\u0000\ud800-\udfff]*$"
FIELD: typing.Final[checker.Schema] = {
    "type": "string",
    "minLength": 1,
    "maxLength": search_limits.MAX_FIELD_LENGTH,
    "pattern": PATTERN,
}
SIZE: typing.Final[checker.Schema] = {
    "type": "integer",
    "minimum": 1,
    "maximum": search_limits.VALUES,
}
_INTERVALS: typing.Final = (
    "interval",
    "calendar_interval",
    "fixed_interval",
)
_RAW: typing.Final = ".raw"


def _of_field(**more: checker.Schema) -> checker.Schema:
    return {
        "type": "object",
        "required": ["field"],
        "properties": {"field": FIELD, **more},
        "additionalProperties": False,
    }


_KINDS: typing.Final[dict[str, checker.Schema]] = {
    TERMS: _of_field(size=SIZE),
    HISTOGRAM: _of_field(
        **dict.fromkeys(_INTERVALS, FIELD),
        min_doc_count={
            "type": "integer",
            "minimum": 0,
            "maximum": search_limits.MAX_MIN_COUNT,
        },
        time_zone={"enum": ["UTC", "Z", "+00:00"]},
    ),
    **dict.fromkeys((CARDINALITY, *NUMBERS), _of_field()),
}


def _of_levels(count: int) -> checker.Schema:
    """Return the schema of aggregations with so many levels in each other."""
    children = {}
    if count > 1:
        children = dict.fromkeys(
            ("aggregations", "aggs"), _of_levels(count - 1)
        )
    return {
        "type": "object",
        "maxProperties": search_limits.AGGREGATIONS,
        "propertyNames": FIELD,
        "additionalProperties": {
            "type": "object",
            "minProperties": 1,
            "properties": {**_KINDS, **children},
            "additionalProperties": False,
        },
    }


SCHEMA: typing.Final = _of_levels(search_limits.AGGREGATION_LEVELS)


@dataclasses.dataclass(frozen=True, slots=True)
class Aggregation:
    """What is counted, or computed, of hits.

    :ivar kind: as the body names it
    :ivar request: to the search service
    :ivar interval: the key that the body gives an interval by
    :ivar children: what is counted in each bucket, by name
    """

    kind: str
    request: contract.AggregationRequest
    interval: str
    children: "Aggregations"


Aggregations = collections.abc.Mapping[str, Aggregation]


def parse_aggregations(
    given: web.Body, place: str = "aggregations"
) -> Aggregations:
    """Return the aggregations of a body that fits the schema.

    :raises orch.errors.Invalid: one has no kind, or several; or no interval
    """
    return {
        name: _parse_one(each, f"{place}.{name}")
        for name, each in given.items()
    }


def _parse_one(given: web.Body, place: str) -> Aggregation:
    kinds = [each for each in given if each in _KINDS]
    if len(kinds) != 1:
        raise errors.invalid_at(place, f"give one of {', '.join(_KINDS)}")
    if "aggregations" in given and "aggs" in given:
        raise errors.invalid_at(
            place, "aggregations and aggs say the same: give one"
        )
    (kind,) = kinds
    body = given[kind]
    children = parse_aggregations(
        given.get("aggregations") or given.get("aggs") or {},
        f"{place}.aggregations",
    )
    if children and kind not in (TERMS, HISTOGRAM):
        raise errors.invalid_at(
            place, f"{kind} has no buckets to aggregate again"
        )
    interval = ""
    request: contract.AggregationRequest = {
        "kind": kind if kind not in NUMBERS else STATISTICS,
        "field": plain_field(body["field"]),
    }
    if kind == TERMS:
        request["size"] = int(body.get("size", search_limits.DEFAULT_VALUES))
    if kind == HISTOGRAM:
        names = [each for each in _INTERVALS if each in body]
        if len(names) != 1:
            raise errors.invalid_at(
                f"{place}.{kind}", f"give one of {', '.join(_INTERVALS)}"
            )
        (interval,) = names
        request["interval"] = body[interval]
        request["min_count"] = int(body.get("min_doc_count", 0))
    if children:
        request["children"] = requests_of(children)
    return Aggregation(kind, request, interval, children)


def requests_of(
    aggregations: Aggregations,
) -> dict[str, contract.AggregationRequest]:
    """Return what the search service is asked for."""
    return {name: each.request for name, each in aggregations.items()}


def places_of(
    aggregations: Aggregations, place: str = "aggregations"
) -> dict[str, str]:
    """Return places in the body by those that the search service names."""
    found: dict[str, str] = {}
    for name, each in aggregations.items():
        inside = f"{place}.{name}"
        old, new = f"{inside}.{each.request['kind']}", f"{inside}.{each.kind}"
        found |= {
            f"{old}.field": f"{new}.field",
            f"{old}.interval": f"{new}.{each.interval}",
            **places_of(each.children, f"{inside}.aggregations"),
        }
    return found


def plain_field(field: str) -> str:
    """Return a field without what means its whole value: ``name.raw``."""
    return field.removesuffix(_RAW)
