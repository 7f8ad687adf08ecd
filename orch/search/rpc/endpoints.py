"""The ``search`` namespace: the RPC methods of the search service."""

import collections.abc
import time
import typing

from orch import clock
from orch.context import request
from orch.rpc import contract
from orch.rpc import endpoint
from orch.rpc.contract import methods
from orch.rpc.inprocess import payload
from orch.search.index import port
from orch.search.indexing import follower
from orch.search.indexing import full_scan_state
from orch.search.indexing import orphan_scan_state
from orch.search.query import enumerated
from orch.search.query import highlighting
from orch.search.rpc import aggregations
from orch.search.rpc import differences
from orch.search.rpc import facets
from orch.search.rpc import known_fields
from orch.search.rpc import requests
from orch.search.rpc import saved as saving

PLUGINS: typing.Final[tuple[contract.SearchPluginFacts, ...]] = tuple(
    {"kind": kind, "type": name, "index": "orch"}
    for kind, name in enumerated.TYPES.items()
)
"""The kinds of documents, as Searchlight would list them."""

_FILLED_CACHE_S: typing.Final = 1.0

MAX_BYTES: typing.Final = 4_000_000
"""Of the hits of an answer, as JSON; what is more comes with the next one."""


class Search:
    """RPC methods for queries, and for the state of the index.

    Who may ask what the API decides; here the scope is what it says.
    """

    def __init__(
        self,
        index: port.Index,
        saved: port.SavedStore,
        clock_: clock.Clock,
        on_refill: collections.abc.Callable[[], None],
    ) -> None:
        """Keep who answers.

        :param on_refill: called once a refill was asked for
        """
        self._index = index
        self._saved = saving.SavedSearches(saved, clock_)
        self._clock = clock_
        self._on_refill = on_refill
        self._filled_until = 0.0
        self._field_cache: known_fields.FieldCache = set()

    def query(
        self,
        ctxt: request.RequestContext,
        request: contract.SearchRequest,
        scope: contract.SearchScope,
    ) -> contract.SearchFacts:
        """Return hits; facets and statistics by their requested names.

        :raises orch.errors.Invalid: the request makes no sense
        :raises orch.errors.Unavailable: the index cannot be reached
        """
        begun = time.monotonic()
        # Looked at first: a fill that ends meanwhile was not found in whole.
        is_complete = self._is_filled()
        index_query = self._read_query(request, scope, is_filled=is_complete)
        since = None
        if index_query.as_of is not None:
            since = full_scan_state.history_since(self._index)
            is_known = since is not None and since <= index_query.as_of
            is_complete = is_complete and is_known
        is_highlighted = requests.read_flag(request, "highlight")
        with_texts = requests.read_flag(request, "with_texts")
        found = self._index.search(requests.one_more(index_query))
        page = found.hits[: index_query.limit]
        hits = _shown_hits(page, index_query, is_highlighted, with_texts)
        has_more = len(found.hits) > len(hits) > 0
        return {
            "total": found.total,
            "took_ms": round((time.monotonic() - begun) * 1000),
            "hits": hits,
            "facets": {
                each["field"]: _values_of(found.facets[facet.field])
                for each, facet in zip(
                    request.get("facets", []), index_query.facets, strict=True
                )
            },
            "statistics": {
                name: aggregations.statistics_of(found.statistics[field])
                for name, field in zip(
                    request.get("statistics", []),
                    index_query.statistics,
                    strict=True,
                )
            },
            "aggregations": aggregations.facts_of(found.aggregations),
            "next": hits[-1]["cursor"] if has_more else None,
            "is_cut": len(hits) < len(page),
            "is_complete": is_complete,
            "history_since": since,
        }

    def differences(
        self,
        ctxt: request.RequestContext,
        request: contract.DifferencesRequest,
        scope: contract.SearchScope,
    ) -> contract.DifferencesFacts:
        """Return what appeared, went and changed between two moments.

        :raises orch.errors.Invalid: the request makes no sense
        :raises orch.errors.Unavailable: the index cannot be reached
        """
        is_complete = self._is_filled()
        who = requests.read_scope(scope)
        now = self._clock.now()
        moments, cursor, searched = requests.split_differences(request, now)
        known = known_fields.KnownFields(
            self._index, who, self._field_cache, is_whole=False
        )
        query = requests.read_query(searched, who, now, known)
        since = full_scan_state.history_since(self._index)
        earliest = min(moments[0], moments[1] or now)
        found, following = differences.find_differences(
            self._index, query, *moments, cursor
        )
        return {
            "differences": found,
            "next": following,
            "is_complete": is_complete
            and since is not None
            and since <= earliest,
            "history_since": since,
        }

    def save(
        self,
        ctxt: request.RequestContext,
        saved: contract.SavedSearchInput,
        request: contract.SearchRequest,
        scope: contract.SearchScope,
        *,
        is_new: bool = False,
    ) -> contract.SavedSearchFacts:
        """Save a search for the user, or for all of the project.

        :raises orch.errors.Conflict: ``is_new``, and the name is in use
        :raises orch.errors.Invalid: the search makes no sense, is too large,
            or one too many
        :raises orch.errors.Unavailable: the index cannot be reached
        """
        self._read_query(request, scope, is_filled=self._is_filled())
        return self._saved.save(ctxt, saved, is_new=is_new)

    def list_saved(
        self, ctxt: request.RequestContext
    ) -> list[contract.SavedSearchFacts]:
        """Return the searches of the user and the project, by name.

        :raises orch.errors.Unavailable: the index cannot be reached
        """
        return self._saved.list(ctxt)

    def find_saved(
        self, ctxt: request.RequestContext, name: str
    ) -> contract.SavedSearchFacts:
        """Return a search of the user; without one, that of the project.

        :raises orch.errors.NotFound: there is none
        :raises orch.errors.Unavailable: the index cannot be reached
        """
        return self._saved.find(ctxt, name)

    def forget_saved(
        self,
        ctxt: request.RequestContext,
        name: str,
        *,
        is_shared: bool = False,
    ) -> None:
        """Delete a search of the user, or one that the project shares.

        :raises orch.errors.NotFound: there is none
        :raises orch.errors.Unavailable: the index cannot be reached
        """
        self._saved.forget(ctxt, name, is_shared=is_shared)

    def _read_query(
        self,
        request: contract.SearchRequest,
        scope: contract.SearchScope,
        *,
        is_filled: bool,
    ) -> port.Query:
        """Return what is asked of the index.

        :raises orch.errors.Invalid: the request makes no sense
        """
        who = requests.read_scope(scope)
        is_whole = is_filled and request.get("as_of") is None
        known = known_fields.KnownFields(
            self._index, who, self._field_cache, is_whole=is_whole
        )
        return requests.read_query(request, who, self._clock.now(), known)

    def _is_filled(self) -> bool:
        """Answer whether all stacks were read, since the index was made.

        One that was filled is not looked at again for a moment.
        """
        now = self._clock.monotonic()
        if now < self._filled_until:
            return True
        is_filled = full_scan_state.filled_at(self._index) is not None
        if is_filled:
            self._filled_until = now + _FILLED_CACHE_S
        return is_filled

    def fields(
        self,
        ctxt: request.RequestContext,
        scope: contract.SearchScope,
        kinds: collections.abc.Sequence[str] = (),
    ) -> list[contract.SearchField]:
        """Return all fields in the caller's scope, by name.

        :raises orch.errors.Invalid: there is no such kind
        :raises orch.errors.Unavailable: the index cannot be reached
        """
        found = self._index.fields(
            requests.read_scope(scope), requests.read_kinds(kinds)
        )
        return [
            {"name": name, "type": type_}
            for name, type_ in sorted(found.items())
        ]

    def facets(
        self,
        ctxt: request.RequestContext,
        request: contract.FacetsRequest,
        scope: contract.SearchScope,
    ) -> list[contract.TypeFacets]:
        """Return the facets of each type, the most frequent type first.

        :raises orch.errors.Invalid: the request makes no sense
        :raises orch.errors.Unavailable: the index cannot be reached
        """
        return facets.find_facets(
            self._index, request, requests.read_scope(scope), self._clock.now()
        )

    def plugins(
        self, ctxt: request.RequestContext
    ) -> list[contract.SearchPluginFacts]:
        """Return the kinds of documents."""
        return list(PLUGINS)

    def status(self, ctxt: request.RequestContext) -> contract.SearchStatus:
        """Return the state of the index.

        :raises orch.errors.Unavailable: it cannot be reached, or not be
            searched by this process
        """
        port.check_searchable(self._index)
        return status_of(self._index)

    def refill(
        self, ctxt: request.RequestContext, *, from_nothing: bool = False
    ) -> contract.SearchStatus:
        """Read all stacks again, as soon as no scan prevents it.

        :param from_nothing: forget all that is in the index first
        :raises orch.errors.Unavailable: the index cannot be reached
        """
        full_scan_state.begin_fill(self._index, from_nothing=from_nothing)
        self._filled_until = 0.0
        self._on_refill()
        return status_of(self._index)


