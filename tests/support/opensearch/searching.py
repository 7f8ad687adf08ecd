"""Searches: orders, pages and aggregations, of rows that were refreshed."""

import collections.abc
import functools
import json
import typing

from tests.support.opensearch import levels
from tests.support.opensearch import queries

_Map: typing.TypeAlias = dict[str, typing.Any]
_Level: typing.TypeAlias = levels.Level
_Rows: typing.TypeAlias = dict[str, tuple[_Map, _Level]]

_Key: typing.TypeAlias = collections.abc.Callable[[_Level, float], typing.Any]

_KNOWN = frozenset(
    (
        *("query", "size", "from", "sort", "search_after", "aggs"),
        *("_source", "track_total_hits", "track_scores"),
    )
)


class Ranked(typing.NamedTuple):
    """Hits in their order, and all that is counted."""

    hits: list[_Map]
    every: list[_Level]


def search(
    body: _Map, rows: _Rows, window: int, known: dict[str, Ranked]
) -> _Map:
    """Return the answer to a search.

    :param known: what these rows have answered to a query in an order
    """
    _check(body, window)
    query = body.get("query", {"match_all": {}})
    sorts = [_sort(each) for each in body.get("sort", [])]
    asked = json.dumps([query, sorts])
    if asked not in known:
        known[asked] = _rank(query, sorts, rows)
    ranked = known[asked]
    hits = ranked.hits
    after = body.get("search_after")
    if after is not None:
        if len(after) != len(sorts):
            raise levels.RefusedError("illegal_argument_exception", "after")
        hits = hits[_behind(hits, after, sorts) :]
    start, size = body.get("from", 0), body.get("size", 10)
    answer: _Map = {
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "failed": 0},
        "hits": {
            "total": {"value": len(ranked.hits), "relation": "eq"},
            "hits": [
                {**each, "_source": part(each["_source"], body.get("_source"))}
                for each in hits[start : start + size]
            ],
        },
    }
    if "aggs" in body:
        answer["aggregations"] = _aggregations(body["aggs"], ranked.every)
    return answer


def _check(body: _Map, window: int) -> None:
    if set(body) - _KNOWN:
        raise levels.RefusedError("parsing_exception", f"{sorted(body)}")
    if body.get("size", 10) + body.get("from", 0) > window:
        raise levels.RefusedError("illegal_argument_exception", "window")
    if body.get("from") and "search_after" in body:
        raise levels.RefusedError("illegal_argument_exception", "from")


def _rank(query: _Map, sorts: list[tuple[str, _Map]], rows: _Rows) -> Ranked:
    every: list[_Level] = []
    found: list[_Map] = []
    asked = queries.read(query)
    keys = [_key(*each) for each in sorts]
    for name, (source, level) in rows.items():
        points = asked(level)
        if points is None:
            continue
        found.append(
            {
                "_id": name,
                "_score": points,
                "_source": source,
                "sort": [each(level, points) for each in keys],
            }
        )
        every.append(level)

    def compare(one: _Map, other: _Map) -> int:
        return _compare(one["sort"], other["sort"], sorts)

    return Ranked(sorted(found, key=functools.cmp_to_key(compare)), every)


def _behind(
    hits: list[_Map], after: list[typing.Any], sorts: list[tuple[str, _Map]]
) -> int:
    """Return the number of the first hit behind these keys."""
    low, high = 0, len(hits)
    while low < high:
        middle = (low + high) // 2
        if _compare(hits[middle]["sort"], after, sorts) > 0:
            high = middle
        else:
            low = middle + 1
    return low


def part(source: _Map, names: list[str] | None) -> _Map:
    if names is None:
        return source
    return {name: source[name] for name in names if name in source}


def _sort(told: _Map) -> tuple[str, _Map]:
    ((name, options),) = told.items()
    wrong = set(options) - {"order", "missing", "mode", "nested"}
    if wrong or options.get("missing", "_last") != "_last":
        raise levels.RefusedError("parsing_exception", f"{wrong}")
    return name, options


