"""Facets, statistics and names of fields of what a query finds."""

import collections
import collections.abc
import typing

from orch.search.index import bodies
from orch.search.index import port
from orch.search.index.tantivy import conditions
from orch.search.index.tantivy import layout
from orch.search.query import values

_MAX_BUCKETS: typing.Final = 65_000
"""How many values Tantivy counts in one go."""

_AT_FIRST: typing.Final = 200
_OF_SEGMENT: typing.Final = 5000

_Counts: typing.TypeAlias = list[tuple[str, int]]


def facets(
    found: conditions.Conditions,
    hits: conditions.Query,
    requests: collections.abc.Sequence[port.Facet],
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return the most frequent values of fields.

    A document counts once for each different value. Long texts, and values
    of more than 200 characters, are in no facet.
    """
    columns: dict[str, int] = {}
    keys: dict[str, list[str]] = {}
    for each in requests:
        is_counted = not (
            each.field.startswith(values.TEXT) or each.field in values.MOMENTS
        )
        keys[each.field] = found.keys_of(each.field) if is_counted else []
        if len(keys[each.field]) == 1:
            columns[f"shown.{keys[each.field][0]}"] = each.size
    first = _first_counts(found, hits, columns)
    result = {}
    for each in requests:
        if len(keys[each.field]) == 1:
            key = keys[each.field][0]
            counts = first[f"shown.{key}"]
            if counts is None:
                counts = dict(_all_counts(found, hits, key))
        else:
            counts = _merged(found, hits, keys[each.field], each.field)
        ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        result[each.field] = tuple(ranked[: each.size])
    return result


def _first_counts(
    found: conditions.Conditions,
    hits: conditions.Query,
    columns: dict[str, int],
) -> dict[str, dict[str, int] | None]:
    """Return the most frequent values, and what is as frequent as the last.

    Each segment counts its most frequent values first. That is enough where
    nothing was left out that may be among them.

    :param columns: of Tantivy, with how many values are wanted
    :returns: by column; ``None`` where all values have to be counted
    """
    if not columns:
        return {}
    wanted = {
        column: max(_AT_FIRST, 4 * size) for column, size in columns.items()
    }
    answer = found.searcher.aggregate(
        hits,
        {
            column: _request(column, size, max(_OF_SEGMENT, size))
            for column, size in wanted.items()
        },
    )
    result: dict[str, dict[str, int] | None] = {}
    for column, size in columns.items():
        counts = _counts_in(answer[column])
        error = answer[column].get("doc_count_error_upper_bound") or 0
        is_enough = not error and (
            len(counts) < wanted[column] or counts[-1][1] < counts[size - 1][1]
        )
        result[column] = dict(counts) if is_enough else None
    return result


def _all_counts(
    found: conditions.Conditions, hits: conditions.Query, key: str
) -> _Counts:
    """Return the counts of all values; folded ones where there are many."""
    try:
        return _terms(found, hits, f"shown.{key}")
    except ValueError:
        mark = f"{key}="
        return [
            (term[len(mark) :], count)
            for term, count in found.searcher.terms_with_prefix(
                "terms", mark, hits
            )
            if count and bodies.LONG not in term
        ]


def _merged(
    found: conditions.Conditions,
    hits: conditions.Query,
    keys: list[str],
    name: str,
) -> dict[str, int]:
    """Return the counts of several fields that have one name.

    What a document has in more than one of them counts once.
    """
    counts: dict[str, int] = collections.defaultdict(int)
    for key in keys:
        for text, count in _all_counts(found, hits, key):
            counts[text] += count
    again = layout.again_key(name, found.is_admin)
    for text, count in _terms(found, hits, f"again.{again}"):
        counts[text.partition("\0")[2]] -= count
    return counts


def list_values(
    found: conditions.Conditions, hits: conditions.Query, key: str
) -> collections.abc.Iterator[tuple[str | None, str, int]]:
    """Return the values that hits have in a field.

    :returns: each as it is shown, ``None`` if it is too long for that; as
        terms have it; and how many hits have it
    """
    for text, count in _all_counts(found, hits, key):
        yield text, bodies.folded_of(text)[0], count
    for folded, count in _terms(found, hits, f"long.{key}"):
        yield None, folded, count


def _terms(
    found: conditions.Conditions, hits: conditions.Query, column: str
) -> _Counts:
    """Return the counts of all values of a column.

    :raises ValueError: there are more than Tantivy counts
    """
    answer = found.searcher.aggregate(
        hits, {"found": _request(column, _MAX_BUCKETS, 4 * _MAX_BUCKETS)}
    )
    return _counts_in(answer["found"])


def _request(column: str, size: int, of_segment: int) -> dict[str, object]:
    return {
        "terms": {"field": column, "size": size, "segment_size": of_segment}
    }


def _counts_in(answer: dict[str, typing.Any]) -> _Counts:
    return [(each["key"], each["doc_count"]) for each in answer["buckets"]]


def statistics(
    found: conditions.Conditions, hits: conditions.Query, field: str
) -> port.Statistics:
    """Return statistics of the numbers of a field.

    Each entry of a list counts, those that are the same too.
    """
    columns = [f"numbers.{key}" for key in found.keys_of(field)]
    if field in values.MOMENTS:
        columns = [field]
    count, total = 0, 0.0
    least: float | None = None
    greatest: float | None = None
    for column in columns:
        answer = found.searcher.aggregate(
            hits, {"found": {"stats": {"field": column}}}
        )["found"]
        if not answer["count"]:
            continue
        count += int(answer["count"])
        total += answer["sum"]
        low, high = float(answer["min"]), float(answer["max"])
        least = low if least is None else min(least, low)
        greatest = high if greatest is None else max(greatest, high)
    return port.Statistics(count, least, greatest, total)


def forms(
    found: conditions.Conditions, hits: conditions.Query
) -> dict[str, str]:
    """Return the names of the fields that hits have.

    :returns: ``text``, ``number`` or ``moment`` by name
    """
    try:
        counts = dict(_terms(found, hits, "has"))
    except ValueError:
        counts = dict(found.searcher.terms_with_prefix("has", "", hits))
    result: dict[str, str] = {}
    for key, count in sorted(counts.items()):
        is_named = key[0] == "u" or (key[0] == "a" and found.is_admin)
        if not count or not is_named:
            continue
        field = layout.field_of(key)
        form = "text"
        if field in values.MOMENTS:
            form = "moment"
        elif counts.get(layout.NUMBERS_ONLY + key) == count:
            form = "number"
        if result.get(field) != "text":
            result[field] = form
    return result