def build_endpoint(search: contract.Search) -> endpoint.Endpoint:
    """Return the endpoint that serves the methods of the search service."""
    return endpoint.Endpoint(
        contract.Search,
        {
            each.name: getattr(search, each.name)
            for each in methods.read_namespace(contract.Search).methods
        },
    )


def status_of(index: port.Index) -> contract.SearchStatus:
    """Return the state of an index.

    :raises orch.errors.Unavailable: it cannot be reached
    """
    counts = index.counts()
    scan = full_scan_state.find_scan(index)
    is_requested = full_scan_state.is_fill_requested(index)
    is_filling = scan is not None and scan.kind == full_scan_state.FILL
    return {
        "stacks": counts.stacks,
        "documents": counts.documents,
        "pending": len(follower.load_retried(index)),
        "text_bytes": counts.text_bytes,
        "stored_bytes": counts.stored_bytes,
        "fill_progress": 0.0
        if is_requested
        else scan.part
        if scan is not None and is_filling
        else None,
        "filled_at": full_scan_state.filled_at(index),
        "orphans_at": orphan_scan_state.ended_at(index),
        "unlisted_types": [
            {
                "type": name,
                "reason": each.reason,
                "projects": each.projects,
                "at": each.at,
            }
            for name, each in orphan_scan_state.unlisted_types(index).items()
        ],
    }