def _key(name: str, options: _Map) -> _Key:
    """Return what tells by what a level is ordered."""
    default = "max" if options["order"] == "desc" else "min"
    choose = {"min": min, "max": max}[options.get("mode", default)]
    nested = options.get("nested")
    asked = queries.read(nested["filter"]) if nested else None

    def key(level: _Level, points: float) -> typing.Any:
        if name == "_score":
            return points
        if name not in level.types:
            raise levels.RefusedError("query_shard_exception", f"no {name}")
        found = level.values.get(name, [])
        if nested and asked:
            found = [
                value
                for child in level.children.get(nested["path"], [])
                if asked(child) is not None
                for value in child.values.get(name, [])
            ]
        return choose(found) if found else None

    return key


def _compare(
    one: list[typing.Any],
    other: list[typing.Any],
    sorts: list[tuple[str, _Map]],
) -> int:
    for mine, theirs, (_, told) in zip(one, other, sorts, strict=True):
        if mine == theirs:
            continue
        if mine is None or theirs is None:
            return 1 if mine is None else -1
        left, right = _ordered(mine), _ordered(theirs)
        is_less = left < right
        return -1 if is_less == (told["order"] == "asc") else 1
    return 0


def _ordered(value: typing.Any) -> typing.Any:
    return value.encode("utf-8") if isinstance(value, str) else value


def _aggregations(wanted: _Map, found: list[_Level]) -> _Map:
    return {name: _aggregation(told, found) for name, told in wanted.items()}


def _aggregation(told: _Map, found: list[_Level]) -> _Map:
    inner = told.get("aggs", {})
    ((kind, body),) = ((k, v) for k, v in told.items() if k != "aggs")
    match kind:
        case "nested":
            path = body["path"]
            found = [y for x in found for y in x.children.get(path, [])]
        case "reverse_nested":
            roots = [each.root for each in found if each.root]
            found = list({id(each): each for each in roots}.values())
        case "filter":
            asked = queries.read(body)
            found = [each for each in found if asked(each) is not None]
        case "terms":
            return _terms(body, inner, found)
        case "range":
            return _ranges(body, inner, found)
        case "cardinality":
            values = {
                y for x in found for y in x.values.get(body["field"], [])
            }
            return {"value": len(values)}
        case "stats" | "sum":
            return _numbers(kind, body["field"], found)
        case _:
            raise levels.RefusedError("parsing_exception", f"no [{kind}]")
    return {"doc_count": len(found), **_aggregations(inner, found)}


def _terms(body: _Map, inner: _Map, found: list[_Level]) -> _Map:
    by_value: dict[str, list[_Level]] = {}
    for each in found:
        for value in set(each.values.get(body["field"], [])):
            by_value.setdefault(value, []).append(each)
    buckets = [
        {
            "key": value,
            "doc_count": len(several),
            **_aggregations(inner, several),
        }
        for value, several in by_value.items()
    ]
    default = [{"_count": "desc"}, {"_key": "asc"}]
    for told in reversed(body.get("order", default)):
        ((name, order),) = told.items()
        buckets.sort(
            key=functools.partial(_bucket_key, name), reverse=order == "desc"
        )
    return {"buckets": buckets[: body["size"]]}


def _ranges(body: _Map, inner: _Map, found: list[_Level]) -> _Map:
    buckets = []
    for each in body["ranges"]:
        several = [
            one
            for one in found
            if any(
                each["from"] <= value < each["to"]
                for value in one.values.get(body["field"], [])
            )
        ]
        buckets.append(
            {
                **each,
                "doc_count": len(several),
                **_aggregations(inner, several),
            }
        )
    return {"buckets": sorted(buckets, key=lambda each: each["from"])}


def _bucket_key(name: str, bucket: _Map) -> typing.Any:
    if name == "_key":
        return _ordered(bucket["key"])
    if name == "_count":
        return bucket["doc_count"]
    return bucket[name]["doc_count"]


def _numbers(kind: str, field: str, found: list[_Level]) -> _Map:
    values = [x for each in found for x in each.values.get(field, [])]
    if kind == "sum":
        return {"value": float(sum(values))}
    return {
        "count": len(values),
        "min": min(values, default=None),
        "max": max(values, default=None),
        "sum": float(sum(values)),
    }
