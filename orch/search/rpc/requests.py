"""Parses and checks requests of queries."""

import collections.abc
import dataclasses
import math
import typing

from orch import clock
from orch import errors
from orch.rpc import contract
from orch.rpc.contract import search_limits
from orch.search import document
from orch.search.index import port
from orch.search.query import fields as query_fields
from orch.search.query import language
from orch.search.query import nodes
from orch.search.query import searchlight
from orch.search.rpc import aggregations
from orch.search.rpc import checks

_SCORE: typing.Final = "score"
_STATE: typing.Final = "state"

_KEYS: typing.Final = frozenset(contract.SearchRequest.__annotations__)
_DIFFERENCES_KEYS: typing.Final = frozenset(
    contract.DifferencesRequest.__annotations__
)
_SEARCHED_KEYS: typing.Final = frozenset({"q", "query", "kinds"})


def read_scope(facts: contract.SearchScope) -> port.Scope:
    """Return the scope of the caller."""
    project_ids = facts["project_ids"]
    return port.Scope(
        None if project_ids is None else frozenset(project_ids),
        facts["is_admin"],
    )


def read_kinds(kinds: object) -> frozenset[str]:
    """Return the requested kinds; none for all.

    :raises orch.errors.Invalid: there is no such kind
    """
    found = frozenset(_texts(kinds, "kinds"))
    for each in sorted(found - set(document.KINDS)):
        raise errors.invalid_at(
            "kinds", f"there is no kind {each[:80]}", _one_of(document.KINDS)
        )
    return found


def read_flag(
    request: contract.SearchRequest,
    key: typing.Literal["highlight", "with_texts"],
) -> bool:
    """Return whether a request wants an addition to the hits.

    :raises orch.errors.Invalid: it is no truth value
    """
    value: object = request.get(key, False)
    if not isinstance(value, bool):
        raise errors.invalid_at(key, "it is no truth value")
    return value


def read_query(
    request: contract.SearchRequest,
    scope: port.Scope,
    now: clock.Timestamp,
    known: query_fields.KnownNames = query_fields.NO_NAMES,
) -> port.Query:
    """Return the query of a request.

    :param now: what ``now`` means in it
    :param known: as for :func:`fields.resolve_field`
    :raises orch.errors.Invalid: with what is wrong, where, and what to do
    """
    for key in sorted(set(request) - _KEYS):
        raise errors.invalid_at(key, "there is no such key", _one_of(_KEYS))
    cursor = request.get("cursor")
    if cursor is not None and (
        not isinstance(cursor, str)
        or len(cursor) > search_limits.MAX_CURSOR_LENGTH
    ):
        raise errors.invalid_at(
            "cursor", "it is none that an answer has given"
        )
    return port.Query(
        node=_read_node(request, now, known),
        scope=scope,
        kinds=read_kinds(request.get("kinds", [])),
        sort=_read_sort(request.get("sort", []), known),
        limit=checks.whole(
            request.get("limit", search_limits.DEFAULT_HITS),
            "limit",
            0,
            search_limits.HITS,
        ),
        after=cursor,
        offset=checks.whole(
            request.get("offset", 0), "offset", 0, search_limits.OMITTED
        ),
        facets=_read_facets(request.get("facets", []), known),
        statistics=_read_statistics(request.get("statistics", []), known),
        aggregations=aggregations.read_aggregations(
            request.get("aggregations", {}),
            lambda name, place: _field(name, place, known),
        ),
        as_of=_read_moment(request.get("as_of"), now),
    )


def split_differences(
    request: contract.DifferencesRequest, now: clock.Timestamp
) -> tuple[
    tuple[clock.Timestamp, clock.Timestamp | None],
    str | None,
    contract.SearchRequest,
]:
    """Return the two moments, the cursor, and what is searched for.

    :param now: later moments mean this one
    :raises orch.errors.Invalid: a moment is none, or a key
    """
    for key in sorted(set(request) - _DIFFERENCES_KEYS):
        raise errors.invalid_at(
            key, "there is no such key", _one_of(_DIFFERENCES_KEYS)
        )
    earlier = _read_moment(request.get("as_of", math.nan), now)
    later = _read_moment(request.get("as_of_other"), now, "as_of_other")
    cursor: object = request.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise errors.invalid_at(
            "cursor", "it is none that an answer has given"
        )
    searched = {
        key: each for key, each in request.items() if key in _SEARCHED_KEYS
    }
    return (
        (now if earlier is None else earlier, later),
        cursor,
        typing.cast(contract.SearchRequest, searched),
    )


