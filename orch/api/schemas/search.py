"""Requests to search in words of our own; those of Searchlight are elsewhere.

The query string of a GET says the same as the body of a POST: both become
such a body, and are checked as one.
"""

import collections.abc
import dataclasses
import datetime
import difflib
import typing

from orch import clock
from orch import errors
from orch.api import web
from orch.api.schemas import aggregations as aggregation_schema
from orch.api.schemas import checker
from orch.rpc import contract
from orch.rpc.contract import saved_searches
from orch.rpc.contract import search_limits

KINDS: typing.Final = ("stack", "resource", "orphan")
SCORE: typing.Final = "score"
_MAX_NAME_LENGTH: typing.Final = 50
_PATTERN: typing.Final = aggregation_schema.PATTERN
FIELD: typing.Final = aggregation_schema.FIELD
LIMIT: typing.Final[checker.Schema] = {
    "type": "integer",
    "minimum": 0,
    "maximum": search_limits.HITS,
}
OFFSET: typing.Final[checker.Schema] = {
    "type": "integer",
    "minimum": 0,
    "maximum": search_limits.OMITTED,
}
_FIELDS: typing.Final[checker.Schema] = {"type": "array", "items": FIELD}
_FACET: typing.Final[checker.Schema] = {
    **FIELD,
    "type": ["string", "object"],
    "required": ["field"],
    "properties": {"field": FIELD, "size": aggregation_schema.SIZE},
    "additionalProperties": False,
}
_SAVED: typing.Final[dict[str, checker.Schema]] = {
    "q": {"type": "string", "pattern": _PATTERN},
    "kinds": {"type": "array", "items": {"enum": list(KINDS)}},
    "sort": {**_FIELDS, "maxItems": search_limits.SORTS},
    "limit": LIMIT,
    "offset": OFFSET,
    "facets": {
        "type": "array",
        "maxItems": search_limits.FACETS,
        "items": _FACET,
    },
    "statistics": {**_FIELDS, "maxItems": search_limits.STATISTICS},
    "aggregations": aggregation_schema.SCHEMA,
    "as_of": {"type": "string", "format": "date-time"},
    "highlight": {"type": "boolean"},
    "all_projects": {"type": "boolean"},
    "with_texts": {"type": "boolean"},
}
"""What of a request may be saved: all but the cursor."""
SCHEMA: typing.Final[checker.Schema] = {
    "type": "object",
    "required": ["q"],
    "properties": {
        **_SAVED,
        "cursor": {
            "type": "string",
            "maxLength": search_limits.MAX_CURSOR_LENGTH,
            "pattern": _PATTERN,
        },
    },
    "additionalProperties": False,
}
_REPLACED: typing.Final[dict[str, checker.Schema]] = {
    "search": {
        "type": "object",
        "required": ["q"],
        "properties": _SAVED,
        "additionalProperties": False,
    },
    "description": {
        "type": "string",
        "maxLength": saved_searches.MAX_DESCRIPTION_LENGTH,
        "pattern": _PATTERN,
    },
    "is_shared": {"type": "boolean"},
}
SAVED: typing.Final[checker.Schema] = {
    "type": "object",
    "required": ["search"],
    "properties": _REPLACED,
    "additionalProperties": False,
}
"""A search that gets the name in the address."""
NEW: typing.Final[checker.Schema] = {
    "type": "object",
    "required": ["name", "search"],
    "properties": {
        "name": {"type": "string", "pattern": saved_searches.NAME_PATTERN},
        **_REPLACED,
    },
    "additionalProperties": False,
}
"""A search with a name that none has yet."""

_PARAMETERS: typing.Final[checker.Schema] = {
    "properties": {
        "kind": {"items": {"enum": list(KINDS)}},
        "limit_terms": {"maximum": search_limits.VALUES},
        "type": FIELD,
    },
}
check_body: typing.Final = checker.Checker(SCHEMA).check
"""Raise ``orch.errors.Invalid`` unless a query string makes such a body."""
check_parameters: typing.Final = checker.Checker(_PARAMETERS).check
"""Raise ``orch.errors.Invalid`` unless parameters of a query string fit."""

Body = web.Body


