"""Facets, statistics and names of fields of what a query finds."""

import collections
import collections.abc
import typing

from orch.search.index import port
from orch.search.index.tantivy import bodies
from orch.search.index.tantivy import conditions
from orch.search.index.tantivy import layout
from orch.search.query import values

_MAX_BUCKETS: typing.Final = 65_000
"""How many values Tantivy counts in one go."""

_AT_FIRST: typing.Final = 200
_OF_SEGMENT: typing.Final = 5000

_Counts: typing.TypeAlias = list[tuple[str, int]]


def facet(
    found: conditions.Conditions, hits: conditions.Query, request: port.Facet
) -> tuple[tuple[str, int], ...]:
    """Return the most frequent values of a field.

    A document counts once for each different value. Long texts, and values
    of more than 200 characters, are in no facet.
    """
    if (
        request.field.startswith(values.TEXT)
        or request.field in values.MOMENTS
    ):
        return ()
    keys = found.keys_of(request.field)
    if len(keys) == 1:
        counts = dict(_top_counts(found, hits, keys[0], request.size))
    else:
        counts = _merged(found, hits, keys, request.field)
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return tuple(ranked[: request.size])


def _top_counts(
    found: conditions.Conditions, hits: conditions.Query, key: str, size: int
) -> _Counts:
    """Return the most frequent values, and what is as frequent as the last.

    Each segment counts its most frequent values first. That is enough where
    nothing was left out that may be among them.
    """
    wanted = max(_AT_FIRST, 4 * size)
    counts, error = _terms(
        found, hits, f"shown.{key}", wanted, max(_OF_SEGMENT, wanted)
    )
    if not error and (
        len(counts) < wanted or counts[-1][1] < counts[size - 1][1]
    ):
        return counts
    return _all_counts(found, hits, key)


def _all_counts(
    found: conditions.Conditions, hits: conditions.Query, key: str
) -> _Counts:
    """Return the counts of all values; folded ones where there are many."""
    try:
        return _terms(
            found, hits, f"shown.{key}", _MAX_BUCKETS, _MAX_BUCKETS * 4
        )[0]
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
    for text, count in _terms(
        found, hits, f"again.{again}", _MAX_BUCKETS, _MAX_BUCKETS * 4
    )[0]:
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
    for folded, count in _terms(
        found, hits, f"long.{key}", _MAX_BUCKETS, _MAX_BUCKETS * 4
    )[0]:
        yield None, folded, count


def _terms(
    found: conditions.Conditions,
    hits: conditions.Query,
    column: str,
    size: int,
    of_segment: int,
) -> tuple[_Counts, int]:
    """Return values with counts, and by how much a count may be too low."""
    answer = found.searcher.aggregate(
        hits,
        {
            "found": {
                "terms": {
                    "field": column,
                    "size": size,
                    "segment_size": of_segment,
                }
            }
        },
    )["found"]
    counts = [(each["key"], each["doc_count"]) for each in answer["buckets"]]
    return counts, int(answer.get("doc_count_error_upper_bound") or 0)


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
        counts = dict(
            _terms(found, hits, "has", _MAX_BUCKETS, _MAX_BUCKETS * 4)[0]
        )
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
