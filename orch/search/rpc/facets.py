"""Facets of types: counts, fields and values.

All types of one answer are looked up here, so that it takes one call over
the bus however many there are.
"""

import collections.abc
import typing

from orch import clock
from orch import errors
from orch.rpc import contract
from orch.rpc.contract import search_limits
from orch.search.index import port
from orch.search.query import enumerated
from orch.search.query import nodes
from orch.search.query import searchlight
from orch.search.query import values
from orch.search.rpc import checks

MAX_TYPES: typing.Final = 25
"""Of the most frequent ones, where none is named."""
MAX_FIELDS: typing.Final = 2_500
"""Of all types of an answer together; each has the same part of them."""

# Fields with few values, of which these are listed.
_COUNTED: typing.Final = ("status", "action", "drift", "tags", "owner")
_TYPE: typing.Final = "type"
_KEYS: typing.Final = frozenset(contract.FacetsRequest.__annotations__)


def find_facets(
    index: port.Index,
    request: contract.FacetsRequest,
    scope: port.Scope,
    now: clock.Timestamp,
) -> list[contract.TypeFacets]:
    """Return the facets of requested types, the most frequent first.

    :param now: what ``now`` means in a query
    :raises orch.errors.Invalid: the request makes no sense
    :raises orch.errors.Unavailable: the index cannot be reached
    """
    _check(request)
    return _Facets(index, scope, request, now).find()


class _Facets:
    """The answer to one request."""

    def __init__(
        self,
        index: port.Index,
        scope: port.Scope,
        request: contract.FacetsRequest,
        now: clock.Timestamp,
    ) -> None:
        self._index = index
        self._scope = scope
        self._request = request
        self._now = now
        self._counted = (
            _COUNTED
            if scope.project_ids is not None
            else (*_COUNTED, "project_id")
        )

    def find(self) -> list[contract.TypeFacets]:
        """Return all that is asked for."""
        types = self._types()
        fields = (
            self._fields([name for name, _ in types])
            if self._request["has_fields"]
            else {}
        )
        size = self._request["values"]
        return [
            {
                "type": name,
                "count": count,
                "fields": fields.get(name, []),
                "options": self._options(name, size) if size else {},
            }
            for name, count in types
        ]

    def _types(self) -> list[tuple[str, int]]:
        only = self._request["type"]
        if only is None:
            found = self._search(nodes.All(), (_TYPE,), MAX_TYPES)
            return list(found.facets[_TYPE])
        total = self._search(self._node(only), (), 1).total
        return [(only, total)] if total else []

    def _node(self, type_name: str) -> nodes.Node:
        return searchlight.parse_searchlight(
            {"term": {_TYPE: type_name}}, self._now
        )

    def _search(
        self, node: nodes.Node, fields: tuple[str, ...], size: int
    ) -> port.Found:
        return self._index.search(
            port.Query(
                node=node,
                scope=self._scope,
                limit=0,
                facets=tuple(port.Facet(each, size) for each in fields),
            )
        )

    def _options(
        self, type_name: str, size: int
    ) -> dict[str, list[contract.FacetValue]]:
        found = self._search(self._node(type_name), self._counted, size)
        return {
            field: [
                {"value": value, "count": count}
                for value, count in found.facets[field]
            ]
            for field in self._counted
        }

    def _fields(
        self, types: list[str]
    ) -> dict[str, list[contract.SearchField]]:
        """Return the fields of each type, as many as it has room for."""
        max_fields = MAX_FIELDS // max(1, len(types))
        return {
            name: _first_fields(forms, max_fields)
            for name, forms in self._forms(types).items()
        }

    def _forms(self, types: list[str]) -> dict[str, dict[str, str]]:
        """Return all fields of each type, and what they are."""
        found = {}
        spelled = {}
        for name in types:
            kind = enumerated.find_kind(name)
            if kind:
                kinds = frozenset({kind})
                found[name] = dict(self._index.fields(self._scope, kinds))
            else:
                spelled[name] = self._spellings(name)
        every = {each for several in spelled.values() for each in several}
        forms = self._index.fields_of(self._scope, every) if every else {}
        for name, several in spelled.items():
            found[name] = {
                field: form
                for each in several
                for field, form in forms[each].items()
            }
        return found

    def _spellings(self, type_name: str) -> list[str]:
        """Return the types that a name of one fits, to the letter."""
        if self._request["type"] is None:
            return [type_name]
        found = self._search(self._node(type_name), (_TYPE,), MAX_TYPES)
        return [each for each, _ in found.facets[_TYPE]]


def _first_fields(
    forms: collections.abc.Mapping[str, str], max_fields: int
) -> list[contract.SearchField]:
    """Return so many fields by name; those that all have are among them."""
    # What every document has is not to be crowded out by what a few have.
    ordered = sorted(
        forms, key=lambda each: (not values.is_native(each), each)
    )
    return [
        {"name": name, "type": forms[name]}
        for name in sorted(ordered[:max_fields])
    ]


def _check(request: contract.FacetsRequest) -> None:
    """Raise ``Invalid`` if a request makes no sense."""
    for key in sorted(_KEYS ^ set(request)):
        raise errors.invalid_at(key, "there is no such key or it is missing")
    only: object = request["type"]
    if only is not None and not isinstance(only, str):
        raise errors.invalid_at("type", "it is no text")
    checks.whole(request["values"], "values", 0, search_limits.VALUES)
    has_fields: object = request["has_fields"]
    if not isinstance(has_fields, bool):
        raise errors.invalid_at("has_fields", "it is no truth value")