def _read_node(
    request: contract.SearchRequest,
    now: clock.Timestamp,
    known: query_fields.KnownNames,
) -> nodes.Node:
    text = request.get("q")
    query = request.get("query")
    if text is not None and query is not None:
        raise errors.invalid_at(
            "query", "there is a q too", "give one of them"
        )
    if text is not None:
        if not isinstance(text, str):
            raise errors.invalid_at("q", "it is no text")
        return language.parse_query(text, now, known)
    if query is None:
        return nodes.All()
    if not isinstance(query, collections.abc.Mapping):
        raise errors.invalid_at("query", "it is no map")
    return searchlight.parse_searchlight(query, now, known)


def _read_sort(
    given: object, known: query_fields.KnownNames
) -> tuple[port.Sort, ...]:
    found = []
    for place, each in _maps(
        given, "sort", search_limits.SORTS, {"descending"}
    ):
        field = _field(
            each["field"], f"{place}.field", known, is_score_fine=True
        )
        is_descending = each.get("descending", False)
        if not isinstance(is_descending, bool):
            raise errors.invalid_at(
                f"{place}.descending", "it is no truth value"
            )
        found.append(port.Sort(field, is_descending))
    return tuple(found)


def _read_facets(
    given: object, known: query_fields.KnownNames
) -> tuple[port.Facet, ...]:
    return tuple(
        port.Facet(
            _field(each["field"], f"{place}.field", known),
            checks.whole(
                each.get("size", search_limits.DEFAULT_VALUES),
                f"{place}.size",
                1,
                search_limits.VALUES,
            ),
        )
        for place, each in _maps(
            given, "facets", search_limits.FACETS, {"size"}
        )
    )


def _read_statistics(
    given: object, known: query_fields.KnownNames
) -> tuple[str, ...]:
    fields = _texts(given, "statistics")
    _check_count(fields, "statistics", search_limits.STATISTICS)
    return tuple(
        _field(each, f"statistics[{number}]", known)
        for number, each in enumerate(fields)
    )


def _read_moment(
    value: object, now: clock.Timestamp, name: str = "as_of"
) -> clock.Timestamp | None:
    if value is None:
        return None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
    ):
        raise errors.invalid_at(
            name, "it is no moment", "give seconds since 1970"
        )
    # The future is not known: the latest is what there is now.
    return None if value >= now else clock.Timestamp(float(value))


def _maps(
    given: object, key: str, maximum: int, more: collections.abc.Set[str]
) -> collections.abc.Iterator[tuple[str, dict[str, object]]]:
    """Return maps that have a ``field``, each with its place."""
    if not isinstance(given, list):
        raise errors.invalid_at(key, "it is no list")
    _check_count(given, key, maximum)
    for number, each in enumerate(given):
        place = f"{key}[{number}]"
        if not isinstance(each, dict) or "field" not in each:
            raise errors.invalid_at(place, "it is no map with a field")
        for name in sorted(set(each) - more - {"field"}):
            raise errors.invalid_at(
                f"{place}.{name}",
                "there is no such key",
                _one_of({"field", *more}),
            )
        yield place, each


def _texts(given: object, key: str) -> list[str]:
    if not isinstance(given, list):
        raise errors.invalid_at(key, "it is no list")
    for number, each in enumerate(given):
        if not isinstance(each, str):
            raise errors.invalid_at(f"{key}[{number}]", "it is no text")
    return given


def _field(
    name: object,
    place: str,
    known: query_fields.KnownNames,
    *,
    is_score_fine: bool = False,
) -> str:
    if (
        not isinstance(name, str)
        or not 0 < len(name) <= search_limits.MAX_FIELD_LENGTH
    ):
        raise errors.invalid_at(place, "it is no name of a field")
    if is_score_fine and name == _SCORE:
        return name
    try:
        found = searchlight.field_name(name, known)
        if found != _STATE:
            query_fields.check_exists(found, known)
    except query_fields.UnclearError as error:
        raise errors.invalid_at(place, error.message, error.advice) from None
    if found == _STATE:
        raise errors.invalid_at(
            place,
            f"{name} is two fields",
            "give action or status",
        )
    return found


def _check_count(
    values: collections.abc.Sized, place: str, maximum: int
) -> None:
    if len(values) > maximum:
        raise errors.invalid_at(
            place, f"there are {len(values)}, {maximum} at most"
        )


def _one_of(names: collections.abc.Iterable[str]) -> str:
    return f"give one of {', '.join(sorted(names))}"


def one_more(query: port.Query) -> port.Query:
    """Return the query for one more hit, which shows that more exist."""
    if not query.limit:
        return query
    return dataclasses.replace(query, limit=query.limit + 1)
