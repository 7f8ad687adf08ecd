"""Requests to search as clients of Searchlight send them.

https://docs.openstack.org/api-ref/search/ says what these are; the query
itself is read by the search service.
"""

import collections.abc
import dataclasses
import fnmatch
import typing

from orch import errors
from orch.api.schemas import aggregations as aggregation_schema
from orch.api.schemas import checker
from orch.api.schemas import search
from orch.rpc import contract
from orch.rpc.contract import search_limits

INDEX: typing.Final = "orch"
SCORE: typing.Final = "_score"
DEFAULT_HITS: typing.Final = 25
TEXTS: typing.Final = ("template", "events")
"""Long texts of a document; they come only where they are named."""

_ALL: typing.Final = "*"
_NAMES: typing.Final[checker.Schema] = {
    **search.FIELD,
    "type": ["string", "array"],
    "maxItems": 100,
    "items": search.FIELD,
}
_DIRECTION: typing.Final[checker.Schema] = {
    "type": "string",
    "pattern": "^(asc|desc)$",
}
_SORT: typing.Final[checker.Schema] = {
    **search.FIELD,
    "type": ["string", "object"],
    "minProperties": 1,
    "maxProperties": 1,
    "propertyNames": search.FIELD,
    "additionalProperties": {
        **_DIRECTION,
        "type": ["string", "object"],
        "properties": {"order": _DIRECTION},
        "additionalProperties": False,
    },
}
_HIGHLIGHT: typing.Final[checker.Schema] = {
    "type": "object",
    "required": ["fields"],
    "properties": {
        "fields": {
            "type": "object",
            "maxProperties": 100,
            "propertyNames": search.FIELD,
            "additionalProperties": {"type": "object"},
        },
        "pre_tags": {"type": "array", "minItems": 1, "items": search.FIELD},
        "post_tags": {"type": "array", "minItems": 1, "items": search.FIELD},
    },
    "additionalProperties": False,
}
_SOURCE: typing.Final[checker.Schema] = {
    **_NAMES,
    "type": ["boolean", "string", "array", "object"],
    "properties": dict.fromkeys(
        ("include", "includes", "exclude", "excludes"), _NAMES
    ),
    "additionalProperties": False,
}
SCHEMA: typing.Final[checker.Schema] = {
    "type": "object",
    "properties": {
        "query": {"type": "object"},
        "type": {**_NAMES, "type": ["string", "array", "null"]},
        "index": {
            "type": ["string", "array", "null"],
            "pattern": f"^{INDEX}$",
            "items": {"const": INDEX},
        },
        "all_projects": {"type": "boolean"},
        "sort": {
            **_SORT,
            "type": ["string", "object", "array"],
            "maxItems": search_limits.SORTS,
            "items": _SORT,
        },
        "from": search.OFFSET,
        "offset": search.OFFSET,
        "size": search.LIMIT,
        "limit": search.LIMIT,
        "highlight": _HIGHLIGHT,
        "_source": _SOURCE,
        "_source_include": _NAMES,
        "_source_exclude": _NAMES,
        "aggregations": aggregation_schema.SCHEMA,
        "aggs": aggregation_schema.SCHEMA,
    },
    "not": {"required": ["q"]},
    "additionalProperties": False,
}

Body = search.Body


@dataclasses.dataclass(frozen=True, slots=True)
class SearchlightInput:
    """What a request asks for, checked.

    :ivar is_of_all: of all projects
    :ivar aggregations: by the names that the request gives them
    :ivar includes: patterns of names in ``_source``; none for all
    :ivar excludes: patterns of names that are left out of it
    :ivar has_source: it is wanted at all
    :ivar highlighted: patterns of fields whose fragments are wanted
    :ivar marks: what stands before and behind what fits, in these
    """

    request: contract.SearchRequest
    is_of_all: bool
    aggregations: aggregation_schema.Aggregations
    includes: tuple[str, ...]
    excludes: tuple[str, ...]
    has_source: bool
    highlighted: tuple[str, ...]
    marks: tuple[str, str]

    def shows(self, name: str) -> bool:
        """Answer whether a name in ``_source`` is wanted."""
        return (not self.includes or _fits(name, self.includes)) and not _fits(
            name, self.excludes
        )

    @property
    def has_texts(self) -> bool:
        """Answer whether ``_source`` names any of the long texts."""
        return (
            self.has_source
            and bool(self.includes)
            and any(map(self.shows, TEXTS))
        )

    def highlights(self, field: str) -> bool:
        """Answer whether fragments of a field are wanted."""
        return _fits(field, self.highlighted)

    def placed(self, error: errors.Invalid) -> errors.Invalid:
        """Return an error of the search service with places of the body."""
        places = self._places()
        old = error.problems[0].path if error.problems else ""
        if old not in places:
            return error
        problems = [
            dataclasses.replace(each, path=places.get(each.path, each.path))
            for each in error.problems
        ]
        text = error.message.removeprefix(f"{old}: ")
        return errors.Invalid(f"{places[old]}: {text}", problems)

    def _places(self) -> dict[str, str]:
        """Return places in the body by those in the request of it."""
        request = self.request
        places = {
            f"sort[{number}].field": f"sort[{number}]"
            for number in range(len(request["sort"]))
        }
        return places | aggregation_schema.places_of(self.aggregations)