@dataclasses.dataclass(frozen=True, slots=True)
class SearchInput:
    """What a request asks for, checked.

    :ivar is_of_all: of all projects
    :ivar aggregations: by the names that the request gives them
    """

    request: contract.SearchRequest
    is_of_all: bool = False
    aggregations: aggregation_schema.Aggregations = dataclasses.field(
        default_factory=dict
    )


def parse_search(body: Body) -> SearchInput:
    """Return what a body asks for.

    :raises orch.errors.Invalid: a sort, a facet or an aggregation is none
    """
    request: contract.SearchRequest = {
        "q": body["q"],
        "kinds": body.get("kinds", []),
        "sort": [sort_of(each) for each in body.get("sort", [])],
        "limit": int(body.get("limit", search_limits.DEFAULT_HITS)),
        "offset": int(body.get("offset", 0)),
        "facets": [_facet_of(each) for each in body.get("facets", [])],
        "statistics": body.get("statistics", []),
        "highlight": body.get("highlight", True),
        "with_texts": body.get("with_texts", False),
    }
    if body.get("cursor"):
        request["cursor"] = body["cursor"]
    if "as_of" in body:
        request["as_of"] = moment_of(body["as_of"])
    counted = aggregation_schema.parse_aggregations(
        body.get("aggregations", {})
    )
    if counted:
        request["aggregations"] = aggregation_schema.requests_of(counted)
    return SearchInput(
        request,
        is_of_all=body.get("all_projects", False),
        aggregations=counted,
    )


def saved_input(name: str, body: Body) -> contract.SavedSearchInput:
    """Return the search that a body wants to be saved."""
    return {
        "name": name,
        "is_shared": body.get("is_shared", False),
        "description": body.get("description", ""),
        "search": body["search"],
    }


def sort_of(text: str) -> contract.SortRequest:
    """Return the order that ``name`` or ``-name`` means.

    The score is best first, with a sign or without.

    :raises orch.errors.Invalid: it names no field
    """
    field = text.removeprefix("-")
    if not field:
        raise errors.Invalid(f"sort: {text!r} names no field.")
    is_descending = text.startswith("-") and field != SCORE
    return {"field": field, "descending": is_descending}


def _facet_of(value: str | Body) -> contract.FacetRequest:
    given_facet = facet_text(value) if isinstance(value, str) else value
    if isinstance(given_facet, str):
        return {"field": given_facet, "size": search_limits.DEFAULT_VALUES}
    return {
        "field": given_facet["field"],
        "size": int(given_facet.get("size", search_limits.DEFAULT_VALUES)),
    }


def facet_text(text: str) -> str | Body:
    """Return the facet that ``field`` or ``field:size`` means.

    :raises orch.errors.Invalid: the size is no number
    """
    field, separator, size = text.rpartition(":")
    if not separator:
        return text
    if not size.isascii() or not size.isdigit() or len(size) > 9:
        raise errors.Invalid(
            f"facet: {size[:40]!r} is no number of values; write FIELD or"
            " FIELD:NUMBER."
        )
    return {"field": field, "size": int(size)}


def check_names(
    given: collections.abc.Iterable[str],
    known: collections.abc.Collection[str],
) -> None:
    """Return only if each parameter of a query string is known.

    :raises orch.errors.Invalid: one is not; its problem has what it may mean
    """
    for name in sorted(set(given) - set(known)):
        near = difflib.get_close_matches(name[:_MAX_NAME_LENGTH], known, n=1)
        advice = (
            f"Did you mean {near[0]}?"
            if near
            else f"Known are {', '.join(sorted(known))}."
        )
        message = f"There is no parameter {name[:_MAX_NAME_LENGTH]!r}."
        raise errors.Invalid(
            f"{message} {advice}",
            [
                errors.Problem(
                    message, path=name[:_MAX_NAME_LENGTH], advice=advice
                )
            ],
        )


def moment_of(text: str, name: str = "as_of") -> float:
    """Return seconds since 1970; UTC where no zone is given.

    :param name: of the parameter, for the error
    :raises orch.errors.Invalid: it is no moment
    """
    try:
        found = datetime.datetime.fromisoformat(text)
        if found.tzinfo is None:
            found = found.replace(tzinfo=datetime.UTC)
        return clock.Timestamp(found.timestamp())
    except (ValueError, OverflowError) as error:
        raise errors.Invalid(
            f"{name}: {text[:40]!r} is no moment; write it as in"
            " 2026-11-21T10:00:00Z."
        ) from error