def _shown_hits(
    hits: collections.abc.Sequence[port.Hit],
    index_query: port.Query,
    is_highlighted: bool,
    with_texts: bool,
) -> list[contract.HitFacts]:
    """Return hits until an answer is full; the first one in any case."""
    found: list[contract.HitFacts] = []
    budget = highlighting.Budget()
    bytes_left = MAX_BYTES
    for hit in hits:
        highlights: dict[str, list[str]] = {}
        if is_highlighted and not budget.is_spent():
            highlights = highlighting.find_fragments(
                index_query.node,
                hit.document,
                index_query.scope.is_admin,
                budget,
            )
        facts = _facts_of(hit, highlights, with_texts)
        bytes_left -= len(payload.pack_message(facts))
        if bytes_left < 0 and found:
            break
        found.append(facts)
    return found


def _facts_of(
    hit: port.Hit, highlights: dict[str, list[str]], with_texts: bool
) -> contract.HitFacts:
    document = hit.document.facts()
    if not with_texts:
        document["texts"] = {}
    return {
        "document": document,
        "score": hit.score,
        "highlights": highlights,
        "cursor": hit.cursor,
    }


def _values_of(
    counted: collections.abc.Iterable[tuple[str, int]],
) -> list[contract.FacetValue]:
    return [{"value": value, "count": count} for value, count in counted]