def parse_search(body: Body) -> SearchlightInput:
    """Return what a body asks for.

    :raises orch.errors.Invalid: it says one thing twice, or an aggregation is
        none
    """
    counted = aggregation_schema.parse_aggregations(
        _either(body, "aggregations", "aggs", {})
    )
    highlight = body.get("highlight", {})
    request: contract.SearchRequest = {
        "query": _query_of(body),
        "sort": _sorts_of(body.get("sort", [])),
        "limit": int(_either(body, "limit", "size", DEFAULT_HITS)),
        "offset": int(_either(body, "offset", "from", 0)),
        "highlight": bool(highlight),
    }
    if counted:
        request["aggregations"] = aggregation_schema.requests_of(counted)
    includes, excludes, has_source = _source_of(body)
    asked = SearchlightInput(
        request,
        is_of_all=body.get("all_projects", False),
        aggregations=counted,
        includes=includes,
        excludes=excludes,
        has_source=has_source,
        highlighted=tuple(
            map(aggregation_schema.plain_field, highlight.get("fields", {}))
        ),
        marks=(
            highlight.get("pre_tags", ["<em>"])[0],
            highlight.get("post_tags", ["</em>"])[0],
        ),
    )
    request["with_texts"] = asked.has_texts
    return asked


def check_index(name: str | None) -> None:
    """Return only if it is the index, or none is named.

    :raises orch.errors.Invalid: it is another one
    """
    if name not in (None, INDEX):
        raise errors.Invalid(f"index: there is only {INDEX}.")


def _either(
    body: Body, one: str, other: str, default: typing.Any
) -> typing.Any:
    """Return what stands under one of two names that mean the same.

    :raises orch.errors.Invalid: both are there
    """
    if one in body and other in body:
        raise errors.Invalid(f"{one} and {other} say the same: give one.")
    return body.get(one, body.get(other, default))


def _query_of(body: Body) -> dict[str, object]:
    """Return the query, narrowed to the types that are asked for."""
    query: dict[str, object] = body.get("query") or {"match_all": {}}
    types = _names_of(body.get("type"))
    if not types:
        return query
    narrowed = {"terms": {"type": list(types)}}
    return {"bool": {"must": [query], "filter": [narrowed]}}


def _names_of(told: str | list[str] | None) -> tuple[str, ...]:
    if told is None:
        return ()
    return (told,) if isinstance(told, str) else tuple(told)


def _sorts_of(told: typing.Any) -> list[contract.SortRequest]:
    return [
        _sort_of(each) for each in (told if isinstance(told, list) else [told])
    ]


def _sort_of(told: str | Body) -> contract.SortRequest:
    if isinstance(told, str):
        field, order = told, ""
    else:
        ((field, how),) = told.items()
        order = how if isinstance(how, str) else how.get("order", "")
    if field == SCORE:
        if order == "asc":
            raise errors.Invalid(
                "sort: _score is best first; leave asc out, or sort by a"
                " field."
            )
        return {"field": search.SCORE, "descending": False}
    return {
        "field": aggregation_schema.plain_field(field),
        "descending": order == "desc",
    }


def _source_of(body: Body) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return what of ``_source`` is wanted, what not, and whether any is."""
    told = body.get("_source", True)
    includes = _names_of(body.get("_source_include"))
    excludes = _names_of(body.get("_source_exclude"))
    if isinstance(told, bool):
        return includes, excludes, told
    if isinstance(told, dict):
        for name in ("include", "includes"):
            includes += _names_of(told.get(name))
        for name in ("exclude", "excludes"):
            excludes += _names_of(told.get(name))
        return includes, excludes, True
    return includes + _names_of(told), excludes, True


def _fits(name: str, patterns: collections.abc.Iterable[str]) -> bool:
    return any(
        pattern in (_ALL, name)
        or name.startswith(f"{pattern}.")
        or fnmatch.fnmatchcase(name, pattern)
        for pattern in patterns
    )
